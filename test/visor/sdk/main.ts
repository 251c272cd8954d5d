/**
 * `npm run visor:sdk -- [--pairs N] [--commit 1s] [--app DIR/NAME|chaind]`: a real chain of the Cosmos SDK (that of embed/go/sdk; `--app` names
 * another one's programs, `NAME-v1` and `NAME-v2` in DIR; `chaind`: our own, under CometBFT) goes through an upgrade by governance, with everything staged, under
 * chainvisor and under stock Cosmovisor 1.5.0 by turns, in the very same environment. Prints the time from the halt to the first
 * new block of each, and medians. Exit 1 if an upgrade was not made or a node was left running by chainvisor.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { cosmovisor } from "../../cosmovisor/supervisor.js";
import { oneUpgrade, type UpgradeResult } from "./one-upgrade.js";
import { appIn, exampleApp, ownApp, type SdkApp } from "./sdk-app.js";
import { SUPERVISORS, type SupervisorName } from "./supervised.js";

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "1" },
    commit: { type: "string", default: "1s" },
    app: { type: "string" },
    only: { type: "string" },
  },
});
const pairs = Number(values.pairs);
const chosen = SUPERVISORS.filter((name) => values.only === undefined || values.only === name);
if (!Number.isSafeInteger(pairs) || pairs < 1 || chosen.length === 0) {
  process.stderr.write(
    "usage: npm run visor:sdk -- [--pairs N] [--commit 1s] [--app DIR/NAME|chaind] [--only chainvisor|cosmovisor]\n",
  );
  process.exit(2);
}
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-visor-sdk-"));
const app = appOf(values.app);
if (!app) throw new Error("the example chain is not built, and Go is missing");
const stock = chosen.includes("cosmovisor") ? cosmovisor() : "";
const results = new Map<SupervisorName, UpgradeResult[]>(chosen.map((name) => [name, []]));
let failed = 0;

for (let pair = 1; pair <= pairs; pair++) {
  // By turns, and every other time the other one first.
  for (const supervisor of pair % 2 ? chosen : [...chosen].reverse()) {
    const home = join(root, `${supervisor}-${pair}`);
    const { commit } = values;
    try {
      const result = await oneUpgrade({ app, home, supervisor, cosmovisor: stock, commit });
      results.get(supervisor)?.push(result);
      // Cosmovisor 1.5 links by the whole path.
      const isLinked = resolve(home, "cosmovisor", result.current) === join(home, "cosmovisor/upgrades/v2");
      const isWrong = !result.upgraded || !isLinked;
      // Cosmovisor is known to leave its node, and to end with 1.
      if (isWrong || (supervisor === "chainvisor" && (result.exit !== 0 || result.leftRunning > 0))) failed++;
      process.stdout.write(`${JSON.stringify({ supervisor, pair, app: app.name, ...result })}\n`);
    } catch (error) {
      failed++;
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
for (const [supervisor, runs] of results) {
  const taken = runs.map(({ firstNewBlock }) => firstNewBlock).sort((a, b) => a - b);
  const middle =
    taken.length % 2
      ? taken[taken.length >> 1]
      : ((taken[taken.length / 2 - 1] ?? 0) + (taken[taken.length / 2] ?? 0)) / 2;
  const left = runs.filter(({ leftRunning }) => leftRunning > 0).length;
  process.stdout.write(
    `${supervisor}: halt to first new block ${taken[0]?.toFixed(3)} to ${taken.at(-1)?.toFixed(3)} s, median ${middle?.toFixed(3)} s, ` +
      `${runs.length} of ${pairs} upgrades; exits ${[...new Set(runs.map(({ exit }) => exit))].join(", ")}, node left running ${left} times\n`,
  );
}
rmSync(root, { recursive: true, force: true });

function appOf(name: string | undefined): SdkApp | undefined {
  if (name === undefined) return exampleApp();
  return name === "chaind" ? ownApp(root) : appIn(dirname(name), basename(name));
}
process.exitCode = failed > 0 ? 1 : 0;
