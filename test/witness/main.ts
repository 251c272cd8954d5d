/** `npm run witness:rounds` and `npm run witness:lies`: the long campaigns; exit 1 at the first round or lie that comes out wrong. */
import { Command } from "commander";
import { lies } from "./lies.js";
import { rounds } from "./rounds.js";

const program = new Command("npm run witness:rounds --")
  .description("Random trees and blocks on witnesses of them, honest and not.")
  .argument("<what>", "rounds: what a witness gives is what the tree gave; lies: no lie of a server is believed")
  .option("--rounds <n>", "rounds or lies")
  .option("--seed <s>", "where to begin; a failure names its own", "1")
  .parse();
const options = program.opts<{ readonly rounds?: string; readonly seed: string }>();

function progress(done: number): void {
  if (done % 10_000 === 0) process.stderr.write(`${done}\n`);
}

const seed = Number(options.seed);
const result =
  program.args[0] === "lies"
    ? { ...lies(Number(options.rounds ?? 100_000), seed, progress), believed: 0 }
    : { ...rounds(Number(options.rounds ?? 10_000), seed, progress), wrong: 0 };
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
