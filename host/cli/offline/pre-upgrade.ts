/**
 * Makes every check that `start` would make at the next plan's height, on what the home has committed; nothing is written.
 * A node may run in the home meanwhile, and the height may be far away.
 */

import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { requireKnownSettings } from "../../base/terminal/known-settings.js";
import { completeText } from "../../base/text/program-text.js";
import { visible } from "../../base/text/visible.js";
import type { Height, Plan } from "../../base/types/types.js";
import type { App } from "../../chain/app/app.js";
import type { Chain } from "../../chain/app/chain.js";
import { engineMark } from "../../chain/app/engine-port.js";
import { genesisVersion } from "../../chain/app/start.js";
import { BlockStore } from "../../node/blocks/block-store.js";
import { setsAfter } from "../../node/blocks/deciding-sets.js";
import { LastSigned } from "../../node/blocks/last-signed.js";
import { ValidatorStore } from "../../node/blocks/validator-store.js";
import { keptOrFile, requireHome } from "../../node/home/begun-genesis.js";
import { type ConsensusKey, readConsensusKey } from "../../node/home/consensus-key.js";
import { Home } from "../../node/home/home.js";
import { roomLine, upgradeRoom } from "../../node/home/upgrade-room.js";
import { versionsAndHandlers } from "../../node/home/versions-and-handlers.js";
import { openShared } from "../../node/open/home-database.js";
import { checkDatabase, requireEngine } from "../../node/open/start-checks.js";
import type { Database } from "../../state/store/disk/database.js";
import { lastVersionOf } from "../../state/store/disk/fenced-database.js";
import { lastEngine, readCommit } from "../../state/store/versions/commit-record.js";
import { stageCommand } from "../../upgrade/module/stage-command.js";
import { readNodeId } from "../flags/key-files.js";
import type { StartSettings } from "../flags/start-settings.js";
import { openRehearsal, type RehearsalFacts, rehearseUpgrade } from "./rehearsal.js";
import { hiddenBy, requireBlockMade } from "./start-judgement.js";

/** The sidecars' statuses. */
const GO_ON = 0;
const GIVE_UP = 30;
const TRY_AGAIN = 31;

export interface PreUpgradeFlags {
  readonly handlers?: string | undefined;
  readonly handlersStaged?: string | undefined;
  readonly handlerDiskMax?: number | undefined;
  /** Names that app.toml may have: `start` refuses others. Undefined: not looked at. */
  readonly settings?: readonly string[];
  /** What `start` would run with. Undefined: with its defaults. */
  readonly start?: () => StartSettings;
}

type Say = (line: string) => void;

export function preUpgrade(chain: Chain, path: string, flags: PreUpgradeFlags, say: Say): number {
  const complete: Say = (line) => say(completeText(line, chain.name));
  try {
    return check(chain, new Home(path), flags, complete);
  } catch (error) {
    const code = isUpgradeError(error) ? ` [${error.code}]` : "";
    complete(`Error: ${messageOf(error)}${code}`);
    return isUpgradeError(error) && error.code === "UPG_STORE_LOCKED" ? TRY_AGAIN : GIVE_UP;
  }
}

function check(chain: Chain, home: Home, flags: PreUpgradeFlags, say: Say): number {
  requireHome(home);
  if (flags.settings) requireKnownSettings(home.path, "app", flags.settings);
  const start = flags.start?.();
  const folder = flags.handlers ?? start?.handlers ?? chain.handlers;
  const brought = versionsAndHandlers(chain, home, folder, start?.appVersion);
  // `start` makes one that is missing.
  if (existsSync(home.nodeKeyFile)) readNodeId(home.nodeKeyFile);
  // Written at the height, for the sidecar that switches there.
  for (const file of [join(home.dataFolder, "upgrade-info.json"), home.haltFile]) requireReplaceable(file);
  if (!home.hasDatabase) {
    readConsensusKey(home.validatorKeyFile);
    const { genesis, begin } = keptOrFile(chain, home, undefined);
    requireKeyGoesOn(home, genesis.initialHeight - 1n);
    genesisVersion(genesis, brought.versions);
    begin?.check((_, message) => say(message));
    say("no block has been made yet: this binary can begin the chain");
    return GO_ON;
  }
  const { database, isRunning, close } = openShared(home);
  try {
    // Of a database that another process writes to, that process has checked this when it started.
    const committed = isRunning ? undefined : checkDatabase(home.databaseFile, undefined, (_, message) => say(message));
    const { genesis } = keptOrFile(chain, home, database);
    const state = readCommit(database, lastVersionOf(database));
    if (state && start?.engine) requireEngine(state, start.engine, home.path);
    // CometBFT keeps a record of its own of what its key signed; the key may be in another process.
    const isEmbedded = lastEngine(database) === engineMark("embedded");
    const key = isEmbedded ? readConsensusKey(home.validatorKeyFile) : undefined;
    if (!isRunning && key) {
      requireKeyGoesOn(home, committed ?? genesis.initialHeight - 1n);
      requireKeyOfLastBlock(home, database, key);
    }
    const staged = flags.handlersStaged ?? start?.staged;
    const facts: RehearsalFacts = { home, genesis, ...brought, staged, say };
    const app = openedAtPlan(chain, database, facts);
    const { plan } = app;
    if (start) requireBlockMade(plan, { home: home.path, next: app.nextHeight, start, isRunning });
    if (!plan) {
      say("no plan is scheduled: this binary can go on");
      return GO_ON;
    }
    sayRoom(home, flags, plan, say);
    const hidden = start ? hiddenBy(chain, plan, start) : "";
    if (plan.height <= app.nextHeight) return verdictAtHeight(app, plan, { isRunning, hidden, say });
    const { waits } = app.keeper.findHandler(plan);
    // One that waits is passed over until the height, so the same program may be started now.
    if (waits) openRehearsal(chain, database, facts, false);
    return verdictAhead(app, plan, { ...facts, hidden });
  } finally {
    close();
  }
}

