/**
 * A start at the height of the scheduled plan, rehearsed on what a home has committed: the stores that it would open, with
 * the store upgrades made, and what the upgrade block refuses before it runs the handler. Everything goes to memory.
 */

import { upgradeFiles } from "../../base/files/atomic-file.js";
import { sha256 } from "../../base/native/sha256.js";
import type { Plan } from "../../base/types/types.js";
import { App } from "../../chain/app/app.js";
import type { Chain } from "../../chain/app/chain.js";
import type { GenesisFacts } from "../../chain/app/genesis/genesis-facts.js";
import type { Home } from "../../node/home/home.js";
import { stagedHandlers, type VersionsAndHandlers } from "../../node/home/versions-and-handlers.js";
import type { Database } from "../../state/store/disk/database.js";
import { MemoryDatabase } from "../../state/store/disk/memory-database.js";
import { OverlayDatabase } from "../../state/store/disk/overlay-database.js";
import { Core } from "../../upgrade/core/core.js";
import { judgeUpgrade } from "../../upgrade/module/handler-readiness.js";
import type { RegisteredHandler } from "../../upgrade/module/upgrade-handler.js";

export interface RehearsalFacts extends VersionsAndHandlers {
  readonly home: Home;
  readonly genesis: GenesisFacts;
  /** One more folder of staged handlers. */
  readonly staged: string | undefined;
  readonly say: (line: string) => void;
}

/**
 * The app as `start` opens it now, or, `asAtPlan`, as it would at the height of a plan whose handler is here.
 * @throws Halt; UpgradeError UPG_STORE_UPGRADE, UPG_INVALID_GENESIS, UPG_HANDLER_*
 */
export function openRehearsal(chain: Chain, below: Database, facts: RehearsalFacts, asAtPlan: boolean): App {
  const { home, genesis, versions, handlers, staged, say } = facts;
  const log = (_: string, message: string) => say(message);
  const waiting = stagedHandlers({ chain, home, folder: staged, versions, log });
  const files = { ...upgradeFiles(home.dataFolder), write: () => undefined, remove: () => undefined };
  const database = new OverlayDatabase(below, new MemoryDatabase());
  const app = new App({
    ...{ chain, database, sha256, core: new Core(), genesis, versions, files, log, asAtPlan },
    staged: () => waiting.look(),
  });
  for (const { handler, isOfHome } of handlers) app.keeper.setWasmHandler(handler, { isOfHome });
  app.load();
  return app;
}

/**
 * Makes the checks of the upgrade block whose results do not depend on the handler's run, on the present versions and stores.
 * @param app opened as at the plan
 * @throws UpgradeError UPG_HANDLER_LAYOUT, UPG_MIGRATION_VERSION_MAP, UPG_INVALID_*
 */
export function rehearseUpgrade({ keeper, multiStore, nextHeight }: App, plan: Plan, handler: RegisteredHandler): void {
  const height = plan.height > nextHeight ? plan.height : nextHeight;
  judgeUpgrade(keeper, multiStore.loaded(), { plan, handler, height });
}
