/** One line of a preflight: what was looked at, what was found, what to do. */
import { visible } from "../visible.js";

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

export function tableText(rows: readonly Row[]): string {
  const wide = (column: readonly string[]) => Math.max(...column.map(({ length }) => length));
  const [name, sign] = [wide(rows.map(({ check }) => check)), wide(rows.map(({ state }) => SIGNS[state]))];
  const lines = rows.flatMap(({ check, state, words, next }) => [
    `${check.padEnd(name)}  ${SIGNS[state].padEnd(sign)}  ${visible(words)}`,
    ...(next === undefined ? [] : [`${" ".repeat(name + sign + 4)}$ ${visible(next)}`]),
  ]);
  return [...lines, "", verdict(rows)].join("\n");
}

function verdict(rows: readonly Row[]): string {
  const count = (state: RowState) => rows.filter((row) => row.state === state).length;
  const [missing, warnings] = [count("missing"), count("warning")];
  const warned = warnings === 0 ? "" : ` (${warnings} ${warnings === 1 ? "warning" : "warnings"})`;
  if (missing === 0) return `ready for the upgrade${warned}`;
  return `not ready: ${missing} ${missing === 1 ? "thing is" : "things are"} missing${warned}`;
}

export const isReady = (rows: readonly Row[]): boolean => rows.every(({ state }) => state !== "missing");
