/** One piece of work done in several ways, each in processes of its own that take turns: a busy machine is busy for all. */
import type { Bench, Race } from "./benches.js";
import { type Measurement, measure } from "./measure.js";
import { type Row, row } from "./row.js";

/** Rates beside the one that all are compared to, then memory, processor time and the commit. */
export async function raceRows(
  { name, unit }: Bench,
  { ways, against }: Race,
  worker: string,
  size: number,
  rounds: number,
): Promise<Row[]> {
  const runs = new Map<string, Measurement[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [way, list] of runs) list.push(await measure(worker, [String(size), way]));
  }
  requireSameState(name, [...runs.values()].flat());
  const rates = (list: readonly Measurement[]) => list.map(({ values }) => (size / (values["ms"] ?? 0)) * 1_000);
  const base = row(name, against, unit, rates(runs.get(against) ?? []));
  return [...runs].flatMap(([way, list]) => {
    const part = (key: string) =>
      row(
        name,
        `${way} ${key}`,
        "ms",
        list.map(({ values }) => values[key] ?? 0),
      );
    const peaks = list.map(({ peakAnonymous }) => peakAnonymous);
    const rate = way === against ? base : row(name, way, unit, rates(list), base);
    return [rate, row(name, `${way} memory`, "bytes", peaks), part("cpu"), part("commit")];
  });
}

/** A way that does less than the others is no way. */
function requireSameState(name: string, runs: readonly Measurement[]): void {
  const hashes = new Set(runs.map(({ values }) => values["hash"]));
  if (hashes.size !== 1) throw new Error(`bench ${name}: the ways do not end in the same state`);
}
