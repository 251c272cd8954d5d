/**
 * `npm run recursion`: recursions and loops of every depth in messages, on stacks of several sizes, before and after V8 has optimized
 * them. A block must give one result wherever it gives one; elsewhere the node stops. With `--programs` the same by the real programs
 * (programs.ts). Exit status 0: one result everywhere. 1: two results differ, or a node exited with another status than 70.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Command } from "commander";
import { THREAD_STACK_MIB } from "../../host/base/errors/engine-limit.js";
import { keepFrames } from "../../host/chain/determinism/inlining.js";
import { type Outcome, runCases } from "./cases.js";
import { runPrograms } from "./programs.js";
import { frameRatios } from "./ratios.js";
import { SHAPES } from "./shapes.js";

interface Bed {
  readonly name: string;
  readonly isWarm: boolean;
  /** Undefined: a thread, as the one of `start`. */
  readonly processKiB?: number;
  readonly threadMiB?: number;
}

/** Replay and rehearsals run blocks on a process's first thread, `start` on a thread with a stack of the same size. */
const BEDS: readonly Bed[] = [false, true].flatMap((isWarm) => [
  { name: `first thread, 984 KiB, ${isWarm ? "warm" : "cold"}`, isWarm, processKiB: 984 },
  { name: `engine's thread, ${isWarm ? "warm" : "cold"}`, isWarm, threadMiB: THREAD_STACK_MIB },
  { name: `first thread, 4000 KiB, ${isWarm ? "warm" : "cold"}`, isWarm, processKiB: 4_000 },
  { name: `thread, 3 MiB, ${isWarm ? "warm" : "cold"}`, isWarm, threadMiB: 3 },
]);

/** How deep or how often, at most; the bounds of the host lie below. */
const MOST: Readonly<Record<string, number>> = {
  ...Object.fromEntries(SHAPES.flatMap((name) => [[name, 50_000] as const, [`in-${name}`, 50_000] as const])),
  proto: 2_000,
  "in-proto": 2_000,
  router: 40,
  branch: 200,
  loop: 5_000,
  store: 20_000,
  pure: 50_000,
};

const CASES_OF_A_HOME = 10;

interface Options {
  readonly cases: string;
  readonly seed: string;
}

/** Depths of all orders of size: as many from 10 to 100 as from 1,000 to 10,000. */
function casesOf({ cases, seed }: Options): string[] {
  let state = Number(seed) >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const kinds = Object.entries(MOST);
  return Array.from({ length: Number(cases) }, (_, index) => {
    const [kind, most] = kinds[index % kinds.length] ?? ["pure", 1];
    return `${kind}:${Math.floor(most ** random())}`;
  });
}

