/**
 * `npm run bombs:handlers -- --count N --seed S`: what the dearest files that are taken need to be compiled and run on
 * each engine: those of every shape, and random mixtures. MiB and seconds; exit 1 above 256 MB.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { type Compiler, compilers } from "../../engines/compile-memory.js";
import { metered } from "../random/metering.js";
import { Random } from "../random/random.js";
import { MEMORY_BYTES_MAX, plainBombs, randomBomb } from "./bombs.js";

interface Options {
  readonly count: string;
  readonly seed: string;
  readonly mixturesOnly?: boolean;
}

const MEBIBYTE = 1_048_576;
const program = new Command("npm run bombs:handlers --")
  .description("Compiles the dearest handlers that are taken on every engine, and measures the memory of its process.")
  .option("--count <n>", "random mixtures", "20")
  .option("--seed <s>", "where to begin", "1")
  .option("--mixtures-only", "leave out the files of one shape")
  .parse();
const { count, seed, mixturesOnly } = program.opts<Options>();

let worst = { bytes: 0, what: "nothing" };

/** A bomb that an engine did not survive is as bad as one that took too much. */
async function measured({ name, memory }: Compiler, what: string, file: string): Promise<string> {
  const start = performance.now();
  let bytes: number;
  try {
    bytes = await memory(file);
  } catch (error) {
    bytes = Number.POSITIVE_INFINITY;
    process.stderr.write(`${what}: ${name}: ${error instanceof Error ? error.message : error}\n`);
  }
  if (bytes > worst.bytes) worst = { bytes, what: `${name}: ${what}` };
  return `${name} ${Math.round(bytes / MEBIBYTE)} MiB ${((performance.now() - start) / 1_000).toFixed(1)} s`;
}

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-bombs-"));
try {
  const all = await compilers(folder);
  for (const { name, missing } of all) if (missing) process.stdout.write(`${name} is skipped: ${missing}\n`);
  const random = new Random(Number(seed));
  const mixtures = Array.from({ length: Number(count) }, () => randomBomb(random));
  for (const { name, bytes } of [...(mixturesOnly ? [] : plainBombs()), ...mixtures]) {
    const original = bytes();
    const file = join(folder, "bomb.wasm");
    writeFileSync(file, metered(original));
    const figures: string[] = [];
    for (const compiler of all) if (!compiler.missing) figures.push(await measured(compiler, name, file));
    process.stdout.write(`${name} (${original.length} bytes): ${figures.join("; ")}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`worst: ${Math.round(worst.bytes / MEBIBYTE)} MiB, ${worst.what} (seed ${seed})\n`);
if (worst.bytes > MEMORY_BYTES_MAX) process.exitCode = 1;
