/**
 * A home that this process holds: locked, its configuration read. `open` brings up the chain in it; until `close` the
 * home is this process's to write to, also when the chain could not be brought up.
 */

import { existsSync, statSync } from "node:fs";
import { assert, isUpgradeError, messageOf } from "../../base/errors/errors.js";
import { upgradeFiles } from "../../base/files/atomic-file.js";
import { removeDeadTemporaries } from "../../base/files/dead-temporaries.js";
import { hasFileLocks } from "../../base/files/file-lock.js";
import { sha256 } from "../../base/native/sha256.js";
import { completedLog } from "../../base/text/program-text.js";
import type { CommitID, Height } from "../../base/types/types.js";
import { App, type AppOptions } from "../../chain/app/app.js";
import type { Chain } from "../../chain/app/chain.js";
import { type EngineName, engineMark } from "../../chain/app/engine-port.js";
import { genesisParams } from "../../chain/app/genesis/consensus-params.js";
import type { GenesisFacts } from "../../chain/app/genesis/genesis-facts.js";
import { genesisVersion } from "../../chain/app/start.js";
import { LmdbDatabase } from "../../state/store/disk/lmdb-database.js";
import { WitnessReleases } from "../../state/store/disk/witness-on-disk.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { readCommit } from "../../state/store/versions/commit-record.js";
import { Core } from "../../upgrade/core/core.js";
import type { HandlerState } from "../../upgrade/module/handler-set.js";
import { type StoredPlans, storedPlans } from "../../upgrade/module/stored-plans.js";
import type { ChainFacts } from "../blocks/block-maker.js";
import { BlockStore } from "../blocks/block-store.js";
import { LastSigned, requireNotLost } from "../blocks/last-signed.js";
import { endRollback } from "../blocks/rollback-note.js";
import { EmbeddedNode } from "../embedded/embedded-node.js";
import { type BegunGenesis, keptOrFile, requireHome, watchGenesisFile } from "../home/begun-genesis.js";
import { type ConsensusKey, readConsensusKey } from "../home/consensus-key.js";
import type { GenesisDigest } from "../home/genesis-record.js";
import { keepReserve, lendFromReserve } from "../home/halt-file.js";
import type { HandlerFile } from "../home/handlers-folder.js";
import { Home } from "../home/home.js";
import { HomeLock } from "../home/home-lock.js";
import { nodeVerifySignature } from "../home/node-signatures.js";
import { readinessOf, sayReadiness } from "../home/readiness.js";
import { roomLine, upgradeRoom } from "../home/upgrade-room.js";
import { stagedHandlers, versionsAndHandlers } from "../home/versions-and-handlers.js";
import type { ChainPosition, HoldOptions, OpenApp, OpenNodeOptions } from "./open-options.js";
import { checkDatabase } from "./start-checks.js";

const NO_FILE_LOCKS =
  "this platform has no build of fs-native-extensions, so the kernel does not lock the home: a second node in another " +
  "container is noticed only when it commits. See that one node alone uses this home";

/** The database of a home, before anything is opened on it. */
interface FoundChain {
  /** There was none, or one without a first write. */
  readonly isNew: boolean;
  /** Height of the last block; undefined before the first. */
  readonly committed: Height | undefined;
  readonly begun: BegunGenesis;
}

export class OpenHome {
  #database: LmdbDatabase | undefined;
  #app: App | undefined;
  #genesis: BegunGenesis | undefined;
  #ofHome: readonly HandlerFile[] = [];
  readonly #closing = new AbortController();

  private constructor(
    readonly home: Home,
    readonly engine: EngineName,
    private readonly options: HoldOptions,
    private readonly lock: HomeLock,
    private readonly embedded: { readonly options: OpenNodeOptions; readonly key: ConsensusKey } | undefined,
  ) {}

  /** For the embedded engine. @throws UpgradeError UPG_STORE_LOCKED, UPG_STORE_IO, UPG_STORE_SIGNED, UPG_INVALID_CONFIG */
  static hold(given: OpenNodeOptions): OpenHome {
    const options = { ...given, log: completedLog(given.log, given.chain.name) };
    const home = new Home(options.home);
    requireHome(home);
    const key = readConsensusKey(home.validatorKeyFile);
    return new OpenHome(home, "embedded", options, lockHome(home, options.log), { options, key });
  }

  /** For CometBFT, which has keys, clock and blocks of its own. @throws as `hold` */
  static holdForComet(given: HoldOptions): OpenHome {
    const options = { ...given, log: completedLog(given.log, given.chain.name) };
    const home = new Home(options.home);
    requireHome(home);
    return new OpenHome(home, "cometbft", options, lockHome(home, options.log), undefined);
  }

