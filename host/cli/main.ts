#!/usr/bin/env node
/** `chaind`: parses the command line, runs one command, and ends with the exit status of docs/errors.md. */
import { VERSION } from "../version.js";
import { reportFailure } from "./fail.js";
import { makeProgram } from "./program.js";

const program = makeProgram(VERSION, { print });

function print(answer: object): void {
  const isJson = program.opts()["output"] === "json";
  if (isJson) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else for (const [key, value] of Object.entries(answer)) process.stdout.write(`${key}: ${String(value)}\n`);
}

try {
  await program.parseAsync();
} catch (error) {
  const { output, trace } = program.opts() as { output?: string; trace?: boolean };
  process.exitCode = reportFailure(error, output === "json", trace === true);
}
