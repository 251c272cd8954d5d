/**
 * The same bench of this checkout and of another one, in one run: processes take turns, so that a busy machine is busy
 * for both, and each pair of runs gives a ratio of its own. Of times and memory a ratio below 1 is good, of rates one above.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Bench } from "./benches.js";
import type { Measured } from "./comparison.js";
import { measure } from "./measure.js";

/** What one process reported, by name. */
type Sample = ReadonlyMap<string, { readonly value: number; readonly unit: string }>;

/** A worker and the folder it runs in. */
export interface Checkout {
  readonly worker: string;
  readonly folder: string;
}

/** One line: the median of the pairs' ratios, and their range. */
export interface RatioRow {
  readonly bench: string;
  readonly row: string;
  readonly unit: string;
  readonly here: number;
  readonly there: number;
  readonly ratio: number;
  readonly min: number;
  readonly max: number;
  readonly n: number;
}

/**
 * Bundles a bench of another checkout, beside our own: the other folder is only read. Its packages are its own too.
 * @throws Error when the checkout has no such bench
 */
export async function otherCheckout(folder: string, { name }: Bench): Promise<Checkout> {
  const entry = resolve(folder, "bench", "workers", `${name}.ts`);
  if (!existsSync(entry)) throw new Error(`${folder} has no bench "${name}": there is no ${entry}`);
  const outfile = join("build", "bench", "against", `${name}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    plugins: [packagesOf(resolve(folder))],
    logLevel: "error",
  });
  return { worker: resolve(outfile), folder: resolve(folder) };
}

/** Packages stay outside the bundle and are found where that checkout has them. */
function packagesOf(folder: string): Plugin {
  return {
    name: "packages of the other checkout",
    setup({ onResolve, resolve: find }) {
      onResolve({ filter: /^[^./]/ }, async ({ path, kind, pluginData }) => {
        if (path.startsWith("node:") || kind === "entry-point" || pluginData === "found") return undefined;
        const found = await find(path, { kind, resolveDir: folder, pluginData: "found" });
        return found.path.startsWith("/")
          ? { path: pathToFileURL(found.path).href, external: true }
          : { path, external: true };
      });
    },
  };
}

/** Runs a bench `pairs` times in each checkout, by turns, the first one changing from pair to pair. */
export async function ratioRows(
  bench: Bench,
  here: Checkout,
  there: Checkout,
  size: number,
  pairs: number,
): Promise<RatioRow[]> {
  const samples: [Sample, Sample][] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const isTurned = pair % 2 === 1;
    const first = await sample(bench, isTurned ? there : here, size);
    const second = await sample(bench, isTurned ? here : there, size);
    samples.push(isTurned ? [second, first] : [first, second]);
  }
  const names = [...(samples[0]?.[0].keys() ?? [])].filter((name) => samples.every((pair) => hasBoth(pair, name)));
  return names.map((name) => ratioRow(bench.name, `${size} ${name}`, name, samples));
}

function hasBoth([here, there]: readonly [Sample, Sample], name: string): boolean {
  return here.has(name) && there.has(name);
}

function ratioRow(bench: string, row: string, name: string, samples: readonly [Sample, Sample][]): RatioRow {
  const values = (side: 0 | 1) => samples.map((pair) => pair[side].get(name)?.value ?? 0);
  const ours = values(0);
  const others = values(1);
  const ratios = ours.map((value, i) => value / (others[i] as number)).sort((a, b) => a - b);
  return {
    bench,
    row,
    unit: samples[0]?.[0].get(name)?.unit ?? "",
    here: median(ours),
    there: median(others),
    ratio: rounded(median(ratios)),
    min: rounded(ratios[0] ?? 0),
    max: rounded(ratios.at(-1) ?? 0),
    n: ratios.length,
  };
}

async function sample(bench: Bench, { worker, folder }: Checkout, size: number): Promise<Sample> {
  if (bench.isComparison) return comparisonSample(bench, worker, folder, size);
  const found = new Map<string, { value: number; unit: string }>();
  for (const way of bench.race?.ways ?? [undefined]) {
    const args = way === undefined ? [String(size)] : [String(size), way];
    const { values, peakAnonymous } = await measure(worker, args, folder);
    const prefix = way === undefined ? "" : `${way} `;
    for (const [name, value] of Object.entries(values)) {
      if (name !== "hash") found.set(`${prefix}${name === "ms" ? "wall" : name}`, { value, unit: "ms" });
    }
    found.set(`${prefix}memory`, { value: peakAnonymous, unit: "bytes" });
  }
  return found;
}

function comparisonSample(bench: Bench, worker: string, folder: string, size: number): Sample {
  const args = [...(bench.flags ?? []), worker, String(size)];
  const measured = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", cwd: folder })) as Measured[];
  return new Map(measured.map(({ row, unit, samples }) => [row, { value: median(samples), unit }]));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
