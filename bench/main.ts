/** `npm run bench`: every speed claim of this project, measured in processes of their own. */
import { mkdirSync } from "node:fs";
import { Command } from "commander";
import { build } from "esbuild";
import { BENCHES, type Bench } from "./benches.js";
import { comparisonRows } from "./comparison.js";
import { type Measurement, measure } from "./measure.js";
import { raceRows } from "./race.js";
import { type Row, row } from "./row.js";

interface Options {
  readonly json?: boolean;
  readonly quick?: boolean;
  readonly list?: boolean;
}

const RUNS = 3;

const program = new Command("npm run bench --")
  .description("Measures bulk work and idle blocks. Memory is anonymous memory: mapped database pages do not count.")
  .argument("[name...]", "benches to run; all without")
  .option("--json", "one JSON object a line on stdout")
  .option("--quick", "small sizes, one run")
  .option("--list", "name the benches")
  .parse();

const options = program.opts<Options>();
const chosen = program.args.length === 0 ? BENCHES : program.args.map(benchNamed);

if (options.list) for (const { name, what } of BENCHES) process.stdout.write(`${name.padEnd(16)} ${what}\n`);
else await runAll();

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
      const [rounds = 1] = options.quick ? bench.quickSizes : bench.sizes;
      for (const result of comparisonRows(bench, workerFile(bench), rounds)) print(result);
      continue;
    }
    if (bench.race) {
      const [size = 0] = options.quick ? bench.quickSizes : bench.sizes;
      const rounds = options.quick ? 1 : RUNS;
      for (const result of await raceRows(bench, bench.race, workerFile(bench), size, rounds)) print(result);
      continue;
    }
    let smaller: { rate: Row; memory: Row } | undefined;
    for (const size of options.quick ? bench.quickSizes : bench.sizes) {
      const runs: Measurement[] = [];
      for (let i = 0; i < (options.quick ? 1 : RUNS); i++) runs.push(await measure(workerFile(bench), [String(size)]));
      const rate = row(
        bench.name,
        String(size),
        bench.unit,
        runs.map(({ values }) => (size / (values["ms"] ?? 0)) * 1_000),
        smaller?.rate,
      );
      const memory = row(
        bench.name,
        `${size} memory`,
        "bytes",
        runs.map(({ peakAnonymous }) => peakAnonymous),
        smaller?.memory,
      );
      print(rate);
      print(memory);
      printDetails(bench, size, runs);
      smaller = { rate, memory };
    }
  }
}

async function buildWorkers(): Promise<void> {
  mkdirSync("build/bench", { recursive: true });
  await build({
    entryPoints: BENCHES.map(({ name }) => `bench/workers/${name}.ts`),
    outdir: "build/bench",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
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
  const value =
    result.unit === "bytes"
      ? `${(result.value / 1_048_576).toFixed(0)} MiB`
      : `${result.value.toLocaleString("en")} ${result.unit}`;
  const ratio = result.ratio === undefined ? "" : `  ${result.ratio}× of ${result.against}`;
  process.stdout.write(`  ${result.row.padEnd(20)} ${value.padStart(18)}  (${result.n} runs)${ratio}\n`);
}
