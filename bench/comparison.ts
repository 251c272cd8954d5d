/** Runs a worker that measures several things by turns, in one process, and sets them side by side. */
import { execFileSync } from "node:child_process";
import type { Bench } from "./benches.js";
import { type Row, row } from "./row.js";

/** What such a worker prints, as JSON, a list of these. */
export interface Measured {
  readonly row: string;
  readonly unit: string;
  /** One for each round. */
  readonly samples: readonly number[];
  /** An earlier row. */
  readonly against?: string;
  /** What the row may be at most: times the one that it is compared to, or in its unit; past it the run fails. */
  readonly ratioMax?: number;
  readonly valueMax?: number;
}

export function comparisonRows(bench: Bench, worker: string, rounds: number): Row[] {
  const output = execFileSync(process.execPath, [...(bench.flags ?? []), worker, String(rounds)], { encoding: "utf8" });
  const measured = JSON.parse(output) as Measured[];
  return measured.map(({ row: name, unit, samples, against, ...limits }) => {
    const result = { ...row(bench.name, name, unit, samples), ...limits };
    const other = measured.find((each) => each.row === against);
    return other ? { ...result, against: other.row, ratio: bestRatio(samples, other.samples) } : result;
  });
}

/** A message for each row that is above its limit, or above that of its bench. */
export function excesses(bench: Bench, results: readonly Row[]): string[] {
  return results.flatMap(({ row: name, value, unit, against, ratio, valueMax, ratioMax = bench.ratioMax }) => [
    ...(ratio !== undefined && ratioMax !== undefined && ratio > ratioMax
      ? [`${name} takes ${ratio} times what ${against} takes, at most ${ratioMax} times is due`]
      : []),
    ...(valueMax !== undefined && value > valueMax ? [`${name}: ${value} ${unit}, at most ${valueMax} is due`] : []),
  ]);
}

/** Of the best rounds: whatever else the machine does only ever makes a round longer. */
function bestRatio(samples: readonly number[], others: readonly number[]): number {
  return Math.round((Math.min(...samples) / Math.min(...others)) * 100) / 100;
}
