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
}

export function comparisonRows(bench: Bench, worker: string, rounds: number): Row[] {
  const output = execFileSync(process.execPath, [...(bench.flags ?? []), worker, String(rounds)], { encoding: "utf8" });
  const measured = JSON.parse(output) as Measured[];
  return measured.map(({ row: name, unit, samples, against }) => {
    const result = row(bench.name, name, unit, samples);
    const other = measured.find((each) => each.row === against);
    return other ? { ...result, against: other.row, ratio: bestRatio(samples, other.samples) } : result;
  });
}

/** Of the best rounds: whatever else the machine does only ever makes a round longer. */
function bestRatio(samples: readonly number[], others: readonly number[]): number {
  return Math.round((Math.min(...samples) / Math.min(...others)) * 100) / 100;
}
