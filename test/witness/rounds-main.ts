/** `npm run witness:rounds -- --rounds N --seed S`: the long campaign of rounds; exit 1 at the first that differs. */
import { Command } from "commander";
import { rounds } from "./rounds.js";

const program = new Command("npm run witness:rounds --")
  .description("Random trees and blocks: what a witness gives is what the tree gave, and the next root is equal.")
  .option("--rounds <n>", "rounds", "10000")
  .option("--seed <s>", "where to begin; a failure names its own", "1")
  .parse();
const options = program.opts<{ readonly rounds: string; readonly seed: string }>();

const counts = rounds(Number(options.rounds), Number(options.seed), (done) => {
  if (done % 1_000 === 0) process.stderr.write(`${done}\n`);
});
process.stdout.write(`${JSON.stringify({ ...counts, wrong: 0 }, null, 2)}\n`);
