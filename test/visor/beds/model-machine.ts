/** The machine as one sidecar has it, from its start to its end or its crash. Whatever a dead one still does has no effect. */
import type {
  AppProcess,
  Machine,
  ProcessEnd,
  Processes,
  RunEnd,
  RunOptions,
  StartOptions,
} from "../../../host/visor/decide/machine.js";
import type { ModelApp } from "./model-app.js";
import { programIn } from "./model-chain.js";
import { type FileCall, type Interference, ModelFiles } from "./model-files.js";
import type { World } from "./world.js";

const COMMAND_MILLIS = 100;
const BYTES_MAX = 1 << 20;

export interface MachineOptions {
  readonly world: World;
  /** What happens at a call of a file. */
  readonly interfere?: (call: FileCall, path: string) => Interference | undefined;
  /** The sidecar is gone: what becomes of the rest of the machine. */
  readonly onDeath?: () => void;
  /** Commands besides those of the model's programs, by the first argument or the file's name. */
  readonly commands?: (file: string, options: RunOptions) => Partial<RunEnd> | undefined;
}

/** What one that is dead waits for: each its own, since a promise that all share keeps every world that waits for it. */
const never = () => new Promise<never>(() => undefined);

/** What a call of a dead sidecar throws. */
class Dead extends Error {
  constructor() {
    super("this sidecar is gone");
  }
}

export class ModelMachine implements Machine {
  isDead = false;
  readonly files: ModelFiles;
  readonly clock: Machine["clock"];
  readonly processes: Processes;
  readonly #children = new Set<ModelApp>();

  constructor(private readonly options: MachineOptions) {
    const { world, interfere } = options;
    const { clock, disk } = world;
    const sleep = async (millis: number, signal?: AbortSignal) => {
      if (!this.isDead) await clock.sleep(millis, signal);
      if (this.isDead) await never();
    };
    this.clock = { now: () => clock.now(), wall: () => clock.wall(), sleep };
    this.files = new ModelFiles({
      ...{ disk, sleep, bytesMax: BYTES_MAX },
      die: () => this.die(),
      interfere: (call, path) => {
        this.#live();
        return interfere?.(call, path);
      },
    });
    this.processes = {
      start: (file, start) => this.#start(file, start),
      left: (variable, value) => this.#left(variable, value),
      run: (file, run) => this.#run(file, run),
    };
  }

  watch(folder: string, onChange: () => void): () => void {
    this.#live();
    return this.options.world.watch(folder, () => this.isDead || onChange());
  }

  /** As kill -9 does. */
  die(): never {
    if (!this.isDead) {
      this.isDead = true;
      this.options.onDeath?.();
    }
    throw new Dead();
  }

  #live(): void {
    if (this.isDead) throw new Dead();
  }

  #start(file: string, options: StartOptions): AppProcess {
    this.#live();
    const { world } = this.options;
    const program = this.#programAt(file);
    if (!program) return notRun(new Error(`spawn ${file} ENOEXEC`));
    for (const other of this.#children) {
      if (!other.isGone && !options.isStandby && world.holder === other) {
        world.alarm(`program ${program} was started beside ${other.program}, by the same sidecar`);
      }
    }
    const app = world.start(program, options);
    this.#children.add(app);
    return app;
  }

  #left(variable: string, value: string): readonly AppProcess[] {
    this.#live();
    const marked = [...this.options.world.apps].filter(
      (app) => app.environment[variable] === value && !this.#children.has(app),
    );
    return marked.map((app) => {
      this.#children.add(app);
      const ended = app.ended.then((): ProcessEnd => ({ exit: null, signal: null }));
      const kill = (signal: NodeJS.Signals) => app.kill(signal);
      return { pid: app.pid, ended, isReady: false, call: () => undefined, kill };
    });
  }

  async #run(file: string, options: RunOptions): Promise<RunEnd> {
    if (this.isDead) await never();
    const { world, commands } = this.options;
    await this.clock.sleep(COMMAND_MILLIS, options.signal);
    const end: RunEnd = { exit: 0, signal: null, stdout: "", stderr: "" };
    const other = commands?.(file, options);
    if (other) return { ...end, ...other };
    const program = this.#programAt(file);
    if (!program) return { ...end, exit: null, error: new Error(`spawn ${file} ENOEXEC`) };
    switch (options.args[0]) {
      case "version":
        return { ...end, stdout: `${program}\n` };
      case "pre-upgrade":
        return end;
      case "status": {
        if (!world.holder) return { ...end, exit: 1, stderr: "connection refused\n" };
        return { ...end, stdout: JSON.stringify({ sync_info: { latest_block_height: String(world.chain.height) } }) };
      }
      default:
        return { ...end, exit: 1, stderr: `unknown command ${options.args[0]}\n` };
    }
  }

  #programAt(file: string) {
    const inode = this.options.world.disk.find(file, true);
    const isProgram = inode?.kind === "file" && (inode.mode & 0o100) !== 0;
    return isProgram ? programIn(inode.bytes) : undefined;
  }
}

function notRun(error: Error): AppProcess {
  const ended = Promise.resolve({ exit: null, signal: null, error });
  return { pid: undefined, ended, isReady: false, call: () => undefined, kill: () => undefined };
}

/** A promise of a sidecar that is gone may be rejected with nobody left to hear of it; any other such is a defect. */
export function ignoreTheDead(): void {
  process.on("unhandledRejection", (reason) => {
    if (!(reason instanceof Dead)) throw reason;
  });
}
