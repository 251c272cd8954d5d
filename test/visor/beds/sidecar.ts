/** One life of the sidecar in a world: from its start to its end or its death. */

import "undici";
import "../../../host/visor/download/fetch-program.js";
import { readSettings } from "../../../host/visor/decide/settings/read.js";
import { runVisor } from "../../../host/visor/run/loop/visor.js";
import { Board } from "../../../host/visor/status/board.js";
import { type MachineOptions, ModelMachine } from "./model-machine.js";
import { HOME, type World } from "./world.js";

export interface LifeOptions extends Omit<MachineOptions, "world"> {
  readonly world: World;
  /** Its environment: Cosmovisor's names, and its own. */
  readonly env: Readonly<Record<string, string>>;
  /** Of the application. */
  readonly args?: readonly string[];
}

export class Life {
  readonly machine: ModelMachine;
  readonly board: Board;
  readonly log: string[] = [];
  /** Its exit status, where it has ended by itself. */
  exit: number | undefined;
  readonly #stop = new AbortController();

  constructor(private readonly options: LifeOptions) {
    const { onDeath } = options;
    this.machine = new ModelMachine({
      ...options,
      onDeath: () => {
        this.#stop.abort("SIGKILL");
        onDeath?.();
      },
    });
    this.board = new Board(this.machine.clock);
    void this.#run();
  }

  get isOver(): boolean {
    return this.exit !== undefined || this.machine.isDead;
  }

  signal(name: NodeJS.Signals): void {
    this.#stop.abort(name);
  }

  /** As kill -9, at any moment. */
  kill(): void {
    try {
      this.machine.die();
    } catch {
      // It is gone.
    }
  }

  async #run(): Promise<void> {
    const { machine, board, log } = this;
    const { env, args = ["start", "--home", HOME], world } = this.options;
    try {
      const { settings } = readSettings(env, undefined, {}, { files: world.files });
      const say = (level: string, message: string) => void log.push(`${level} ${message}`);
      const exit = await runVisor({
        ...{ settings, args, env, machine, board, signal: this.#stop.signal, log: say },
        askRpc: () => Promise.reject(new Error("connection refused")),
        storeHeight: async () => (world.holder ? undefined : world.chain.height),
      });
      if (!machine.isDead) this.exit = exit;
    } catch (error) {
      if (machine.isDead) return;
      world.alarm(`the sidecar threw: ${error instanceof Error ? (error.stack ?? "") : error}`);
      this.exit = 1;
    }
  }
}
