/** What came of a fixture, in lines for people. */
import { visible } from "../../../base/text/visible.js";
import { differenceLines } from "./expected-stores.js";
import type { FixtureResult } from "./fixture-runs.js";
import { gasLines } from "./gas-text.js";

const INDENT = " ".repeat(10);
/** Log lines that are shown; a handler may write thousands. */
const LOGS_MAX = 50;

export function fixtureText(result: FixtureResult): string {
  const { fixture, ok, gas, checks, warnings, gas_profile: profile } = result;
  return [
    `${fixture}: ${ok ? "ok" : "FAILED"}${gas === null ? "" : `, gas ${gas}`}`,
    ...logLines(result),
    ...checks.flatMap(({ name, ok: holds, message, differences }) => [
      `  ${holds ? "ok    " : "FAILED"}  ${name}: ${message.replaceAll("\n", `\n${INDENT}`)}`,
      ...differenceLines(differences).map((line) => `${INDENT}${line}`),
    ]),
    ...warnings.map((warning) => `  warning  ${warning}`),
    ...(profile ? gasLines(profile) : []),
  ].join("\n");
}

function logLines({ logs }: FixtureResult): string[] {
  const lines = logs.slice(0, LOGS_MAX).map(({ level, text }) => `  log     ${level}: ${visible(text)}`);
  const more = logs.length - LOGS_MAX;
  return more > 0 ? [...lines, `  log     and ${more} more lines: all of them with --json`] : lines;
}