  /**
   * Brings up the chain with the embedded engine.
   * @throws Halt; UpgradeError UPG_INVALID_GENESIS, UPG_INVALID_ARGUMENT, UPG_HANDLER_*, UPG_STORE_*
   */
  open(): EmbeddedNode {
    assert(this.embedded, "a home of CometBFT has no embedded node");
    const { options, key } = this.embedded;
    const { clock, log, isEngineAssumed = false } = options;
    const found = this.#findChain();
    const lastSigned = this.#lastSigned(found);
    const { app, database, genesis, alongsideFirst } = this.#openApp(found);
    const mempool = options.mempool ? { mempool: options.mempool } : {};
    const blocks = options.blocks ? { blocks: options.blocks } : {};
    const first = alongsideFirst ? { alongsideFirst } : {};
    const parts = { app, database, sha256, facts: chainFacts(genesis), clock, key, lastSigned, log };
    const engineAssumedIn = isEngineAssumed ? this.home.path : undefined;
    const node = new EmbeddedNode({ ...parts, engineAssumedIn, ...mempool, ...blocks, ...first });
    this.sayReadiness(node);
    return node;
  }

  /** Brings up the chain for an engine in another process. @throws as `open` */
  openApp(): OpenApp {
    return this.#openApp(this.#findChain());
  }

  /** Of the plan that is scheduled; undefined: none is. */
  handlerState(app: App): HandlerState | undefined {
    return app.plan && readinessOf(app, this.home, app.plan).state;
  }

  /** Logs what is scheduled and whether its handler is here, now and after each block that `node` says was made. */
  sayReadiness(node: { readonly app: App; subscribe(listener: () => void): unknown }): void {
    const { home, options } = this;
    const room = (plan: string) => {
      const found = upgradeRoom(home, options.handlerDiskMax);
      return found && roomLine(found, plan, home.path);
    };
    sayReadiness(node, {
      home,
      ofHome: this.#ofHome,
      room,
      log: options.log,
      skipHeights: [...(options.skipHeights ?? [])],
    });
  }

  #findChain(): FoundChain {
    const { home, options, engine } = this;
    // An empty file is what a process leaves that died before its first write.
    const isNew = !existsSync(home.databaseFile) || statSync(home.databaseFile).size === 0;
    const committed = checkDatabase(home.databaseFile, engine, options.log);
    if (!isNew) this.#database = this.#openDatabase();
    const begun = keptOrFile(options.chain, home, this.#database);
    this.#genesis = begun;
    return { isNew, committed, begun };
  }

