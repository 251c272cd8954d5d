/** Which height the node has come to, from what needs no process first. */

import type { Reached } from "../decision/decide.js";
import { placesOf } from "../decision/paths.js";
import type { Machine } from "../machine.js";
import type { Settings } from "../settings.js";
import type { HaltFacts } from "./halt-record.js";
import { type AskRpc, heightByCommand, heightByRpc } from "./node-status.js";
import { ownNodeId } from "./own-node.js";
import { type StoreHeight, storeHeight } from "./store-height.js";
import { WalHeight } from "./wal.js";

export interface KnownHeightOptions {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly askRpc: AskRpc;
  readonly storeHeight?: StoreHeight | undefined;
  readonly log: (level: "debug" | "warn", message: string) => void;
}

/** Between two questions to a node that runs. */
const ASK_MILLIS = 1_000;
const IDLE_MILLIS = 2_000;
/** The command starts a process each time. */
const COMMAND_MILLIS = 2_000;

/** Records of ends at a height, whose block is not made. */
const AT_HEIGHT: ReadonlySet<string> = new Set(["UPG_HALT_UPGRADE_NEEDED", "UPG_HALT_RESTART", "UPG_HALT_HEIGHT"]);

export class KnownHeight {
  readonly #wal: WalHeight;
  #asked: Reached | undefined;
  #seen: bigint | undefined;
  #hasSaid = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #commandAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  /** That responds in place of this home's node. */
  #other: string | undefined;
  readonly #closing = new AbortController();

  constructor(private readonly options: KnownHeightOptions) {
    this.#wal = new WalHeight(options.machine.files, placesOf(options.settings).wal);
  }

  /** The greatest that the node has said, in any run. */
  get seen(): bigint | undefined {
    return this.#seen;
  }

  /** In the present run, or in that which has ended last. */
  get hasSaid(): boolean {
    return this.#hasSaid;
  }

  runBegins(): void {
    this.#hasSaid = false;
  }

  /** While the application does not run. */
  async ofHome(isOurs: boolean, halt: HaltFacts | undefined): Promise<Reached | undefined> {
    this.#asked = undefined;
    if (!isOurs) return this.#ofLog();
    const committed = await (this.options.storeHeight ?? storeHeight)(this.options.settings.home);
    if (committed === undefined) return this.#ofLog();
    const isAt = halt !== undefined && AT_HEIGHT.has(halt.code) && halt.lastCommitted === committed;
    return { height: isAt ? halt.height : committed, source: "store" };
  }

  /**
   * While it runs, or has just ended, without waiting; a node that has to be asked is asked meanwhile, and `onAnswer` called.
   * @param halt that the application has written in this run
   */
  ofRun(isOurs: boolean, halt: HaltFacts | undefined): Reached | undefined {
    if (isOurs) {
      if (halt && AT_HEIGHT.has(halt.code)) return { height: halt.height, source: "store" };
      // What its RPC says is of blocks that are made: those of an upgrade are the record's.
      return this.#asked;
    }
    return this.#ofLog() ?? this.#asked;
  }

  /**
   * @param file of the running program, where a plan waits for what it says; undefined: the height is for people
   * @param onAnswer when something new is known
   */
  ask(file: string | undefined, onAnswer: () => void): void {
    const { clock } = this.options.machine;
    const pause = file === undefined ? IDLE_MILLIS : ASK_MILLIS;
    if (this.#asking || clock.now() - this.#askedAt < pause) return;
    this.#askedAt = clock.now();
    const before = this.#asked?.height;
    this.#asking = this.#question(file).then(() => {
      this.#asking = undefined;
      if (this.#asked?.height !== before) onAnswer();
    });
  }

  async #question(file: string | undefined): Promise<void> {
    const { settings, machine, env } = this.options;
    const ownId = ownNodeId(machine.files, settings.home);
    const onOther = (url: string, id: string) => this.#sayOther(url, id);
    const byRpc = await heightByRpc({ address: settings.rpcAddress, ownId, onOther }, this.options.askRpc);
    if (byRpc !== undefined) {
      this.#said({ height: byRpc, source: "rpc" });
      return;
    }
    const now = machine.clock.now();
    const { signal } = this.#closing;
    if (signal.aborted || file === undefined || now - this.#commandAt < COMMAND_MILLIS || this.#ofLog()) return;
    this.#commandAt = now;
    const { home, root: cwd } = settings;
    const height = await heightByCommand(machine, { file, home, cwd, env, signal });
    if (height !== undefined) this.#said({ height, source: "status" });
  }

  #sayOther(url: string, id: string): void {
    if (this.#other === id) return;
    this.#other = id;
    const words = `is node ${id} of this chain, and not this home's: its height is not taken (CHAINVISOR_RPC_ADDRESS)`;
    this.options.log("warn", `what responds at ${url} ${words}`);
  }

  /** A `status` that does not end would outlive the sidecar. */
  close(): void {
    this.#closing.abort();
  }

  #said(reached: Reached): void {
    this.#asked = reached;
    this.#hasSaid = true;
    if (this.#seen === undefined || reached.height > this.#seen) this.#seen = reached.height;
  }

  #ofLog(): Reached | undefined {
    try {
      const height = this.#wal.read();
      return height === undefined ? undefined : { height, source: "wal" };
    } catch (error) {
      this.options.log("debug", `CometBFT's log cannot be read: ${String(error)}`);
      return undefined;
    }
  }
}
