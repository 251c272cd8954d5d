/**
 * The application of a home, served to CometBFT until it is asked to stop, its chain halts, or the engine is gone. With a
 * program for it CometBFT is a child of this process.
 */
import type { App } from "../chain/app.js";
import type { BlockRequest, BlockResult } from "../chain/app-shapes.js";
import type { AppQuery, AppQueryResult, Committed } from "../chain/engine-port.js";
import type { HaltLinger } from "../engine/home/halt-linger.js";
import type { HeldHome } from "../engine/home/held-home.js";
import type { OpenApp } from "../engine/home/hold-options.js";
import { isUpgradeError } from "../errors.js";
import type { RecordChange } from "../store/disk/database.js";
import { Halt } from "../upgrade/halt.js";
import type { LogLevel } from "../upgrade/handlers.js";
import { type AbciAddress, isOpenToOthers } from "./address.js";
import { prepareCometHome } from "./comet/home-files.js";
import { CometProcess, describeEnd } from "./comet/process.js";
import { ServedApp } from "./served-app.js";
import { AbciServer } from "./server.js";

/** CometBFT closes its connections at once when it reads an exception. */
const EXCEPTION_MILLIS = 1_000;

/** A block that was committed. */
export interface CometBlock extends Committed {
  readonly result: BlockResult;
  readonly appHashBefore: Uint8Array;
  /** From the run to the durable commit, without what CometBFT did in between. */
  readonly milliseconds: number;
}

export interface AppNodeOptions {
  readonly held: HeldHome;
  readonly opened: OpenApp;
  readonly address: AbciAddress;
  /** CometBFT's program and arguments; undefined: it is started by somebody else. */
  readonly comet: { readonly program: string; readonly args: readonly string[] } | undefined;
  readonly query: (query: AppQuery) => Promise<AppQueryResult>;
  readonly onBlock: (block: CometBlock) => void;
  /** The chain has halted or failed, in a call of consensus: what is to be on disk is written here, before CometBFT learns it. */
  readonly onFailed: (error: unknown) => void;
  /** Holds the node at the height for a supervisor, before CometBFT learns of it and ends. */
  readonly linger: HaltLinger;
  readonly log: (level: LogLevel, message: string) => void;
  /** Aborted when the node is to stop. */
  readonly signal: AbortSignal;
}

/** Returns when it was asked to stop. @throws Halt; UpgradeError: what ended the application or the engine */
export async function runAppNode(options: AppNodeOptions): Promise<void> {
  const { held, opened, address, comet, log, signal } = options;
  const end = new End(signal);
  const port = new WatchedApp(options);
  const server = await AbciServer.listen(address, {
    port,
    onFailed: async (error) => {
      if (end.isReached) return;
      options.onFailed(error);
      end.decide(error);
      await Promise.race([options.linger.before(error, signal), end.reached]);
      end.fail(error);
    },
    onGone: (kind) => {
      if (kind === "consensus") end.engineLeft();
      if (kind === "consensus" && !end.isReached && !comet) log("warn", "the engine hung up; it may come again");
    },
  });
  held.sayReadiness({ app: opened.app, subscribe: (listener) => port.subscribe(listener) });
  log("info", `ABCI server open at ${server.address}`);
  if (isOpenToOthers(address))
    log("warn", "other machines may reach the ABCI server, and one that does makes this node's blocks");
  let child: CometProcess | undefined;
  try {
    if (comet && !end.isReached) {
      prepareCometHome(held.home, opened.app.lastCommitID.version === 0n);
      child = new CometProcess(comet.program, [...comet.args, "--proxy_app", server.address]);
      log("info", `CometBFT started: ${comet.program}, process ${child.pid ?? "none"}`);
      void child.ended.then((how) => end.fail(engineEnded(opened.app, describeEnd(how))));
    }
    await end.reached;
    // What the exception says goes into CometBFT's own log, when it has read it.
    if (end.error) await end.untilEngineLeft(EXCEPTION_MILLIS);
  } finally {
    await child?.stop();
    await server.close();
  }
  if (end.error) throw end.error;
}

function engineEnded({ nextHeight }: App, how: string): Halt {
  return new Halt(
    "UPG_HALT_ENGINE",
    `CometBFT ended by itself (${how}): its last lines of the log say why`,
    nextHeight,
  );
}

/** How it ends: the first reason counts, and an engine that ends because of it is none. */
class End {
  readonly reached: Promise<void>;
  error: unknown;
  #reach: () => void = () => undefined;
  #left: () => void = () => undefined;
  readonly #hasLeft = new Promise<void>((resolve) => {
    this.#left = resolve;
  });
  isReached = false;

  constructor(signal: AbortSignal) {
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
    if (signal.aborted) this.#finish();
    else signal.addEventListener("abort", () => this.#finish(), { once: true });
  }

  /** It will end by this, whatever comes first: a signal, or the end of CometBFT. */
  decide(error: unknown): void {
    if (!this.isReached) this.error ??= error;
  }

  fail(error: unknown): void {
    if (this.isReached) return;
    this.error ??= error;
    this.#finish();
  }

  engineLeft(): void {
    if (this.isReached) this.#left();
  }

  async untilEngineLeft(millis: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, millis);
    });
    await Promise.race([this.#hasLeft, late]);
    clearTimeout(timer);
  }

  #finish(): void {
    this.isReached = true;
    this.#reach();
  }
}

/** Says which blocks were committed. */
class WatchedApp extends ServedApp {
  readonly #listeners = new Set<() => void>();
  #ran: { readonly result: BlockResult; readonly appHashBefore: Uint8Array; readonly milliseconds: number } | undefined;

  constructor(private readonly node: AppNodeOptions) {
    const { app, genesis, alongsideFirst } = node.opened;
    super({ app, genesis, ...(alongsideFirst ? { alongsideFirst } : {}) }, node.query);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  override finalizeBlock(request: BlockRequest): BlockResult {
    const begun = performance.now();
    const appHashBefore = this.node.opened.app.lastCommitID.hash;
    const result = this.#finalizeBlock(request);
    this.#ran = { result, appHashBefore, milliseconds: performance.now() - begun };
    return result;
  }

  /** Another version of the same program is opened here, where CometBFT waits for the block. */
  #finalizeBlock(request: BlockRequest): BlockResult {
    try {
      return super.finalizeBlock(request);
    } catch (error) {
      if (!isUpgradeError(error) || error.code !== "UPG_HALT_RESTART") throw error;
    }
    const { opened, log } = this.node;
    const before = opened.app.version.number;
    opened.app.reopen();
    log("info", `app version ${opened.app.version.number} goes on at height ${request.height}, after ${before}`);
    return super.finalizeBlock(request);
  }

  override commit(alongside: Iterable<RecordChange> = []): Committed {
    const begun = performance.now();
    const committed = super.commit(alongside);
    const ran = this.#ran;
    this.#ran = undefined;
    if (ran) {
      this.node.onBlock({ ...committed, ...ran, milliseconds: ran.milliseconds + performance.now() - begun });
      for (const listener of [...this.#listeners]) listener();
    }
    return committed;
  }
}