  #keepReserve(): void {
    try {
      keepReserve(this.home);
    } catch (error) {
      this.options.log("warn", `no space could be kept for halt.json: ${messageOf(error)}`);
    }
  }

  #openDatabase(): LmdbDatabase {
    return new LmdbDatabase(this.home.databaseFile, { spill: { bytesMax: this.options.handlerDiskMax } });
  }

  /** `lockHome` found no file to lock. */
  #createDatabase(): LmdbDatabase {
    this.#database = this.#openDatabase();
    this.lock.addDatabase(this.home.databaseFile);
    return this.#database;
  }

  #lastSigned({ committed, begun }: FoundChain): LastSigned {
    const { home } = this;
    const state = this.#database && committed ? readCommit(this.#database, Number(committed)) : undefined;
    if (committed && state) endRollback(home, { height: committed, appHash: state.appHash });
    const lastSigned = new LastSigned(home.lastSignedFile);
    lastSigned.requireGoesOn(committed ?? begun.genesis.initialHeight - 1n, home.databaseFile);
    const last = this.#database && new BlockStore(this.#database).latest();
    lastSigned.restoreFrom(committed ?? 0n, this.options.log);
    if (last) lastSigned.requireSameBlock(last, home.databaseFile);
    return lastSigned;
  }

  #openApp({ isNew, begun: { genesis, begin, digest } }: FoundChain): OpenApp {
    const { home, options, engine } = this;
    const { chain, log } = options;
    const folder = options.handlers ?? chain.handlers;
    const { versions, handlers } = versionsAndHandlers(chain, home, folder, options.appVersion);
    // A document that this program cannot start leaves no database behind, so the home can be made again.
    if (isNew) genesisVersion(genesis, versions);
    begin?.check(log);
    // Before a new database: a full disk may already refuse that.
    this.#keepReserve();
    const database = this.#database ?? this.#createDatabase();
    const staged = stagedHandlers({ chain, home, folder: options.staged, versions, log });
    const releases = new WitnessReleases(home, sha256, genesis.chainId, (message) => log("warn", message));
    const app = new App({
      ...{ chain, database, sha256, core: new Core(), genesis, versions, log },
      staged: () => staged.look(),
      verifySignature: nodeVerifySignature,
      files: upgradeFiles(home.dataFolder),
      isReleased: (plan, version) => releases.isReleased(plan, version),
      engine: engineMark(engine),
      isReopening: engine === "cometbft",
      ...appOptions(options),
    });
    for (const { handler, isOfHome } of handlers) app.keeper.setWasmHandler(handler, { isOfHome });
    app.load();
    this.#app = app;
    this.#ofHome = handlers.filter(({ isOfHome }) => isOfHome);
    if (!begin) watchGenesisFile(home, digest, log, this.#closing.signal);
    return { app, genesis, database, alongsideFirst: begin?.record };
  }

  get chain(): Chain {
    return this.options.chain;
  }

  /** What the commands of halt.json must have for this home. */
  get startFlags(): readonly string[] | undefined {
    return this.options.startFlags;
  }

  /** What delegations are counted in, and the parameters of staking. Known once the home was opened. */
  get staking(): { readonly bondDenom: string; readonly stakingParams: unknown } {
    assert(this.#genesis, "staking is asked for before open()");
    const { bondDenom, stakingParams } = this.#genesis.genesis;
    return { bondDenom, stakingParams: stakingParams.value };
  }

  /** Of the document that the chain begins or began with. Known once the home was opened. */
  get genesisDigest(): GenesisDigest {
    assert(this.#genesis, "the genesis document is asked for before open()");
    return this.#genesis.digest;
  }

  /** Never throws: of a database that cannot be read nothing is known. */
  position(): ChainPosition {
    const initialHeight = this.#genesis?.genesis.initialHeight ?? 1n;
    const start = { lastCommittedHeight: 0n, nextHeight: initialHeight, appHash: new Uint8Array(0) };
    if (!this.#database) return start;
    const { version, hash } = this.#lastCommitID(this.#database) ?? { version: 0n, hash: start.appHash };
    return version === 0n ? start : { lastCommittedHeight: version, nextHeight: version + 1n, appHash: hash };
  }

  /** What the disk holds; where LMDB gives nothing more after a write that failed, what the app has seen committed. */
  #lastCommitID(database: LmdbDatabase): CommitID | undefined {
    try {
      return new CommitMultiStore(database, { sha256 }).lastCommitID;
    } catch {
      return this.#app?.lastCommitID;
    }
  }

  /** What state says about plans. Never throws. */
  storedPlans(): StoredPlans {
    return storedPlans(this.#database, sha256);
  }

  close(): void {
    this.#closing.abort();
    this.#genesis?.begin?.close();
    this.#database?.close();
    this.#database = undefined;
    this.lock.release();
  }
}

/** Also on a full disk: without the lock nobody could write down that it is full. */
function lockHome(home: Home, log: HoldOptions["log"]): HomeLock {
  requireNotLost(home);
  const acquire = () => HomeLock.acquire(home.lockFile, home.databaseFile);
  let lock: HomeLock;
  try {
    lock = acquire();
  } catch (error) {
    if (!isUpgradeError(error) || error.code !== "UPG_STORE_FULL" || !lendFromReserve(home)) throw error;
    lock = acquire();
  }
  if (!hasFileLocks()) log("warn", NO_FILE_LOCKS);
  for (const folder of [home.dataFolder, home.configFolder]) removeDeadTemporaries(folder);
  return lock;
}

function appOptions({
  skipHeights,
  haltHeight,
  versionsKept,
  minimumGasPrices,
  onProgress,
}: HoldOptions): Omit<Partial<AppOptions>, "chain"> {
  return {
    ...(minimumGasPrices ? { minimumGasPrices } : {}),
    ...(skipHeights ? { skipHeights } : {}),
    ...(haltHeight === undefined ? {} : { haltHeight }),
    ...(versionsKept === undefined ? {} : { versionsKept }),
    ...(onProgress ? { onProgress } : {}),
  };
}

export function chainFacts(genesis: GenesisFacts): ChainFacts {
  const { chainId, time, initialHeight, appVersion } = genesis;
  return { chainId, genesisTime: time, initialHeight, appVersion, params: genesisParams(genesis) };
}
