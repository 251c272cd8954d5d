/** Witnesses of a running node's upgrades: made in a thread of its own once an upgrade is committed, while blocks go on. */
import { Worker } from "node:worker_threads";
import { messageOf } from "../../base/errors/errors.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { Home } from "../home/home.js";
import type { ThreadProgram } from "./engine-thread.js";
import type { WitnessJob, WitnessMade } from "./witness-worker.js";

export interface WitnessesOptions {
  readonly home: Home;
  readonly program: () => ThreadProgram;
  /** More folders with handlers. */
  readonly folders: readonly string[];
  readonly log: (level: LogLevel, message: string) => void;
}

export class Witnesses {
  #worker: Worker | undefined;

  /** `options` undefined: nobody asked for witnesses. */
  constructor(private readonly options: WitnessesOptions | undefined) {}

  /** Of upgrades whose state before is still held: what an earlier process did not come to. */
  open(): void {
    if (this.options) this.#make(this.options);
  }

  /** A block was committed. */
  after(isUpgrade: boolean): void {
    if (isUpgrade) this.open();
  }

  /** What is being made is given up; the next start makes it. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #make({ home, program: programOf, folders, log }: WitnessesOptions): void {
    // What it leaves out the next start makes: upgrades are far apart.
    if (this.#worker) return;
    const workerData: WitnessJob = { kind: "witness", home: home.path, folders };
    const program = programOf();
    const [source, isCode] = "code" in program ? [program.code, true] : [program.file, false];
    const worker = new Worker(source, { workerData, name: "witness", eval: isCode });
    this.#worker = worker;
    worker.on("message", (made: WitnessMade) => {
      const file = home.witnessFile(made.plan);
      if (made.fault !== undefined) log("warn", `${file} was no witness of "${made.plan}" (${made.fault})`);
      if ("message" in made) log("warn", `no witness of "${made.plan}": ${made.message}`);
      else {
        const seconds = (made.milliseconds / 1_000).toFixed(1);
        log("info", `witness of "${made.plan}": ${made.bytes} bytes in ${seconds} s, ${file}`);
      }
    });
    worker.once("error", (error) => log("warn", `no witness: ${messageOf(error)}`));
    worker.once("exit", () => {
      this.#worker = undefined;
    });
  }
}
