/**
 * The application alone in a thread of its own, where CometBFT decides the blocks: it holds the home, is the only writer, and
 * is called through the port, one call at a time.
 */
import type { MessagePort } from "node:worker_threads";
import { messageOf } from "../../base/errors/errors.js";
import type { Height } from "../../base/types/types.js";
import type { App } from "../../chain/app/app.js";
import type { Chain } from "../../chain/app/chain.js";
import { engineMark } from "../../chain/app/engine-port.js";
import { answer, ENDING } from "../comet/calls.js";
import type { Call } from "../comet/messages.js";
import { StateSync } from "../comet/state-sync.js";
import { type CometBlock, WatchedApp } from "../comet/watched-app.js";
import { PlanWatch } from "../embedded/plan-watch.js";
import { removeHaltRecord } from "../home/halt-file.js";
import { localReceipt, writeLocalReceipt } from "../home/local-receipt.js";
import { chainFacts, OpenHome } from "../open/open-home.js";
import { type EngineFacts, receiveError, sendError, type ToEngine } from "./engine-port.js";
import { type EngineThreadData, WorkerSide } from "./worker-side.js";

const NONE = new Uint8Array(0);

interface Served {
  readonly held: OpenHome;
  readonly app: App;
  readonly served: WatchedApp;
  readonly sync: StateSync;
}

export class AppOfThread extends WorkerSide {
  readonly #port: MessagePort;
  #isRecorded = false;
  #blocks = 0;
  /** What is left to say of the block that was committed, once CometBFT has the response. */
  #say: (() => void) | undefined;

  constructor(chain: Chain, data: EngineThreadData) {
    super(chain, data);
    this.#port = data.port;
  }

  /** Until it is asked to stop. */
  async run(): Promise<void> {
    if (this.start.isStandby && !this.status.waitForRelease()) {
      this.send({ kind: "stopped" });
      return;
    }
    await this.holding(
      () => OpenHome.holdForComet(this.holdOptions()),
      (held) => this.#serve(held),
    );
  }

  async #serve(held: OpenHome): Promise<void> {
    const opened = held.openApp();
    const { app } = opened;
    let watch = new PlanWatch(app.plan);
    this.sayLeftOut(app);
    const served = new WatchedApp({
      opened,
      onBlock: (block) => this.#made(held, app, watch, block),
      log: (level, message) => this.log(level, message),
    });
    const sync = new StateSync({
      opened,
      engine: engineMark(held.engine),
      onRestored: () => {
        watch = new PlanWatch(app.plan);
        this.#restored(held, app);
      },
      log: (level, message) => this.log(level, message),
    });
    held.sayReadiness({ app, subscribe: (listener) => served.subscribe(listener) });
    const stopped = new Promise<void>((resolve) => {
      this.#port.on("message", (message: ToEngine) => {
        if (message.kind === "call") void this.#call({ held, app, served, sync }, message.id, message.call);
        else if (message.kind === "stop") {
          if (message.error) this.#recordOnce(held, receiveError(message.error));
          resolve();
        }
      });
    });
    this.send({ kind: "opened", facts: this.#factsOf(held, app, chainFacts(opened.genesis)) });
    await stopped;
    await sync.idle;
  }

  async #call({ held, app, served, sync }: Served, id: number, call: Call): Promise<void> {
    try {
      if (call.case === "finalizeBlock") this.#begin(app, call.value.height);
      const value = (await sync.answer(call)) ?? (await answer(served, call));
      this.send({ kind: "returned", id, answer: value });
      this.#sayCommitted();
    } catch (error) {
      if (ENDING.has(call.case)) {
        this.status.heightUnderWay = 0n;
        this.reporter.end();
        this.#recordOnce(held, error);
      }
      this.send({ kind: "threw", id, error: sendError(error) });
    }
  }

  #begin({ plan }: App, height: Height): void {
    this.status.heightUnderWay = height;
    if (plan && plan.height <= height) this.reporter.begin(plan.name, height);
  }

  #made(held: OpenHome, app: App, watch: PlanWatch, block: CometBlock): void {
    const { home } = held;
    const { height, appHash, appHashBefore, milliseconds, result } = block;
    const { applied } = result;
    this.status.commits++;
    this.reporter.end();
    this.status.heightUnderWay = 0n;
    if (this.#blocks++ === 0) this.#orWarn("halt.json is out of date", () => removeHaltRecord(home));
    if (applied) {
      const facts = { applied, height, milliseconds, appHashBefore, appHash };
      this.#orWarn("the local receipt could not be written", () => writeLocalReceipt(home, localReceipt(facts)));
      this.sayApplied(applied, block);
    }
    this.#say = () => {
      for (const { message, fields } of watch.after(height, app.plan, applied?.plan.name)) {
        this.log("info", message, fields);
      }
      const handlerState = held.handlerState(app);
      this.send({ kind: "committed", height, appHash, handlerState, isUpgrade: applied !== undefined });
    };
  }

  /** CometBFT does not wait for it. */
  #sayCommitted(): void {
    const say = this.#say;
    this.#say = undefined;
    if (say) this.#orWarn("what was committed could not be reported", say);
  }

  #restored(held: OpenHome, app: App): void {
    const { version: height, hash: appHash } = app.lastCommitID;
    this.status.commits++;
    const handlerState = held.handlerState(app);
    this.send({ kind: "committed", height, appHash, handlerState, isUpgrade: false });
  }

  #recordOnce(held: OpenHome, error: unknown): void {
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    const record = this.record(held, error);
    if (record) this.send({ kind: "recorded", record });
  }

  #factsOf(held: OpenHome, app: App, chain: EngineFacts["chain"]): EngineFacts {
    return {
      ...{ chain, ...held.staking, genesisDigest: held.genesisDigest },
      // CometBFT has the key that signs, or another process.
      ...{ address: NONE, publicKey: NONE },
      ...{ versions: app.versions, version: app.version.number, lastHeight: app.lastCommitID.version },
      handlerState: held.handlerState(app),
    };
  }

  #orWarn(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.log("warn", `${what}: ${messageOf(error)}`);
    }
  }
}
