/** Runs a worker that measures several things by turns, in one process, and sets them side by side. */
import { execFileSync } from "node:child_process";
import type { Bench } from "./benches.js";
import { type Row, row } from "./row.js";

/** What such a worker prints, as JSON, a list of these. */
interface Measured {
  readonly row: string;
  readonly unit: string;
  /** One for each round. */
  readonly samples: readonly number[];
  /** An earlier row. */
  readonly against?: string;
}

export function comparisonRows(bench: Bench, worker: string, rounds: number): Row[] {
  const output = execFileSync(process.execPath, [worker, String(rounds)], { encoding: "utf8" });
  const measured = JSON.parse(output) as Measured[];
  return measured.map(({ row: name, unit, samples, against }) => {
    const result = row(bench.name, name, unit, samples);
    const other = measured.find((each) => each.row === against);
    return other ? { ...result, against: other.row, ratio: pairedRatio(samples, other.samples) } : result;
  });
}

/** The median of the rounds' own ratios: what else the machine does hits both sides of a round alike. */
function pairedRatio(samples: readonly number[], others: readonly number[]): number {
  const ratios = samples.map((sample, round) => sample / (others[round] as number)).sort((a, b) => a - b);
  return Math.round((ratios[Math.floor(ratios.length / 2)] as number) * 100) / 100;
}