async function runOn(bed: Bed, cases: readonly string[]): Promise<Outcome[]> {
  const work = { cases, isWarm: bed.isWarm };
  const file = fileURLToPath(import.meta.url);
  if (bed.processKiB === undefined) {
    const worker = new Worker(file, { workerData: work, resourceLimits: { stackSizeMb: bed.threadMiB ?? 0 } });
    return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  }
  const args = [`--stack-size=${bed.processKiB}`, file, "--work", JSON.stringify(work)];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${bed.name}: ${stderr}`);
  return JSON.parse(stdout) as Outcome[];
}

async function printRatios(title: string): Promise<void> {
  const ratios = [...(await frameRatios())].map(([name, ratio]) => `${name} ${ratio.toFixed(1)}`);
  process.stdout.write(`${title}: ${ratios.join(", ")}\n`);
}

async function campaign(options: Options): Promise<void> {
  const cases = casesOf(options);
  process.stdout.write(`${cases.length} cases, seed ${options.seed}\n`);
  await printRatios("stack of interpreted code / of optimized code, with V8's inlining");
  keepFrames();
  await printRatios("the same as the chain runs it");
  const found: Outcome[][] = [];
  for (const bed of BEDS) {
    const outcomes = await runOn(bed, cases);
    found.push(outcomes);
    const count = (of: (outcome: Outcome) => boolean) => String(outcomes.filter(of).length).padStart(5);
    process.stdout.write(
      `${bed.name.padEnd(30)} decided${count(({ block }) => block !== "stop")}  stopped${count(({ block }) => block === "stop")}` +
        `  checked${count(({ isChecked }) => isChecked)}  proposed${count(({ isProposed }) => isProposed)}\n`,
    );
  }
  const results = cases.map((_, index) => new Set(found.map((outcomes) => outcomes[index]?.block)));
  const different = cases.filter(
    (_, index) => [...(results[index] ?? [])].filter((each) => each !== "stop").length > 1,
  );
  const [everywhere, nowhere] = [true, false].map(
    (isDecided) => results.filter((each) => each.has("stop") !== isDecided && each.size === 1).length,
  );
  const isAccepted = (index: number) => found.every((outcomes) => outcomes[index]?.isProposed);
  const late = cases.filter((_, index) => isAccepted(index) && results[index]?.has("stop"));
  process.stdout.write(
    `one result on all ${everywhere}, stopped on all ${nowhere}, decided or stopped ${cases.length - (everywhere ?? 0) - (nowhere ?? 0)}, ` +
      `proposed by all and stopped on some ${late.length}, different results ${different.length}\n`,
  );
  for (const text of different) process.stdout.write(`different: ${text}\n`);
  if (different.length > 0) process.exitCode = 1;
}

const OUTSIDE = ["begin", "end", "vote"];
const UPGRADE = ["migrate", "migrate-begin", "migrate-end"];
/** A migration has no other modules' messages. */
const isForMigration = (text: string) => !/^(?:in-|router)/.test(text);

/** Homes of the real programs: `cases` messages in all, hooks and proposals that fit mostly. */
async function programs(options: Options): Promise<void> {
  const all = casesOf(options);
  const outside = casesOf({ cases: String(2 * all.length), seed: `${Number(options.seed) + 1}` });
  const upgrade = casesOf({ cases: String(2 * all.length), seed: `${Number(options.seed) + 2}` }).filter(
    isForMigration,
  );
  const stories = Array.from({ length: Math.ceil(all.length / CASES_OF_A_HOME) }, (_, home) => {
    const own = outside.slice(home * 2 * CASES_OF_A_HOME, (home + 1) * 2 * CASES_OF_A_HOME);
    return {
      cases: all.slice(home * CASES_OF_A_HOME, (home + 1) * CASES_OF_A_HOME),
      upgrade: UPGRADE.map((when, at) => `${when}=${upgrade[(home * UPGRADE.length + at) % upgrade.length]}`),
      outside: own.slice(1, 4).map((text, at) => `${OUTSIDE[at % OUTSIDE.length]}=${text}`),
    };
  });
  const { sent, same, stopped, different } = await runPrograms(stories);
  for (const [what, count] of sent) process.stdout.write(`${what} ${count}\n`);
  process.stdout.write(
    `${stories.length} homes, replays and upgrade blocks with one result ${same}, stopped ${stopped}, different ${different.length}\n`,
  );
  for (const text of different) process.stdout.write(`different: ${text}\n`);
  if (different.length > 0) process.exitCode = 1;
}

const [, , flag, json = "{}"] = process.argv;
if (!isMainThread) {
  const { cases, isWarm } = workerData as { cases: string[]; isWarm: boolean };
  parentPort?.postMessage(await runCases(cases, isWarm));
} else if (flag === "--work") {
  const { cases, isWarm } = JSON.parse(json) as { cases: string[]; isWarm: boolean };
  process.stdout.write(JSON.stringify(await runCases(cases, isWarm)));
} else {
  const program = new Command("npm run recursion --")
    .description("Runs blocks with recursions and loops of every depth on several stacks, cold and warm, and compares.")
    .option("--cases <n>", "number of cases", "200")
    .option("--seed <s>", "the same seed gives the same cases", "1")
    .option("--programs", "send them to nodes and replay their homes, instead of calling the application")
    .parse();
  const options = program.opts<Options & { readonly programs?: boolean }>();
  await (options.programs ? programs(options) : campaign(options));
}
