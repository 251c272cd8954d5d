/**
 * A home that this process holds: locked, its configuration read. `open` brings up the chain in it; until `close` the
 * home is this process's to write to, also when the chain could not be brought up.
 */
import { existsSync, statSync } from "node:fs";
import { App, type AppOptions } from "../../chain/app.js";
import type { Chain } from "../../chain/define-chain.js";
import type { GenesisFacts } from "../../chain/genesis/genesis.js";
import { genesisVersion } from "../../chain/start.js";
import { DEFAULT_CONSENSUS_PARAMS } from "../../comet/consensus-params.js";
import { Core } from "../../core/core.js";
import { assert, isUpgradeError } from "../../errors.js";
import { sha256 } from "../../native/sha256.js";
import { nameProgram } from "../../program-name.js";
import type { OnProgress } from "../../progress.js";
import { LmdbDatabase } from "../../store/disk/lmdb-database.js";
import { CommitMultiStore } from "../../store/versions/commit-multi-store.js";
import type { CommitID, Height, Plan } from "../../types.js";
import type { LogLevel } from "../../upgrade/handlers.js";
import { UPGRADE_STORE } from "../../upgrade/keeper.js";
import type { ChainFacts } from "../blocks/block-maker.js";
import { BlockStore } from "../blocks/block-store.js";
import type { MempoolLimits } from "../blocks/mempool.js";
import type { Clock } from "../embedded/clock.js";
import { type BlockSettings, EmbeddedNode } from "../embedded/embedded-node.js";
import { upgradeFiles } from "./atomic-file.js";
import { type BegunGenesis, keptOrFile, requireHome, watchGenesisFile } from "./begun-genesis.js";
import { type ConsensusKey, readConsensusKey } from "./consensus-key.js";
import { hasFileLocks } from "./file-lock.js";
import { lendFromReserve } from "./halt-file.js";
import { Home } from "./home.js";
import { HomeLock } from "./home-lock.js";
import { LastSigned } from "./last-signed.js";
import { nodeVerifySignature } from "./node-signatures.js";
import { sayReadiness } from "./readiness.js";
import { checkDatabase } from "./start-checks.js";
import { roomLine, upgradeRoom } from "./upgrade-room.js";
import { stagedHandlers, versionsAndHandlers } from "./versions-and-handlers.js";

const NO_FILE_LOCKS =
  "this platform has no build of fs-native-extensions, so the kernel does not lock the home: a second node in another " +
  "container is noticed only when it commits. See that one node alone uses this home";

export interface OpenNodeOptions {
  readonly chain: Chain;
  readonly home: string;
  readonly clock: Clock;
  /** Folder of handlers for the versions this program knows. Default: that of the chain. */
  readonly handlers?: string;
  /** One more folder of handlers that wait for their height, besides `<home>/handlers/staged`. */
  readonly staged?: string;
  /** Know nothing newer than this version: what an old binary is. */
  readonly appVersion?: bigint;
  readonly skipHeights?: Iterable<Height>;
  readonly haltHeight?: Height;
  readonly versionsKept?: number;
  /** Bytes that the writes of one upgrade may take on disk besides the database. */
  readonly handlerDiskMax?: number;
  readonly mempool?: Partial<MempoolLimits>;
  /** What is kept of blocks, and indexed. */
  readonly blocks?: Partial<BlockSettings>;
  readonly log: (level: LogLevel, message: string) => void;
  /** Hears how far a large block has come. */
  readonly onProgress?: OnProgress;
}

/** Where a chain is on disk. */
export interface ChainPosition {
  /** 0n before the first block. */
  readonly lastCommittedHeight: Height;
  readonly nextHeight: Height;
  /** Empty before the first block. */
  readonly appHash: Uint8Array;
}

export class HeldHome {
  #database: LmdbDatabase | undefined;
  #app: App | undefined;
  #genesis: BegunGenesis | undefined;
  readonly #closing = new AbortController();

  private constructor(
    readonly home: Home,
    private readonly options: OpenNodeOptions,
    private readonly key: ConsensusKey,
    private readonly lock: HomeLock,
  ) {}

  /** @throws UpgradeError UPG_STORE_LOCKED, UPG_STORE_IO, UPG_INVALID_CONFIG */
  static hold(options: OpenNodeOptions): HeldHome {
    nameProgram(options.chain.name);
    const home = new Home(options.home);
    requireHome(home);
    const key = readConsensusKey(home.validatorKeyFile);
    const lock = lockHome(home);
    if (!hasFileLocks()) options.log("warn", NO_FILE_LOCKS);
    return new HeldHome(home, options, key, lock);
  }

