/**
 * The application of a home, served to CometBFT until it is asked to stop, its chain halts, or the engine is gone. With a
 * program for it CometBFT is a child of this process.
 */
import type { HaltLinger } from "../engine/home/halt-linger.js";
import type { Home } from "../engine/home/home.js";
import type { Height } from "../types.js";
import { Halt } from "../upgrade/halt.js";
import type { LogLevel } from "../upgrade/handlers.js";
import { type AbciAddress, isOpenToOthers } from "./address.js";
import { databaseHolder } from "./comet/database-holder.js";
import { prepareCometHome } from "./comet/home-files.js";
import { CometProcess, describeEnd } from "./comet/process.js";
import type { Answer, Call } from "./messages.js";
import { AbciServer } from "./server.js";

/** CometBFT closes its connections at once when it reads an exception. */
const EXCEPTION_MILLIS = 1_000;

export interface AppNodeOptions {
  readonly home: Home;
  /** Of the block that is made next. */
  readonly nextHeight: () => Height;
  /** Has the chain no block yet? */
  readonly isNew: boolean;
  readonly address: AbciAddress;
  /** CometBFT's program and arguments; undefined: it is started by somebody else. */
  readonly comet: { readonly program: string; readonly args: readonly string[] } | undefined;
  /** The application. What it has to write down of an end is on disk when a call fails, before CometBFT learns it. */
  readonly answer: (call: Call) => Promise<Answer>;
  /** Settles when no block is between its run and its commit. */
  readonly untilIdle: () => Promise<void>;
  /** Rejects when the application is gone without a call that failed. */
  readonly appEnded: Promise<unknown>;
  /** Holds the node at the height for a supervisor, before CometBFT learns of it and ends. */
  readonly linger: HaltLinger;
  readonly log: (level: LogLevel, message: string) => void;
  /** Aborted when the node is to stop. */
  readonly signal: AbortSignal;
}

/** Returns when it was asked to stop. @throws Halt; UpgradeError: what ended the application or the engine */
export async function runAppNode(options: AppNodeOptions): Promise<void> {
  const { home, isNew, nextHeight, address, comet, log, signal } = options;
  const end = new End(signal);
  options.appEnded.catch((error: unknown) => end.fail(error));
  const server = await AbciServer.listen(address, {
    answer: options.answer,
    onFailed: async (error) => {
      if (end.isReached) return;
      end.decide(error);
      await Promise.race([options.linger.before(error, signal), end.reached]);
      end.fail(error);
    },
    onGone: (kind) => {
      if (kind === "consensus") end.engineLeft();
      if (kind === "consensus" && !end.isReached && !comet) log("warn", "the engine hung up; it may come again");
    },
  });
  log("info", `ABCI server open at ${server.address}`);
  if (isOpenToOthers(address))
    log("warn", "other machines may reach the ABCI server, and one that does makes this node's blocks");
  let child: CometProcess | undefined;
  try {
    if (comet && !end.isReached) {
      prepareCometHome(home, isNew);
      child = new CometProcess(comet.program, [...comet.args, "--proxy_app", server.address]);
      log("info", `CometBFT started: ${comet.program}, process ${child.pid ?? "none"}`);
      void child.ended.then((how) => end.fail(engineEnded(nextHeight(), describeEnd(how), home.dataFolder)));
    }
    await end.reached;
    // What the exception says goes into CometBFT's own log, when it has read it.
    if (end.error) await end.untilEngineLeft(EXCEPTION_MILLIS);
    // CometBFT that waits for a block is left to commit it: it would be run again from its beginning.
    else await Promise.race([options.untilIdle(), end.engineHasLeft]);
  } finally {
    await child?.stop();
    await server.close();
  }
  if (end.error) throw end.error;
}

function engineEnded(nextHeight: Height, how: string, dataFolder: string): Halt {
  const holder = databaseHolder(dataFolder);
  const why =
    holder === undefined
      ? "its last lines of the log say why"
      : `process ${holder} has its database in ${dataFolder} open`;
  const details = holder === undefined ? {} : { holder: String(holder) };
  return new Halt("UPG_HALT_ENGINE", `CometBFT ended by itself (${how}): ${why}`, nextHeight, undefined, details);
}

/** How it ends: the first reason counts, and an engine that ends because of it is none. */
class End {
  readonly reached: Promise<void>;
  error: unknown;
  #reach: () => void = () => undefined;
  #left: () => void = () => undefined;
  /** Settles when the engine hangs up after the end was reached. */
  readonly engineHasLeft = new Promise<void>((resolve) => {
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
    await Promise.race([this.engineHasLeft, late]);
    clearTimeout(timer);
  }

  #finish(): void {
    this.isReached = true;
    this.#reach();
  }
}
