/**
 * The application of a home, served to CometBFT until it is asked to stop, its chain halts, or the engine is gone. With a
 * program for it CometBFT is a child of this process.
 */

import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import type { Log } from "../../base/text/log-line.js";
import type { Height } from "../../base/types/types.js";
import type { HaltLinger } from "../home/halt-linger.js";
import { RECORDED_FROM } from "../open/run-node.js";
import { type AbciAddress, isOpenToOthers } from "./address.js";
import type { ConnectionKind } from "./calls.js";
import { engineEnded, engineFailed } from "./engine/halts.js";
import { type CometFiles, prepareCometHome } from "./engine/home-files.js";
import { cometFields } from "./engine/log-line.js";
import { CometProcess } from "./engine/process.js";
import type { Answer, Call } from "./messages.js";
import { AbciServer } from "./server.js";

/** CometBFT closes its connections at once when it reads an exception. */
const EXCEPTION_MILLIS = 1_000;

interface CometChild {
  readonly program: string;
  readonly args: readonly string[];
  readonly files: CometFiles;
}

export interface AppNodeOptions {
  /** Name of the chain's program, in errors with commands to type. */
  readonly program: string;
  /** Of the block that is made next. */
  readonly nextHeight: () => Height;
  /** Has the chain no block yet? */
  readonly isNew: boolean;
  /** Is the state that of a snapshot, and no block was made since? CometBFT that ends then does not go on. */
  readonly isRestored: () => boolean;
  readonly address: AbciAddress;
  /** CometBFT as a child; undefined: it is started by somebody else. */
  readonly comet: CometChild | undefined;
  /** The application. What it has to write down of an end is on disk when a call fails, before CometBFT learns it. */
  readonly answer: (call: Call) => Promise<Answer>;
  /** Settles when no block is between its run and its commit. */
  readonly untilIdle: () => Promise<void>;
  /** Rejects when the application, or what serves it besides, is gone without a call that failed. */
  readonly appEnded: Promise<unknown>;
  /** Holds the node at the height for a supervisor, before CometBFT learns of it and ends. */
  readonly linger: HaltLinger;
  /** ABCI is served from now on. `isConnected`: has an engine asked where the application is, and not hung up since? */
  readonly onOpen: (isConnected: () => boolean) => void;
  readonly log: Log;
  /** Aborted when the node is to stop. */
  readonly signal: AbortSignal;
}

/** Returns when it was asked to stop. @throws Halt; UpgradeError: what ended the application or the engine */
export async function runAppNode(options: AppNodeOptions): Promise<void> {
  const { isNew, address, comet, log, signal } = options;
  const end = new End(signal);
  options.appEnded.catch((error: unknown) => end.fail(error));
  const server = await AbciServer.listen(address, {
    program: options.program,
    answer: options.answer,
    onFailed: async (error) => {
      end.decide(error);
      if (end.isReached) return;
      await Promise.race([options.linger.before(error, signal), end.reached]);
      end.fail(error);
    },
    // CometBFT ends by its exception, and its own end would be taken for the reason.
    onException: (error) => comet && isOfApplication(error) && end.decide(error),
    onForeign: (error) => log("error", messageOf(error)),
    onGone: (kind) => {
      if (kind === "consensus") end.engineLeft();
      if (kind === "consensus" && !end.isReached && !comet) log("warn", "the engine hung up; it may come again");
    },
  });
  const isConnected = (kind: ConnectionKind) => server.kinds.includes(kind);
  options.onOpen(() => isConnected("query"));
  log("info", `ABCI server open at ${server.address}`);
  if (isOpenToOthers(address))
    log("warn", "other machines may reach the ABCI server, and one that does makes this node's blocks");
  let child: CometProcess | undefined;
  try {
    if (comet && !end.isReached) {
      prepareCometHome(comet.files, isNew, log);
      child = new CometProcess(comet.program, [...comet.args, "--proxy_app", server.address], (line) =>
        log(line.level, line.message, cometFields(line)),
      );
      log("info", `CometBFT started: ${comet.program}, process ${child.pid ?? "none"}`);
      const facts = { ...options, databases: comet.files.databases };
      void child.failed.then((failure) => end.engineEnded(() => engineFailed(facts, failure)));
      void child.ended.then((how) => end.engineEnded(() => engineEnded(facts, how)));
    }
    await end.reached;
    // CometBFT that waits for a block is left to commit it: it would be run again from its beginning.
    if (!end.error && isConnected("consensus")) await Promise.race([options.untilIdle(), end.engineHasLeft]);
    // What the exception says goes into CometBFT's own log, when it has read it.
    if (end.error && isConnected("consensus")) await end.untilEngineLeft(EXCEPTION_MILLIS);
  } finally {
    await child?.stop();
    await server.close();
  }
  if (end.error) throw end.error;
}

/** Not of the engine, which may ask for what the application cannot know. */
const isOfApplication = (error: unknown) => !isUpgradeError(error) || error.kind.exit >= RECORDED_FROM;

/**
 * How it ends: the first reason counts, and an engine that ends because of it is none. To be asked to stop is no reason: the
 * block that is finished before may still fail.
 */
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
    this.error ??= error;
  }

  /** It ends now, by this. */
  fail(error: unknown): void {
    this.decide(error);
    this.#finish();
  }

  /** The engine has ended; where that is to be, it is no reason. */
  engineEnded(error: () => unknown): void {
    if (!this.isReached) this.fail(this.error ?? error());
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
