/**
 * The engine in a thread of its own: holds the home, makes blocks, is the only writer. It speaks to the thread that
 * serves clients through the port alone.
 */
import { workerData } from "node:worker_threads";
import type { Chain } from "../../chain/app/chain.js";
import { logicalClock, wallClock } from "../embedded/clock.js";
import type { EmbeddedNode, MadeBlock } from "../embedded/embedded-node.js";
import { PlanWatch } from "../embedded/plan-watch.js";
import { OpenHome } from "../open/open-home.js";
import { runNode } from "../open/run-node.js";
import { AppOfThread } from "./app-worker.js";
import type { EngineFacts, ToEngine } from "./engine-port.js";
import { runSnapshotThread, type SnapshotJob } from "./snapshot-worker.js";
import { runWitnessThread, type WitnessJob } from "./witness-worker.js";
import { type EngineThreadData, WorkerSide } from "./worker-side.js";

/** What a thread of this program does: one job, or an engine from its start to its end. What goes wrong is a message. */
export async function runThread(chain: Chain): Promise<void> {
  const data = workerData as EngineThreadData | SnapshotJob | WitnessJob;
  if ("kind" in data) return data.kind === "snapshot" ? runSnapshotThread(data) : runWitnessThread(data, chain);
  const engine = data.start.engine === "cometbft" ? new AppOfThread(chain, data) : new EngineOfThread(chain, data);
  await engine.run();
  data.port.close();
}

class EngineOfThread extends WorkerSide {
  readonly #stop = new AbortController();
  readonly #isToRun: Promise<void>;
  #node: EmbeddedNode | undefined;
  #watch: PlanWatch | undefined;

  constructor(chain: Chain, data: EngineThreadData) {
    super(chain, data);
    const { port } = data;
    this.#isToRun = new Promise((resolve) => {
      port.on("message", (message: ToEngine) => {
        if (message.kind === "run") resolve();
        else if (message.kind === "tx") this.#take(message.id, message.bytes);
        else if (message.kind === "stop") {
          this.#stop.abort();
          resolve();
        }
      });
    });
  }

  async run(): Promise<void> {
    if (this.start.isStandby && !this.status.waitForRelease()) {
      this.send({ kind: "stopped" });
      return;
    }
    await this.holding(
      () => this.#hold(),
      async (held) => {
        const node = held.open();
        this.#node = node;
        this.#watch = new PlanWatch(node.app.plan);
        this.sayLeftOut(node.app);
        this.send({ kind: "opened", facts: factsOf(held, node) });
        await this.#isToRun;
        await this.#makeBlocks(held, node);
      },
    );
  }

  #hold(): OpenHome {
    const { logicalBlockNanos, mempool, blocks, isEngineAssumed = false } = this.start;
    const clock = logicalBlockNanos === undefined ? wallClock : logicalClock(logicalBlockNanos);
    return OpenHome.hold({ ...this.holdOptions(), mempool, blocks, clock, isEngineAssumed });
  }

  #makeBlocks(held: OpenHome, node: EmbeddedNode): Promise<void> {
    const { emptyBlocks, blockMillis, maxBlocks } = this.start;
    return runNode(
      { home: held.home, node },
      {
        emptyBlocks,
        blockMillis,
        signal: this.#stop.signal,
        onWarning: (message) => this.log("warn", message),
        onBegin: () => this.#begin(node),
        onBlock: (made) => this.#made(held, node, made),
        ...(maxBlocks === undefined ? {} : { maxBlocks }),
      },
    );
  }

  #begin({ app }: EmbeddedNode): void {
    const height = app.nextHeight;
    this.status.heightUnderWay = height;
    const { plan } = app;
    if (plan && plan.height <= height) this.reporter.begin(plan.name, height);
  }

  #made(held: OpenHome, { app }: EmbeddedNode, made: MadeBlock): void {
    const { stored, result } = made;
    const { height } = stored.header;
    const { plan } = app;
    this.status.commits++;
    this.reporter.end();
    this.status.heightUnderWay = 0n;
    if (result.applied)
      this.sayApplied(result.applied, { height, milliseconds: made.milliseconds, appHash: stored.appHash });
    for (const { message, fields } of this.#watch?.after(height, plan, result.applied?.plan.name) ?? []) {
      this.log("info", message, fields);
    }
    const handlerState = held.handlerState(app);
    this.send({
      kind: "committed",
      height,
      appHash: stored.appHash,
      handlerState,
      isUpgrade: result.applied !== undefined,
    });
  }

  /** It was checked there over the same state, and is again here: a block may have come in between. */
  #take(id: number, bytes: Uint8Array): void {
    try {
      if (this.#node?.mempool.add(bytes, "admitted").code !== 0) this.send({ kind: "refused", id });
    } catch (error) {
      this.send({ kind: "refused", id });
      this.log("debug", `a transaction was let in and holds no longer: ${String(error)}`);
    }
    this.status.txsTaken = id;
  }
}

function factsOf(held: OpenHome, { app, facts, key }: EmbeddedNode): EngineFacts {
  return {
    chain: facts,
    ...held.staking,
    genesisDigest: held.genesisDigest,
    address: key.address,
    publicKey: key.publicKey.bytes,
    versions: app.versions,
    version: app.version.number,
    lastHeight: app.lastCommitID.version,
    handlerState: held.handlerState(app),
  };
}
