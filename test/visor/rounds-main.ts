/**
 * `npm run visor:rounds -- [--rounds N] [--seed S] [--only K] [--json]`: whole upgrades by the sidecar over a disk that fails, fills
 * up and forgets, with deaths of the sidecar, of the node and of the power at seeded calls of files and moments. Exit 1 if a block
 * was lost, made by a wrong program or differs from an undisturbed run's; `--only K` repeats round K of a seed, with its log.
 */
import { parseArgs } from "node:util";
import { deathsOf, missed, runCampaign } from "./beds/campaign.js";
import { ignoreTheDead } from "./beds/model-machine.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now()) },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const count = (text: string) => (/^[0-9]{1,7}$/.test(text) ? Number(text) : usage());
function usage(): never {
  process.stderr.write("usage: npm run visor:rounds -- [--rounds N] [--seed S] [--only K] [--json]\n");
  process.exit(2);
}
const rounds = count(values.rounds);
const only = values.only === undefined ? undefined : count(values.only);
const begun = performance.now();
const PROGRESS_ROUNDS = 500;

ignoreTheDead();
const result = await runCampaign({
  ...{ rounds, seed: values.seed, only },
  onFailure: (text, log) => {
    process.stderr.write(`${text}\n`);
    if (only !== undefined) process.stderr.write(`${log.join("\n")}\n`);
  },
  onRound: (ended) => {
    const seconds = (performance.now() - begun) / 1_000;
    if (ended % PROGRESS_ROUNDS === 0) process.stderr.write(`${ended} of ${rounds} rounds, ${seconds.toFixed(0)} s\n`);
  },
});
const { mishaps, calls, lives, upgrades, blocks, failed } = result;
const notHit = missed(calls);
if (values.json) {
  const summary = {
    ...result,
    seed: values.seed,
    mishaps: Object.fromEntries(mishaps),
    calls: calls.size,
    missed: notHit,
  };
  process.stdout.write(`${JSON.stringify(summary)}\n`);
} else {
  const seconds = (performance.now() - begun) / 1_000;
  process.stdout.write(
    `${result.rounds} rounds, ${upgrades} upgrades, ${blocks} blocks, ${lives} starts of the sidecar, seed ${values.seed}; ${seconds.toFixed(1)} s\n` +
      `${deathsOf(mishaps)} deaths and ${[...mishaps].map(([name, times]) => `${times} ${name}`).join(", ")}\n` +
      `${calls.size} kinds of file calls; not hit: ${notHit.length === 0 ? "none" : `${notHit.length} of their effects`}\n` +
      `${failed} rounds failed\n`,
  );
}
process.exitCode = failed > 0 ? 1 : 0;
