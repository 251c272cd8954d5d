/**
 * A chain that is played block by block: one database, the upgrade module's two files, and one process after another.
 *
 *   const chain = new Chain();
 *   const old = chain.start({ versions: [V1] });
 *   old.schedule({ name: "v2", height: 4n });
 *   expect(old.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
 *   chain.start({ handlers: [splitBalances()] }).blocks(3);
 */

import { isUpgradeError, type UpgradeError } from "../../host/base/errors/errors.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import type { Height, Plan } from "../../host/base/types/types.js";
import { App, type BlockRequest, type BlockResult } from "../../host/chain/app/app.js";
import { type Genesis, parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import type { ChainVersion } from "../../host/chain/app/versions/version.js";
import type { Database } from "../../host/state/store/disk/database.js";
import type { VersionView } from "../../host/state/store/versions/version-view.js";
import { Core } from "../../host/upgrade/core/core.js";
import type { WasmHandler } from "../../host/upgrade/handler/handler.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import type { UpgradeHandler, UpgradeHandlerOptions } from "../../host/upgrade/module/upgrade-handler.js";
import { exampleChain, V1, V2 } from "../example-chain.js";
import { MemoryFiles } from "./files.js";
import { genesisText } from "./genesis-text.js";
import { KeptDatabase } from "./kept-database.js";

const core = new Core();

export interface FunctionHandler extends UpgradeHandlerOptions {
  readonly plan: string;
  readonly run: UpgradeHandler;
}

export interface ChainOptions {
  /** A genesis document; the small one without. */
  readonly genesis?: string;
  /** The example chain without. */
  readonly chain?: typeof exampleChain;
  /** Memory without. */
  readonly database?: () => Database;
  readonly versionsKept?: number;
  /** May the state before this upgrade go? */
  readonly isReleased?: (plan: string) => boolean;
}

export interface ProcessOptions {
  /** V1 and V2 without. */
  readonly versions?: readonly ChainVersion[];
  readonly handlers?: readonly WasmHandler[];
  /** Handlers that lie in the home. */
  readonly home?: readonly WasmHandler[];
  /** Handlers that wait for their height, as they are there whenever somebody looks. */
  readonly staged?: () => readonly WasmHandler[];
  readonly functions?: readonly FunctionHandler[];
  readonly skipHeights?: readonly Height[];
  readonly haltHeight?: Height;
}

export interface MadeBlock extends BlockResult {
  readonly height: Height;
}

export class Chain {
  readonly files = new MemoryFiles();
  readonly genesis: Genesis;
  readonly database: KeptDatabase;
  #running: Process | undefined;

  constructor(private readonly options: ChainOptions = {}) {
    this.genesis = parseGenesis(options.chain ?? exampleChain, options.genesis ?? genesisText());
    this.database = new KeptDatabase(options.database);
  }

  /** A new process on this chain; the one before it ends. @throws UpgradeError as App.load does */
  start(options: ProcessOptions = {}): Process {
    this.stop();
    const log: string[] = [];
    const { versionsKept, isReleased } = this.options;
    const app = new App({
      chain: this.options.chain ?? exampleChain,
      database: this.database,
      sha256,
      core,
      genesis: this.genesis,
      versions: options.versions ?? [V1, V2],
      files: this.files,
      staged: () => (options.staged?.() ?? []).map((handler) => ({ ...handler, file: `staged/${handler.hash}.wasm` })),
      log: (level, message) => log.push(`${level} ${message}`),
      ...(options.skipHeights ? { skipHeights: options.skipHeights } : {}),
      ...(options.haltHeight === undefined ? {} : { haltHeight: options.haltHeight }),
      ...(versionsKept === undefined ? {} : { versionsKept }),
      ...(isReleased ? { isReleased } : {}),
    });
    for (const handler of options.handlers ?? []) app.keeper.setWasmHandler(handler);
    for (const handler of options.home ?? []) {
      app.keeper.setWasmHandler({ ...handler, file: `handlers/${handler.manifest.name}.wasm` }, { isOfHome: true });
    }
    for (const { plan, run, ...rest } of options.functions ?? []) app.keeper.setUpgradeHandler(plan, run, rest);
    app.load();
    this.#running = new Process(app, log);
    return this.#running;
  }

  /** What a start that must not succeed ends with. */
  failToStart(options: ProcessOptions = {}): UpgradeError {
    return failureOf(() => this.start(options));
  }

  /** Ends the process, in order. */
  stop(): void {
    this.#running?.app.close();
    this.#running = undefined;
  }

  /** Everything on disk, for a look whether anything was written: keys and hashes of values. */
  contents(): string[] {
    const range = { start: Uint8Array.of(0), end: Uint8Array.of(0xff) };
    return this.database.keys(range).map((key) => {
      return `${toHex(key)}=${toHex(sha256(this.database.get(key) ?? new Uint8Array()))}`;
    });
  }
}

/** One process: an app that was loaded, and what it logged. */
export class Process {
  constructor(
    readonly app: App,
    readonly log: readonly string[],
  ) {}

  get height(): Height {
    return this.app.lastCommitID.version;
  }

  get appHash(): string {
    return toHex(this.app.lastCommitID.hash);
  }

  get warnings(): readonly string[] {
    return this.log.filter((line) => line.startsWith("warn "));
  }

  /** The last committed version. */
  get state(): VersionView {
    return this.app.multiStore.at(this.height);
  }

  get plan(): Plan | undefined {
    return this.app.keeper.plan(this.state.store(UPGRADE_STORE));
  }

  doneHeight(name: string): Height {
    return this.app.keeper.doneHeight(this.state.store(UPGRADE_STORE), name);
  }

  get versions(): Record<string, string> {
    const versions = this.app.keeper.moduleVersions(this.state.store(UPGRADE_STORE));
    return Object.fromEntries([...versions].map(([name, version]) => [name, String(version)]));
  }

  /** Makes and commits the next block. */
  block(request: Partial<BlockRequest> = {}): MadeBlock {
    const height = this.app.nextHeight;
    const time = { seconds: 1_700_000_000n + 5n * height, nanos: 0 };
    const result = this.app.finalizeBlock({ height, time, ...request });
    this.app.commit();
    return { ...result, height };
  }

  blocks(count: number): MadeBlock[] {
    return Array.from({ length: count }, () => this.block());
  }

  /** A block that schedules a plan by the app itself. */
  schedule({ name, height, info = "" }: { name: string; height: Height; info?: string }): MadeBlock {
    const { keeper } = this.app;
    const plan = { name, height, info };
    return this.block({
      changes: [
        (context) =>
          keeper.softwareUpgrade(context.store(UPGRADE_STORE), context.height, { authority: keeper.authority, plan }),
      ],
    });
  }

  /** Makes blocks up to this height. */
  upTo(height: Height): this {
    while (this.height < height) this.block();
    return this;
  }

  /** Makes blocks until one ends the process; returns how. */
  untilHalt(): UpgradeError {
    return failureOf(() => this.blocks(50));
  }
}

/** The UpgradeError that an action ends with; anything else is the test's failure. */
export function failureOf(action: () => unknown): UpgradeError {
  try {
    action();
  } catch (error) {
    if (isUpgradeError(error)) return error;
    throw error;
  }
  throw new Error("nothing went wrong, and something should");
}
