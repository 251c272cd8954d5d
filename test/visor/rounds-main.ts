/**
 * `npm run visor:rounds -- [--real] [--rounds N] [--seed S] [--only K] [--json]`: whole upgrades by the sidecar over a disk that fails, fills
 * up and forgets, with deaths of the sidecar, of the node and of the power at seeded calls of files and moments. Exit 1 if a block
 * was lost, made by a wrong program or differs from an undisturbed run's; `--only K` repeats round K of a seed, with its log.
 * `--real`: with processes, `chainvisor` over two versions of `chaind`, killed at seeded moments (100 rounds by default).
 */
import { parseArgs } from "node:util";
import { deathsOf, missed, runCampaign } from "./beds/campaign.js";
import { ignoreTheDead } from "./beds/model-machine.js";
import { runRealCampaign } from "./real/campaign.js";

const { values } = parseArgs({
  options: {
    real: { type: "boolean", default: false },
    rounds: { type: "string" },
    seed: { type: "string", default: String(Date.now()) },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const count = (text: string) => (/^[0-9]{1,7}$/.test(text) ? Number(text) : usage());
function usage(): never {
  process.stderr.write("usage: npm run visor:rounds -- [--real] [--rounds N] [--seed S] [--only K] [--json]\n");
  process.exit(2);
}
const rounds = count(values.rounds ?? (values.real ? "100" : "1000"));
const only = values.only === undefined ? undefined : count(values.only);
const begun = performance.now();
const PROGRESS_ROUNDS = values.real ? 10 : 500;
const seconds = () => (performance.now() - begun) / 1_000;

const options = {
  ...{ rounds, seed: values.seed, only },
  onFailure: (text: string, log: readonly string[]) => {
    process.stderr.write(`${text}\n`);
    if (only !== undefined) process.stderr.write(`${log.join("\n")}\n`);
  },
  onRound: (ended: number) => {
    if (ended % PROGRESS_ROUNDS === 0)
      process.stderr.write(`${ended} of ${rounds} rounds, ${seconds().toFixed(0)} s\n`);
  },
};

async function inMemory(): Promise<number> {
  ignoreTheDead();
  const result = await runCampaign(options);
  const { mishaps, calls, lives, upgrades, blocks, failed } = result;
  const notHit = missed(calls);
  if (values.json) {
    const summary = {
      ...{ ...result, seed: values.seed, mishaps: Object.fromEntries(mishaps) },
      ...{ calls: calls.size, missed: notHit },
    };
    process.stdout.write(`${JSON.stringify(summary)}\n`);
  } else {
    process.stdout.write(
      `${result.rounds} rounds, ${upgrades} upgrades, ${blocks} blocks, ${lives} starts of the sidecar, seed ${values.seed}; ${seconds().toFixed(1)} s\n` +
        `${deathsOf(mishaps)} deaths and ${[...mishaps].map(([name, times]) => `${times} ${name}`).join(", ")}\n` +
        `${calls.size} kinds of file calls; not hit: ${notHit.length === 0 ? "none" : `${notHit.length} of their effects`}\n` +
        `${failed} rounds failed\n`,
    );
  }
  return failed;
}

async function withProcesses(): Promise<number> {
  const result = await runRealCampaign(options);
  const { lives, starts, kills, failed } = result;
  if (values.json) process.stdout.write(`${JSON.stringify({ ...result, seed: values.seed })}\n`);
  else {
    const killed = Object.entries(kills).map(([name, times]) => `${times} ${name}`);
    process.stdout.write(
      `${result.rounds} rounds with processes, ${lives} starts of the sidecar, ${starts} of nodes, seed ${values.seed}; ${seconds().toFixed(1)} s\n` +
        `killed: ${killed.join(", ")}\n${failed} rounds failed\n`,
    );
  }
  return failed;
}

const failed = await (values.real ? withProcesses() : inMemory());
// What sidecars that were killed in a download have left are timers of hours.
process.exit(failed > 0 ? 1 : 0);
