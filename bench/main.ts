/** `npm run bench`: every speed claim of this project, measured in processes of their own. */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { build } from "esbuild";
import { otherCheckout, type RatioRow, ratioRows } from "./against.js";
import { BENCHES, type Bench } from "./benches.js";
import { comparisonRows, excesses } from "./comparison.js";
import { type Measurement, measure } from "./measure.js";
import { raceRows } from "./race.js";
import { type Row, row } from "./row.js";

interface Options {
  readonly json?: boolean;
  readonly quick?: boolean;
  readonly list?: boolean;
  readonly against?: string;
  readonly records?: number;
  readonly runs?: number;
}

const RUNS = 3;

const program = new Command("npm run bench --")
  .description("Measures bulk work and idle blocks. Memory is anonymous memory: mapped database pages do not count.")
  .argument("[name...]", "benches to run; all without")
  .option("--json", "one JSON object a line on stdout")
  .option("--quick", "small sizes, one run")
  .option("--list", "name the benches")
  .option("--against <folder>", "compare to another checkout (its packages installed, built), run by run")
  .option("--records <number>", "this size instead of the benches' own", wholeNumber)
  .option("--runs <number>", "runs of each size, or pairs of runs with --against", wholeNumber)
  .parse();

const options = program.opts<Options>();
const chosen = program.args.length === 0 ? BENCHES : program.args.map(benchNamed);

if (options.list) for (const { name, what } of BENCHES) process.stdout.write(`${name.padEnd(16)} ${what}\n`);
else if (options.against === undefined) await runAll();
else await runAgainst(options.against);

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError("not a whole number above 0");
  return number;
}

function benchNamed(name: string): Bench {
  const bench = BENCHES.find((each) => each.name === name);
  if (!bench) return program.error(`there is no bench "${name}"; --list names them`, { exitCode: 2 });
  return bench;
}

async function runAll(): Promise<void> {
  await buildWorkers();
  for (const bench of chosen) {
    if (!options.json) process.stdout.write(`\n${bench.name}: ${bench.what}\n`);
    if (bench.isComparison) {
      const [rounds = 1] = sizesOf(bench);
      const results = comparisonRows(bench, workerFile(bench), rounds);
      for (const result of results) print(result);
      judge(bench, results);
      continue;
    }
    if (bench.race) {
      const [size = 0] = sizesOf(bench);
      for (const result of await raceRows(bench, bench.race, workerFile(bench), size, runs())) print(result);
      continue;
    }
    let smaller: { rate: Row; memory: Row } | undefined;
    for (const size of sizesOf(bench)) {
      const done: Measurement[] = [];
      for (let i = 0; i < runs(); i++) done.push(await measure(workerFile(bench), [String(size)]));
      const rate = row(
        bench.name,
        String(size),
        bench.unit,
        done.map(({ values }) => (size / (values["ms"] ?? 0)) * 1_000),
        smaller?.rate,
      );
      const memory = row(
        bench.name,
        `${size} memory`,
        "bytes",
        done.map(({ peakAnonymous }) => peakAnonymous),
        smaller?.memory,
      );
      print(rate);
      print(memory);
      printDetails(bench, size, done);
      smaller = { rate, memory };
    }
  }
}

function sizesOf(bench: Bench): readonly number[] {
  if (options.records !== undefined) return [options.records];
  return options.quick ? bench.quickSizes : bench.sizes;
}

function runs(): number {
  return options.runs ?? (options.quick ? 1 : RUNS);
}

/** Only the greatest size: small ones say more about the start of a process than about the work. */
async function runAgainst(folder: string): Promise<void> {
  await buildWorkers();
  for (const bench of chosen) {
    if (!options.json) process.stdout.write(`\n${bench.name}: ${bench.what}\n`);
    const here = { worker: resolve(workerFile(bench)), folder: "." };
    const there = bench.isOfProgram
      ? { worker: here.worker, folder: resolve(folder) }
      : await otherCheckout(folder, bench);
    const rows = await ratioRows(bench, here, there, sizesOf(bench).at(-1) ?? 0, runs());
    for (const each of rows) printRatio(each);
  }
}

/** Names the row nearest to its bench's limit, and each that is past one: then the whole run fails. */
function judge(bench: Bench, results: readonly Row[]): void {
  const { name, ratioMax } = bench;
  if (ratioMax !== undefined) {
    const common = results.filter((each) => each.ratioMax === undefined);
    const worst = common.reduce((most, each) => ((each.ratio ?? 0) > (most.ratio ?? 0) ? each : most));
    const verdict = `${worst.row}, ${worst.ratio}× of ${worst.against}, at most ${ratioMax}× is due`;
    process.stderr.write(`  ${name}: worst is ${verdict}\n`);
  }
  for (const excess of excesses(bench, results)) {
    process.exitCode = 1;
    process.stderr.write(`  ${name}: TOO MUCH: ${excess}\n`);
  }
}

async function buildWorkers(): Promise<void> {
  mkdirSync("build/bench", { recursive: true });
  await build({
    entryPoints: BENCHES.map(({ name }) => `bench/workers/${name}.ts`),
    outdir: "build/bench",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // As the program is built: a worker loads what it needs.
    splitting: true,
    // Beside the workers: some find files of the repository from where they are.
    chunkNames: "[name]-[hash]",
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    alias: { "chain-upgrade/node": resolve("host/node.ts"), "chain-upgrade": resolve("host/index.ts") },
    logLevel: "error",
  });
}

function workerFile({ name }: Bench): string {
  return `build/bench/${name}.mjs`;
}

/** What else a worker reported, in the same form: milliseconds of its parts. */
function printDetails(bench: Bench, size: number, runs: readonly Measurement[]): void {
  for (const part of Object.keys(runs[0]?.values ?? {})) {
    if (part === "ms") continue;
    print(
      row(
        bench.name,
        `${size} ${part}`,
        "ms",
        runs.map(({ values }) => values[part] ?? 0),
      ),
    );
  }
}

function print(result: Row): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const isBytes = result.unit === "bytes";
  const text = (value: number) => (isBytes ? (value / 1_048_576).toFixed(0) : value.toLocaleString("en"));
  const ratio = result.ratio === undefined ? "" : `  ${result.ratio}× of ${result.against}`;
  const range = result.n > 1 ? `: ${text(result.min)} to ${text(result.max)}` : "";
  const value = `${text(result.value)} ${isBytes ? "MiB" : result.unit}`;
  process.stdout.write(`  ${result.row.padEnd(38)} ${value.padStart(18)}  (${result.n} runs${range})${ratio}\n`);
}

function printRatio(result: RatioRow): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const { row: name, unit, here, there, ratio, min, max, n } = result;
  const text = (value: number) =>
    unit === "bytes" ? `${(value / 1_048_576).toFixed(0)} MiB` : `${Math.round(value).toLocaleString("en")} ${unit}`;
  const range = `${min}–${max}, ${n} pairs`;
  process.stdout.write(
    `  ${name.padEnd(24)} ${text(here).padStart(14)} / ${text(there).padStart(14)}  ${ratio}×  (${range})\n`,
  );
}
