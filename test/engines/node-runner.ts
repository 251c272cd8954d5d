/** Reads the cases named on the command line in a Node of its own, so that flags of its engine can be given. */
import { readFileSync } from "node:fs";
import { type EngineCase, runCases } from "./run-cases.js";

const [file = ""] = process.argv.slice(2);
const cases = JSON.parse(readFileSync(file, "utf8")) as EngineCase[];
process.stdout.write(`${runCases(cases).join("\n")}\n`);
