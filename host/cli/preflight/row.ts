/** One line of a preflight: what was looked at, what was found, what to do. */
import { visible } from "../../base/text/visible.js";

/** `warning`: the upgrade can be made all the same, or nobody here can know. `missing`: it cannot. */
type RowState = "ok" | "warning" | "missing";

export interface Row {
  readonly check: CheckName;
  readonly state: RowState;
  /** One message without a full stop. */
  readonly words: string;
  /** A command to paste. */
  readonly next?: string | undefined;
}

/** In the order of the table. */
export const CHECKS = [
  "plan",
  "binary",
  "program",
  "checksum",
  "start",
  "cometbft",
  "validator key",
  "handler",
  "stores",
  "disk",
  "memory",
  "rehearsal",
  "attestation",
  "sidecar",
] as const;
type CheckName = (typeof CHECKS)[number];

const SIGNS: Readonly<Record<RowState, string>> = { ok: "ok", warning: "warning", missing: "MISSING" };

const COLUMNS = 100;

export function tableText(rows: readonly Row[]): string {
  const wide = (column: readonly string[]) => Math.max(...column.map(({ length }) => length));
  const [name, sign] = [wide(rows.map(({ check }) => check)), wide(rows.map(({ state }) => SIGNS[state]))];
  const indent = " ".repeat(name + sign + 4);
  const lines = rows.flatMap(({ check, state, words, next }) => [
    `${check.padEnd(name)}  ${SIGNS[state].padEnd(sign)}  ${wrapped(visible(words), indent)}`,
    ...(next === undefined ? [] : [`${indent}$ ${visible(next)}`]),
  ]);
  return [...lines, "", verdict(rows)].join("\n");
}

/** Breaks a text at spaces. A path or hash that is longer than a line stays whole, as does a command, which is to be pasted. */
function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || indent.length + last.length + 1 + word.length > COLUMNS) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join(`\n${indent}`);
}

function verdict(rows: readonly Row[]): string {
  const count = (state: RowState) => rows.filter((row) => row.state === state).length;
  const [missing, warnings] = [count("missing"), count("warning")];
  const warned = warnings === 0 ? "" : ` (${warnings} ${warnings === 1 ? "warning" : "warnings"})`;
  if (missing === 0) return `ready for the upgrade${warned}`;
  return `not ready: ${missing} ${missing === 1 ? "thing is" : "things are"} missing${warned}`;
}

export const isReady = (rows: readonly Row[]): boolean => rows.every(({ state }) => state !== "missing");