/** An error that only the plan's upgrade has is marked, since this binary can run the state. @throws as `openRehearsal` */
function openedAtPlan(chain: Chain, database: Database, facts: RehearsalFacts): App {
  try {
    return openRehearsal(chain, database, facts, true);
  } catch (error) {
    const { plan, nextHeight } = openedAsItIs(chain, database, facts) ?? {};
    if (!isUpgradeError(error) || !plan || !nextHeight || plan.height <= nextHeight) throw error;
    // Sidecars look for these words (visor/stage/other-program.ts).
    const message = `${dueText(plan, nextHeight)}: the upgrade cannot be made there: ${messageOf(error)}`;
    throw new UpgradeError(error.code, message, { cause: error });
  }
}

/** Returns `undefined` if this binary cannot run the state. */
function openedAsItIs(chain: Chain, database: Database, facts: RehearsalFacts): App | undefined {
  try {
    return openRehearsal(chain, database, { ...facts, say: () => undefined }, false);
  } catch {
    return undefined;
  }
}

const dueText = ({ name, height }: Plan, next: Height): string =>
  `the plan "${visible(name)}" is due at height ${height}, and the next block is ${next}`;

/** @throws UpgradeError UPG_STORE_IO: a folder is in the place of the file */
function requireReplaceable(file: string): void {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) return;
  const what = `${file} is a folder, and the node writes a file of that name at the upgrade's height: remove the folder`;
  throw new UpgradeError("UPG_STORE_IO", what);
}

/** @throws UpgradeError UPG_STORE_SIGNED when the key has signed more blocks than the database has */
function requireKeyGoesOn(home: Home, last: Height): void {
  new LastSigned(home.lastSignedFile).requireGoesOn(last, home.databaseFile);
}

/** @throws UpgradeError UPG_STORE_SIGNED when it signed another last block, UPG_INVALID_CONFIG when another key decides the next */
function requireKeyOfLastBlock(home: Home, database: Database, { publicKey }: ConsensusKey): void {
  const last = new BlockStore(database).latest();
  if (!last) return;
  new LastSigned(home.lastSignedFile).requireSameBlock(last, home.databaseFile);
  setsAfter(sha256, publicKey, last, { store: new ValidatorStore(database), given: undefined });
}

/** A full disk would cost time and nothing else, so it is a warning. */
function sayRoom(home: Home, { handlerDiskMax }: PreUpgradeFlags, { name }: Plan, say: Say): void {
  const room = upgradeRoom(home, handlerDiskMax);
  const line = room && roomLine(room, name, home.path);
  if (line) say(line.isShort ? `warning: ${line.text}` : line.text);
}

interface AtHeight {
  readonly isRunning: boolean;
  /** The setting that hides the plan's version, if one does. */
  readonly hidden: string;
  readonly say: Say;
}

/** The next block is the upgrade's. */
function verdictAtHeight(app: App, plan: Plan, { isRunning, hidden, say }: AtHeight): number {
  const { state, problem, others, handler } = app.keeper.findHandler(plan);
  if (state !== "ready" || !handler) {
    const none = `the plan "${visible(plan.name)}" is due, and this binary has no handler for it${visible(others)}${hidden}`;
    if (state === "absent") throw new UpgradeError("UPG_HALT_UPGRADE_NEEDED", none);
    throw new UpgradeError(state === "ambiguous" ? "UPG_HANDLER_DUPLICATE" : "UPG_HANDLER_HASH", problem);
  }
  rehearseUpgrade(app, plan, handler);
  if (!isRunning) {
    say(
      `the plan "${visible(plan.name)}" is due in the next block, ${app.nextHeight}: this binary can take over; start it`,
    );
    return GO_ON;
  }
  say("another process has the home open, and this binary can take over when it has ended: try again");
  return TRY_AGAIN;
}

/** The upgrade is still ahead: what a start would do there, and what it would do now. */
function verdictAhead(
  app: App,
  plan: Plan,
  { home, handlers, say, hidden }: RehearsalFacts & Pick<AtHeight, "hidden">,
): number {
  const { state, problem, handler, waits } = app.keeper.findHandler(plan);
  const due = dueText(plan, app.nextHeight);
  if (state !== "ready" || !handler) {
    say(`${due}: this binary can go on until then, not beyond: ${problem}${hidden}`);
    return GO_ON;
  }
  rehearseUpgrade(app, plan, handler);
  const own = handlers.find((each) => each.isOfHome && each.handler === handler.wasm);
  if (own && !waits) {
    const move = stageCommand(home.stagedFolder, own.file);
    const text = `${due}: with its handler in ${home.handlersFolder} every binary comes too early (exit 11); stage it: ${move}`;
    throw new UpgradeError("UPG_HALT_BINARY_TOO_EARLY", text);
  }
  say(
    waits
      ? `${due}: this binary can go on, and apply the upgrade at the height`
      : `${due}: this binary can take over at the height; started before it, it comes too early and ends with 11`,
  );
  return GO_ON;
}
