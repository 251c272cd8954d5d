/** `npm run fuzz:verify -- --rounds N --seed S`: the long campaign; exit 1 when anything untrue is believed or no code says why. */
import { Command } from "commander";
import { campaign } from "./campaign.js";

const program = new Command("npm run fuzz:verify --")
  .description("Mutates evidence and proofs, and asks whether what is believed of them is true.")
  .option("--rounds <n>", "documents and proofs", "100000")
  .option("--seed <s>", "where to begin; a failure names seed and round", "1")
  .parse();

const { rounds, seed } = program.opts<{ readonly rounds: string; readonly seed: string }>();

function progress(done: number): void {
  if (done % 10_000 === 0) process.stderr.write(`${done} of ${rounds}\n`);
}

try {
  const result = await campaign({ rounds: Number(rounds), seed: Number(seed), progress });
  const shown = { ...result, believed: 0, slowest: Math.round(result.slowest) };
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
  process.exitCode = 1;
}
