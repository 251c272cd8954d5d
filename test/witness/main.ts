/** `npm run witness:rounds`, `witness:lies`, `witness:sizes`; exit 1 at the first round or lie that comes out wrong. */
import { Command } from "commander";
import { lies } from "./lies.js";
import { rounds } from "./rounds.js";
import { sizes } from "./sizes.js";

interface Options {
  readonly rounds?: string;
  readonly seed: string;
}

function progress(done: number): void {
  if (done % 10_000 === 0) process.stderr.write(`${done}\n`);
}

const CAMPAIGNS: Readonly<Record<string, (options: Options) => object>> = {
  rounds: (options) => ({ ...rounds(Number(options.rounds ?? 10_000), Number(options.seed), progress), wrong: 0 }),
  lies: (options) => ({ ...lies(Number(options.rounds ?? 100_000), Number(options.seed), progress), believed: 0 }),
  sizes,
};

const program = new Command("npm run witness:rounds --")
  .description(
    "Witnesses of random trees and blocks: rounds (equal answers and roots), lies (none is believed), sizes.",
  )
  .argument("<campaign>", Object.keys(CAMPAIGNS).join(", "))
  .option("--rounds <n>", "rounds or lies")
  .option("--seed <s>", "where to begin; a failure names its own", "1")
  .parse();
const run = CAMPAIGNS[program.args[0] ?? ""];
if (run) process.stdout.write(`${JSON.stringify(run(program.opts<Options>()), null, 2)}\n`);
else program.error(`there is no campaign "${program.args[0]}"`);
