/** A node as a process of the model: ours, which halts with an exit status, or one of the Cosmos SDK, which stays and makes no blocks. */

import { isUpgradeError, type UpgradeError } from "../../../host/base/errors/errors.js";
import type { Plan } from "../../../host/base/types/types.js";
import type { App } from "../../../host/chain/app/app.js";
import type { AppProcess, ProcessEnd, StartOptions } from "../../../host/visor/decide/machine.js";
import type { ProgramName } from "./model-chain.js";
import { skipHeightsOf } from "./skip-flags.js";
import { endHeightRecord } from "./wal.js";
import type { World } from "./world.js";

export type AppKind = "ours" | "sdk";

const LOAD_MILLIS = 150;
const BLOCK_MILLIS = 1_000;
/** The block of an upgrade takes longer: it may be killed in it. */
const MIGRATION_MILLIS = 1_500;
const STOP_MILLIS = 40;
/** Between the truncation of a file that is not written whole, and its content. */
const TORN_MILLIS = 2;
const LOCKED_EXIT = 30;
const FAILED_EXIT = 1;
/** After upgrade-info.json is written. */
const EXIT_MILLIS = 5;

export class ModelApp implements AppProcess {
  readonly ended: Promise<ProcessEnd>;
  isReady = false;
  /** It ran once: what the campaign counts. */
  isGone = false;
  #end: (end: ProcessEnd) => void = () => undefined;
  #called: () => void = () => undefined;
  readonly #untilCalled: Promise<void>;
  #app: App | undefined;

  constructor(
    private readonly world: World,
    readonly program: ProgramName,
    readonly pid: number,
    private readonly options: StartOptions,
  ) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#untilCalled = new Promise((resolve) => {
      this.#called = resolve;
    });
    void this.#run();
  }

  /** That it was started with. */
  get environment(): StartOptions["env"] {
    return this.options.env;
  }

  call(): void {
    this.#called();
  }

  kill(signal: NodeJS.Signals): void {
    if (this.isGone) return;
    if (signal === "SIGKILL") this.#leave({ exit: null, signal });
    else void this.world.clock.sleep(STOP_MILLIS).then(() => this.#leave({ exit: 0, signal: null }));
  }

  #leave(end: ProcessEnd): void {
    if (this.isGone) return;
    this.isGone = true;
    this.world.left(this, this.#app);
    this.#end(end);
  }

  async #run(): Promise<void> {
    const { world, options } = this;
    await world.clock.sleep(LOAD_MILLIS);
    if (this.isGone) return;
    if (options.isStandby) {
      this.isReady = true;
      await this.#untilCalled;
      if (this.isGone) return;
    }
    // The home is locked while a node runs on it, whichever sidecar started that.
    if (!world.enters(this)) return this.#leave({ exit: this.#ours ? LOCKED_EXIT : FAILED_EXIT, signal: null });
    try {
      this.#app = world.chain.open(this.program, world.upgradeFiles(this.#ours), skipHeightsOf(options.args));
      for (;;) await this.#block(this.#app);
    } catch (error) {
      if (error === GONE) return;
      if (!isUpgradeError(error)) {
        world.alarm(`the model's node failed: ${error instanceof Error ? (error.stack ?? "") : error}`);
        return this.#leave({ exit: FAILED_EXIT, signal: null });
      }
      await this.#halt(error);
    }
  }

  get #ours(): boolean {
    return this.world.kind === "ours";
  }

  async #block(app: App): Promise<void> {
    const { world } = this;
    const next = app.nextHeight;
    const isMigration = world.chain.plans.some(({ height }) => height === next) && this.program !== "v1";
    await world.clock.sleep(isMigration ? MIGRATION_MILLIS : BLOCK_MILLIS);
    if (this.isGone) throw GONE;
    // CometBFT has a block, and says so in its log, before the application runs it.
    if (!this.#ours) world.appendWal(endHeightRecord(next));
    world.committed(this, world.chain.makeBlock(app));
  }

  async #halt(error: UpgradeError): Promise<void> {
    const { world } = this;
    const height = world.chain.height + 1n;
    const plan = world.chain.plans.find((each) => each.height === height);
    if (error.code === "UPG_HALT_UPGRADE_NEEDED" && plan) await this.#writeInfo(plan);
    if (this.isGone) return;
    if (this.#ours) world.writeHalt(error, plan);
    world.halted(this, error);
    await world.clock.sleep(EXIT_MILLIS);
    if (this.isGone) return;
    if (this.#ours) return this.#leave({ exit: error.kind.exit, signal: null });
    // The consensus failed: the process stays. One that fails while it replays its last block ends.
    if (world.isReplay(this)) this.#leave({ exit: FAILED_EXIT, signal: null });
  }

  async #writeInfo(plan: Plan): Promise<void> {
    const { world } = this;
    const text = JSON.stringify({ name: plan.name, height: Number(plan.height), info: plan.info });
    if (this.#ours) return world.writeInfo(text, text);
    world.writeInfo("", text);
    await world.clock.sleep(TORN_MILLIS);
    if (this.isGone) return;
    world.writeInfo(text.slice(0, text.length / 2), text);
    await world.clock.sleep(TORN_MILLIS);
    if (!this.isGone) world.writeInfo(text, text);
  }
}

/** It was killed while it waited. */
const GONE = Symbol("gone");