  /** @throws Halt; UpgradeError UPG_INVALID_GENESIS, UPG_INVALID_ARGUMENT, UPG_HANDLER_*, UPG_STORE_* */
  open(): EmbeddedNode {
    const { home, options, key } = this;
    const { chain } = options;
    // An empty file is what a process leaves that died before its first write.
    const isNew = !existsSync(home.databaseFile) || statSync(home.databaseFile).size === 0;
    const committed = checkDatabase(home.databaseFile, options.log);
    const spill = { bytesMax: options.handlerDiskMax };
    if (!isNew) this.#database = new LmdbDatabase(home.databaseFile, { spill });
    this.#genesis = keptOrFile(chain, home, this.#database);
    const { genesis, begin } = this.#genesis;
    const lastSigned = new LastSigned(home.lastSignedFile);
    lastSigned.requireGoesOn(committed ?? genesis.initialHeight - 1n, home.databaseFile);
    const last = this.#database && new BlockStore(this.#database).latest();
    if (last) lastSigned.requireSameBlock(last, home.databaseFile);
    const { versions, handlers } = versionsAndHandlers(
      chain,
      home,
      options.handlers ?? chain.handlers,
      options.appVersion,
    );
    // A document that this program cannot start leaves no database behind, so the home can be made again.
    if (isNew) genesisVersion(genesis, versions);
    begin?.check(options.log);
    const database = this.#database ?? new LmdbDatabase(home.databaseFile, { spill });
    this.#database = database;
    const staged = stagedHandlers({ chain, home, folder: options.staged, versions, log: options.log });
    const app = new App({
      chain,
      staged: () => staged.look(),
      verifySignature: nodeVerifySignature,
      ...{
        database,
        sha256,
        core: new Core(),
        genesis,
        versions,
        files: upgradeFiles(home.dataFolder),
        log: options.log,
      },
      ...appOptions(options),
    });
    for (const { handler, isOfHome } of handlers) app.keeper.setWasmHandler(handler, { isOfHome });
    app.load();
    this.#app = app;
    const facts = chainFacts(genesis);
    if (!begin) watchGenesisFile(home, this.#genesis.digest, options.log, this.#closing.signal);
    const mempool = options.mempool ? { mempool: options.mempool } : {};
    const blocks = options.blocks ? { blocks: options.blocks } : {};
    const first = begin ? { alongsideFirst: begin.record } : {};
    const parts = { app, database, sha256, facts, key, lastSigned, clock: options.clock, log: options.log };
    const node = new EmbeddedNode({ ...parts, ...mempool, ...blocks, ...first });
    const ofHome = handlers.filter(({ isOfHome }) => isOfHome);
    const room = (plan: string) => {
      const found = upgradeRoom(home, options.handlerDiskMax);
      return found && roomLine(found, plan, home.path);
    };
    sayReadiness(node, { ofHome, room, log: options.log, skipHeights: [...(options.skipHeights ?? [])] });
    return node;
  }

  get chain(): Chain {
    return this.options.chain;
  }

  /** What delegations are counted in. Known once the home was opened. */
  get bondDenom(): string {
    assert(this.#genesis, "bondDenom is asked for before open()");
    return this.#genesis.genesis.bondDenom;
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

  /** The plan that state holds for the next block. Never throws. */
  duePlan(): Plan | undefined {
    if (!this.#database) return undefined;
    try {
      const stores = new CommitMultiStore(this.#database, { sha256 });
      const { version } = stores.lastCommitID;
      const plan = version === 0n ? undefined : new Core().plan(stores.at(version).store(UPGRADE_STORE));
      return plan && plan.height <= version + 1n ? plan : undefined;
    } catch {
      return undefined;
    }
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
function lockHome(home: Home): HomeLock {
  try {
    return HomeLock.acquire(home.lockFile, home.databaseFile);
  } catch (error) {
    if (!isUpgradeError(error) || error.code !== "UPG_STORE_FULL" || !lendFromReserve(home)) throw error;
    return HomeLock.acquire(home.lockFile, home.databaseFile);
  }
}

function appOptions({
  skipHeights,
  haltHeight,
  versionsKept,
  onProgress,
}: OpenNodeOptions): Omit<Partial<AppOptions>, "chain"> {
  return {
    ...(skipHeights ? { skipHeights } : {}),
    ...(haltHeight === undefined ? {} : { haltHeight }),
    ...(versionsKept === undefined ? {} : { versionsKept }),
    ...(onProgress ? { onProgress } : {}),
  };
}

function chainFacts(genesis: GenesisFacts): ChainFacts {
  const { consensusParams: params, chainId, time, appVersion } = genesis;
  const defaults = DEFAULT_CONSENSUS_PARAMS;
  const block = params.isSet ? params.get("block") : undefined;
  return {
    chainId,
    genesisTime: time,
    appVersion,
    params: {
      ...defaults,
      version: { app: appVersion },
      block: block?.isSet
        ? {
            maxBytes: block.get("max_bytes").integer(defaults.block.maxBytes),
            maxGas: block.get("max_gas").integer(defaults.block.maxGas),
          }
        : defaults.block,
    },
  };
}
