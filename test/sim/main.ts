/**
 * `npm run sim -- --rounds N --seed S [--json]`: crash rounds over an upgrade. Exit 1 if anything was lost or diverged.
 * `--only K` runs round K of such a run alone.
 */
import { parseArgs } from "node:util";
import { simulate } from "./simulate.js";

const ROUNDS_DEFAULT = 200;

function usage(message: string): never {
  process.stderr.write(`${message}\nusage: npm run sim -- [--rounds N] [--seed S] [--only K] [--json]\n`);
  process.exit(2);
}

function readOptions() {
  const options = {
    rounds: { type: "string", default: String(ROUNDS_DEFAULT) },
    seed: { type: "string", default: String(Date.now()) },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

function count(text: string, name: string): number {
  const value = Number(text);
  return /^[0-9]+$/.test(text) && Number.isSafeInteger(value) ? value : usage(`--${name} must be a whole number`);
}

const { rounds, seed, only, json } = readOptions();
const { summary, roundsByScene, milliseconds } = await simulate({
  rounds: count(rounds, "rounds"),
  seed,
  only: only === undefined ? undefined : count(only, "only"),
  onDamage: (text) => process.stderr.write(`${text}\n`),
});
if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
else {
  const scenes = [...roundsByScene].sort().map(([name, times]) => `${times} ${name}`);
  const seconds = milliseconds / 1_000;
  process.stdout.write(
    `${summary.rounds} rounds (${scenes.join(", ")}), ${summary.kills} kills, ${summary.restarts} restarts, seed ${seed}\n` +
      `lost ${summary.lost}, diverged ${summary.diverged}; ${seconds.toFixed(1)} s, ${(summary.rounds / seconds).toFixed(1)} rounds/s\n`,
  );
}
process.exitCode = summary.lost + summary.diverged === 0 ? 0 : 1;
