/**
 * Makes every check that `start` would make, up to the next plan's height, on what the home has committed; nothing is
 * written. A node may run in the home meanwhile.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { App } from "../../chain/app.js";
import type { GenesisFacts } from "../../chain/genesis.js";
import { genesisVersion, targetOf } from "../../chain/start.js";
import { Core } from "../../core/core.js";
import { upgradeFiles } from "../../engine/atomic-file.js";
import { keptOrFile, requireHome } from "../../engine/begun-genesis.js";
import { readConsensusKey } from "../../engine/consensus-key.js";
import { Home } from "../../engine/home.js";
import { LastSigned } from "../../engine/last-signed.js";
import { sha256 } from "../../engine/node-crypto.js";
import { checkDatabase } from "../../engine/start-checks.js";
import { stagedHandlers, type VersionsAndHandlers, versionsAndHandlers } from "../../engine/versions-and-handlers.js";
import { isUpgradeError } from "../../errors.js";
import { requireLayout } from "../../handler/sandbox.js";
import { CommitMultiStore } from "../../store/commit-multi-store.js";
import { MemoryDatabase } from "../../store/memory-database.js";
import type { Height, Plan } from "../../types.js";
import { guardBefore } from "../../upgrade/guards.js";
import { declaredVersions, type RegisteredHandler } from "../../upgrade/handlers.js";
import { requireKnownVersions } from "../../upgrade/hooks.js";
import { UPGRADE_STORE } from "../../upgrade/keeper.js";
import { OverlayDatabase } from "../handler/overlay-database.js";
import { openShared } from "./home-database.js";

/** The sidecars' statuses. */
const GO_ON = 0;
const GIVE_UP = 30;
const TRY_AGAIN = 31;

export interface PreUpgradeFlags {
  readonly handlers?: string | undefined;
  readonly handlersStaged?: string | undefined;
}

interface Facts extends VersionsAndHandlers {
  readonly home: Home;
  readonly genesis: GenesisFacts;
}

export function preUpgrade(path: string, flags: PreUpgradeFlags, say: (line: string) => void): number {
  try {
    return check(new Home(path), flags, say);
  } catch (error) {
    const code = isUpgradeError(error) ? ` [${error.code}]` : "";
    say(`Error: ${error instanceof Error ? error.message : String(error)}${code}`);
    return isUpgradeError(error) && error.code === "UPG_STORE_LOCKED" ? TRY_AGAIN : GIVE_UP;
  }
}

function check(home: Home, flags: PreUpgradeFlags, say: (line: string) => void): number {
  const folder = flags.handlers ?? fileURLToPath(new URL("handlers", import.meta.url));
  requireHome(home);
  readConsensusKey(home.validatorKeyFile);
  const brought = versionsAndHandlers(home, folder, undefined);
  if (!existsSync(home.databaseFile)) {
    const { genesis, begin } = keptOrFile(home, undefined);
    requireKeyGoesOn(home, genesis.initialHeight - 1n);
    genesisVersion(genesis, brought.versions);
    begin?.check((_, message) => say(message));
    return GO_ON;
  }
  const { database: below, isRunning, close } = openShared(home);
  try {
    // Of a database that another process writes to, that process has checked this when it started.
    const committed = isRunning ? undefined : checkDatabase(home.databaseFile, (_, message) => say(message));
    const facts: Facts = { home, ...keptOrFile(home, below), ...brought };
    if (!isRunning) requireKeyGoesOn(home, committed ?? facts.genesis.initialHeight - 1n);
    const app = openApp(new OverlayDatabase(below, new MemoryDatabase()), facts, { staged: flags.handlersStaged, say });
    const { plan } = app;
    if (!plan) return GO_ON;
    const isDue = plan.height <= app.nextHeight;
    const obstacle = obstacleOf(app, plan, isDue);
    if (obstacle !== undefined) {
      say(`Error: ${obstacle}`);
      return GIVE_UP;
    }
    const { handler } = app.keeper.findHandler(plan);
    if (handler && app.keeper.handlerState(plan) === "ready") {
      checkHandler(app, plan, handler);
      if (!isDue) checkStores(new OverlayDatabase(below, new MemoryDatabase()), app, { plan, handler, facts });
    }
    if (!isRunning || !isDue) return GO_ON;
    say("another process has the home open, and this binary can take over when it has ended: try again");
    return TRY_AGAIN;
  } finally {
    close();
  }
}

/** @throws UpgradeError UPG_STORE_SIGNED when the key has signed more blocks than the database has */
function requireKeyGoesOn(home: Home, last: Height): void {
  new LastSigned(home.lastSignedFile).requireGoesOn(last, home.databaseFile);
}

/** As `start` opens it, over a database whose changes are forgotten. */
function openApp(
  database: OverlayDatabase,
  { home, genesis, versions, handlers }: Facts,
  { staged, say }: { readonly staged: string | undefined; readonly say: (line: string) => void },
): App {
  const log = (_: string, message: string) => say(message);
  const waiting = stagedHandlers({ home, folder: staged, versions, log });
  const files = { ...upgradeFiles(home), write: () => undefined, remove: () => undefined };
  const app = new App({
    ...{ database, sha256, core: new Core(), genesis, versions, files, log },
    staged: () => waiting.look(),
  });
  for (const { handler, isOfHome } of handlers) app.keeper.setWasmHandler(handler, { isOfHome });
  app.load();
  return app;
}

/** Why the next block would halt this binary, or its plan could not be applied; undefined when it would not. */
function obstacleOf({ keeper, nextHeight }: App, plan: Plan, isDue: boolean): string | undefined {
  const { state, isStaged, problem } = keeper.findHandler(plan);
  if (isDue) {
    if (state === "ready") return undefined;
    return state === "absent" ? `the plan "${plan.name}" is due, and this binary has no handler for it` : problem;
  }
  if (state !== "ready" || isStaged) return undefined;
  return (
    `the plan "${plan.name}" is due at height ${plan.height}, and the next block is ${nextHeight}: this binary comes too early; ` +
    "a handler that is to wait lies in <home>/handlers/staged"
  );
}

/** What the upgrade block would refuse before it runs the handler, on the versions and stores as they are now. */
function checkHandler(app: App, plan: Plan, handler: RegisteredHandler): void {
  const { keeper, multiStore } = app;
  const { core } = keeper;
  const upgrade = multiStore.branch().store(UPGRADE_STORE);
  const stored = core.versionMap(upgrade);
  if (handler.wasm) requireLayout(handler.wasm.manifest, stored);
  guardBefore(handler, stored, multiStore.loaded());
  if (!handler.wasm) return;
  const declared = declaredVersions(handler.wasm, stored, { versionMap: undefined });
  requireKnownVersions(keeper, plan, { handler, before: stored, after: declared });
  const isAhead = plan.height > app.nextHeight;
  core.apply(
    upgrade,
    isAhead ? plan.height : app.nextHeight,
    core.planBytes(upgrade) ?? new Uint8Array(),
    declared,
    handler.removes,
  );
}

/** The stores that the plan's version opens, made from those that are there. */
function checkStores(
  database: OverlayDatabase,
  { keeper }: App,
  { plan, handler, facts }: { readonly plan: Plan; readonly handler: RegisteredHandler; readonly facts: Facts },
): void {
  const multiStore = new CommitMultiStore(database, { sha256 });
  const stores = multiStore.at(multiStore.lastCommitID.version);
  multiStore.mount(...targetOf(keeper, stores, { ...facts, plan, handler }).stores);
  multiStore.loadLatestVersion(handler.storeUpgrades);
}
