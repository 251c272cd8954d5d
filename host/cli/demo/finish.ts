/** The end of the job: what was counted at its beginning is counted again. */

import { isUpgradeError } from "../../base/errors/errors.js";
import { toUpperHex } from "../../base/text/bytes.js";
import type { Chain } from "../../chain/app/chain.js";
import { verifyHome } from "../offline/verify.js";
import { amounts, type Count, countChain } from "./count.js";
import type { Show } from "./events.js";
import { openJob } from "./open-job.js";
import { askModules } from "./queries-after.js";

/** Counts again and compares. */
export async function finish(chain: Chain, home: string, before: Count, show: Show): Promise<boolean> {
  const verified = hashedAgain(home);
  const open = openJob(chain, home);
  try {
    const after = countChain(open.node.app);
    const { app } = open.node;
    const view = app.multiStore.at(app.lastCommitID.version);
    const checks = [
      { name: "supply", ok: sameAmounts(amounts(before.supply), amounts(after.supply)) },
      { name: "accounts", ok: before.accounts === after.accounts },
      { name: "balances", ok: before.balances === after.balances },
      { name: "app-hash", ok: verified === toUpperHex(view.appHash) },
      ...(await askModules(chain, open)),
    ];
    const ok = checks.every((check) => check.ok);
    show({
      event: "done",
      ok,
      supply: amounts(after.supply),
      accounts: String(after.accounts),
      balances: String(after.balances),
      checks,
      skipped: [],
    });
    return ok;
  } finally {
    open.close();
  }
}

/** App hash of a database whose every page, leaf and block was hashed again; undefined: it is not sound. */
function hashedAgain(home: string): string | undefined {
  try {
    return verifyHome(home, () => undefined).app_hash;
  } catch (error) {
    if (isUpgradeError(error) && error.code === "UPG_STORE_CORRUPT") return undefined;
    throw error;
  }
}

function sameAmounts(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const denoms = Object.keys(a);
  return denoms.length === Object.keys(b).length && denoms.every((denom) => a[denom] === b[denom]);
}
