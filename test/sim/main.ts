/**
 * `npm run sim -- --rounds N --seed S [--json]`: processes that are killed, power that goes, disks that fail
 * or are full, over an upgrade. Exit 1 if anything was lost or diverged.
 * `--only K` runs round K of such a run alone, `--kind` rounds of one kind, `--scene` of one scene.
 */
import { parseArgs } from "node:util";
import { SCENES } from "./scenes.js";
import { ROUND_KINDS, type RoundKind, simulate } from "./simulate.js";

const ROUNDS_DEFAULT = 200;
/** A line of progress after as many rounds. */
const PROGRESS_ROUNDS = 250;

function usage(message: string): never {
  process.stderr.write(
    `${message}\nusage: npm run sim -- [--rounds N] [--seed S] [--only K] [--kind kill|replay|EIO|ENOSPC|SIGTERM] [--scene NAME] [--json]\n`,
  );
  process.exit(2);
}

function readOptions() {
  const options = {
    rounds: { type: "string", default: String(ROUNDS_DEFAULT) },
    seed: { type: "string", default: String(Date.now()) },
    only: { type: "string" },
    kind: { type: "string" },
    scene: { type: "string" },
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

function kindOf(text: string): RoundKind {
  return ROUND_KINDS.find((kind) => kind === text) ?? usage(`--kind must be one of ${ROUND_KINDS.join(", ")}`);
}

const { rounds, seed, only, kind, scene, json } = readOptions();
if (scene && !SCENES.some(({ name }) => name === scene)) {
  usage(`--scene must be one of ${SCENES.map(({ name }) => name).join(", ")}`);
}
const total = count(rounds, "rounds");
const begun = performance.now();

/** A campaign takes hours: a line says how far it is. */
function showProgress(ended: number): void {
  if (ended % PROGRESS_ROUNDS !== 0 || ended === total) return;
  const seconds = (performance.now() - begun) / 1_000;
  const minutesLeft = Math.ceil(((total - ended) * seconds) / ended / 60);
  process.stderr.write(`${ended} of ${total} rounds, about ${minutesLeft} min left\n`);
}

const { summary, roundsByScene, roundsByKind, milliseconds } = await simulate({
  rounds: total,
  seed,
  only: only === undefined ? undefined : count(only, "only"),
  ...(kind === undefined ? {} : { kind: kindOf(kind) }),
  ...(scene === undefined ? {} : { scenes: [scene] }),
  onDamage: (text) => process.stderr.write(`${text}\n`),
  onRound: showProgress,
});
if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
else {
  const scenes = [...roundsByScene].sort().map(([name, times]) => `${times} ${name}`);
  const kinds = [...roundsByKind].map(([name, times]) => `${times} ${name}`);
  const moments = Object.entries(summary.moments).map(([phase, times]) => `${times} ${phase}`);
  const seconds = milliseconds / 1_000;
  process.stdout.write(
    `${summary.rounds} rounds (${scenes.join(", ")}), ${summary.kills} kills, ${summary.restarts} restarts, seed ${seed}\n` +
      `${kinds.join(", ")}; ${summary.refusals} ended by the disk (${summary.aborts} in LMDB), ${summary.stopped} by SIGTERM; moments: ${moments.join(", ")}\n` +
      `lost ${summary.lost}, diverged ${summary.diverged}; ${seconds.toFixed(1)} s, ${(summary.rounds / seconds).toFixed(1)} rounds/s\n`,
  );
}
process.exitCode = summary.lost + summary.diverged === 0 ? 0 : 1;
