/** A relay over applications in this process, each served on a socket of its own and ended when a test wants it; CometBFT is the test. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import type { Plan } from "../../../../host/base/types/types.js";
import type { App } from "../../../../host/chain/app/app.js";
import type { AppQuery, AppQueryResult } from "../../../../host/chain/app/engine-port.js";
import { parseAbciAddress } from "../../../../host/node/comet/address.js";
import { answer } from "../../../../host/node/comet/calls.js";
import { cometFiles } from "../../../../host/node/comet/comet-files.js";
import type { Answer, Call } from "../../../../host/node/comet/messages.js";
import { ServedApp } from "../../../../host/node/comet/served-app.js";
import { AbciServer } from "../../../../host/node/comet/server.js";
import { Home } from "../../../../host/node/home/home.js";
import { Layout, type Program } from "../../../../host/node/programs/layout.js";
import type { ProcessEnd } from "../../../../host/visor/decide/machine.js";
import type { LastBlock } from "../../../../host/visor/hot/abci-message.js";
import type { RelayHooks } from "../../../../host/visor/hot/hooks.js";
import { Relay, type RelayOptions } from "../../../../host/visor/hot/relay.js";
import type { Worker } from "../../../../host/visor/hot/worker.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import type { Chain, ProcessOptions } from "../../../scenario/chain.js";
import { AbciClient } from "../../node/comet/client.js";
import { until } from "./until.js";

const NONE = new Uint8Array(0);
const KILLED: ProcessEnd = { exit: null, signal: "SIGKILL", error: undefined };

const nothing = () => undefined;

/** Of a hold in which nobody else takes part. */
export const NO_HOOKS: RelayHooks = {
  ...{ beforeWorker: nothing, onWorker: nothing, onLastBlock: nothing, onCommitted: nothing, onPlan: nothing },
  ...{ onDue: nothing, onHold: nothing, onAgain: nothing },
  ...{ preparation: undefined, isFetched: () => false },
  beforePreUpgrade: () => Promise.resolve(),
  beforeUpgrade: () => Promise.resolve(),
  link: nothing,
};

/** What happens to one worker. */
export interface Fate extends ProcessOptions {
  /** It dies there, once: before the call is worked on, or when its response is made and not written. */
  readonly dies?: `${"before" | "after"} ${Call["case"]}`;
  /** It never serves: it ends so at its start. */
  readonly ends?: ProcessEnd;
  /** It never serves, until it is stopped. */
  readonly hangs?: boolean;
  /** What a response becomes. */
  readonly changes?: (made: Answer) => Answer;
}

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-relay-unit-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;

async function answerQuery({ path, height }: AppQuery): Promise<AppQueryResult> {
  return { code: 0, codespace: "", log: path, info: "", key: NONE, value: NONE, proof: undefined, height };
}

/** An application in this process, as a worker. */
class AppWorker implements Worker {
  readonly pid = undefined;
  readonly isReady = true;
  #app: App | undefined;
  readonly ended: Promise<ProcessEnd>;
  #end: (end: ProcessEnd) => void = () => undefined;
  #server: AbciServer | undefined;

  constructor(
    readonly program: Program,
    private readonly network: TestNetwork,
    private readonly fate: Fate,
    private readonly path: string,
  ) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    if (fate.ends) this.#end(fate.ends);
  }

  async lastBlock(): Promise<LastBlock | undefined> {
    if (this.fate.ends) return undefined;
    if (this.fate.hangs) return this.ended.then(() => undefined);
    const { chain } = this.network;
    const { app } = chain.start(this.fate);
    this.#app = app;
    const port = new ServedApp({ app, genesis: chain.genesis }, answerQuery);
    let dies = this.fate.dies;
    let failed: ProcessEnd | undefined;
    this.#server = await AbciServer.listen(parseAbciAddress(`unix://${this.path}`), {
      program: "chaind",
      answer: async (call) => {
        if (dies === `before ${call.case}`) return this.#die();
        const made = await answer(port, call);
        if (dies === `after ${call.case}`) return this.#die();
        return this.fate.changes?.(made) ?? made;
      },
      onFailed: (error) => {
        dies = undefined;
        this.network.writePlan();
        failed = { exit: isUpgradeError(error) ? error.kind.exit : 70, signal: null, error: undefined };
      },
      // The relay has read the exception, and hangs up.
      onGone: () => failed && void this.#over(failed),
    });
    const { lastHeight, lastAppHash } = port.info();
    return { height: lastHeight, appHash: lastAppHash };
  }

  async plan(): Promise<Plan | undefined> {
    return this.#app?.plan;
  }

  #die(): Promise<never> {
    void this.#over(KILLED);
    return new Promise(() => undefined);
  }

  async #over(end: ProcessEnd): Promise<void> {
    await this.#server?.close();
    this.#end(end);
  }

  kill(): Promise<void> {
    return this.#over(KILLED);
  }

  connect(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.path);
      socket.on("error", reject);
      socket.once("connect", () => resolve(socket));
    });
  }

  async stop(): Promise<ProcessEnd> {
    await this.#over({ exit: 0, signal: null, error: undefined });
    return this.ended;
  }
}

