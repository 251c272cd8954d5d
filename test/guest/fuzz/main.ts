/** `npm run fuzz:handlers -- --rounds N --seed S [--json]`: the long campaign; exit 1 when anything is not an orderly end. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Command } from "commander";
import { type CampaignResult, campaign } from "./campaign.js";

interface Options {
  readonly rounds: string;
  readonly seed: string;
  readonly json?: boolean;
}

const program = new Command("npm run fuzz:handlers --")
  .description("Mutates handlers and checks, loads and runs what comes of it.")
  .option("--rounds <n>", "modules", "100000")
  .option("--seed <s>", "where to begin; a failure names seed and round", "1")
  .option("--json", "the result as one JSON object")
  .parse();

const { rounds, seed, json } = program.opts<Options>();
const total = Number(rounds);
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
/** Bytes in use when nothing waits to be collected: at a tenth of the way, when everything is warm, and at the end. */
let early = 0;

function inUse(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function progress(done: number): void {
  if (done === Math.ceil(total / 10)) early = inUse();
  if (!json && done % 10_000 === 0) process.stderr.write(`${done} of ${total}\n`);
}

try {
  const result: CampaignResult = campaign({ rounds: total, seed: Number(seed), progress });
  const memory = { early, end: inUse(), resident: process.memoryUsage().rss };
  const shown = { ...result, slowest: Math.round(result.slowest), seed, memory };
  process.stdout.write(json ? `${JSON.stringify(shown)}\n` : `${JSON.stringify(shown, null, 2)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
  process.exitCode = 1;
}