export class TestNetwork {
  readonly home: Home;
  readonly workers: AppWorker[] = [];
  readonly log: string[] = [];
  /** Programs whose workers were started before their turn. */
  readonly standby: string[] = [];
  /** The relay's exit status, or the error that it ended by. */
  readonly end: Promise<unknown>;
  readonly #stopping = new AbortController();
  readonly #late = new AbortController();
  readonly #relay: Relay;

  /** @param fates of the workers, one after the other; those after them live on */
  constructor(
    public chain: Chain,
    fates: readonly Fate[],
    upgrades: ReadonlyMap<string, string> = new Map(),
    hooks: Partial<RelayHooks> = {},
    restarts?: RelayOptions["restarts"],
  ) {
    const path = join(root, `h${homes++}`);
    this.home = new Home(path);
    mkdirSync(join(path, "data"), { recursive: true });
    // CometBFT is the test; this one only lives.
    const comet = {
      program: "/bin/sh",
      args: ["-c", 'touch "$0/comet"; exec sleep 600', path],
      files: cometFiles(this.home),
    };
    const start = (program: Program) => {
      const at = this.workers.length;
      const worker = new AppWorker(program, this, fates[at] ?? {}, join(path, `worker-${at}.sock`));
      this.workers.push(worker);
      return worker;
    };
    const relay = new Relay({
      ...{
        home: path,
        machine: realMachine,
        env: process.env,
        flags: [],
        retriesMax: 0,
        comet,
        signal: this.#stopping.signal,
        late: this.#late.signal,
      },
      address: parseAbciAddress(`unix://${path}/abci.sock`),
      layout: new Layout({ home: path, name: "chaind", program: "/bin/true", upgrades, own: "", isCaseKept: false }),
      start,
      startStandby: (program) => {
        this.standby.push(program.name);
        return start(program);
      },
      hooks: { ...NO_HOOKS, ...hooks },
      restarts,
      log: (level, message) => this.log.push(`${level} ${message}`),
    });
    this.#relay = relay;
    const run = async () => {
      try {
        return await relay.run();
      } catch (error) {
        return error;
      } finally {
        await relay.close();
      }
    };
    this.end = run();
    open.push(() => {
      this.stop();
      return this.end;
    });
  }

  stop(): void {
    this.#stopping.abort();
  }

  get lastBlock(): LastBlock | undefined {
    return this.#relay.lastBlock;
  }

  /** The block under way has had its time. */
  giveUp(): void {
    this.#late.abort();
  }

  /** What the chain's process has written at its halt. */
  writePlan(): void {
    const plan = this.chain.files.read("upgrade-info.json");
    if (plan) writeFileSync(join(this.home.dataFolder, "upgrade-info.json"), plan);
  }

  endComet(): void {
    const pid = Number(/CometBFT started: .*, process (\d+)/.exec(this.log.join("\n"))?.[1]);
    process.kill(pid, "SIGKILL");
  }

  /** One more connection of CometBFT, once the relay has started it. */
  async engine(): Promise<AbciClient> {
    await until(() => existsSync(join(this.home.path, "comet")));
    const client = await AbciClient.connect(`unix://${this.home.path}/abci.sock`);
    open.push(() => client.end());
    return client;
  }

  says(text: string): Promise<void> {
    return until(() => this.log.some((line) => line.includes(text)));
  }
}
