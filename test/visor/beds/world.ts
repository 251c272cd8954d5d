/**
 * One machine with one home: disk, clock, the chain, the node that runs on it, and what must never happen. Sidecars come and go
 * (model-machine.ts).
 */
import { join } from "node:path";
import type { UpgradeError } from "../../../host/base/errors/errors.js";
import type { UpgradeFiles } from "../../../host/base/files/upgrade-files.js";
import type { Height, Plan } from "../../../host/base/types/types.js";
import type { App } from "../../../host/chain/app/app.js";
import { haltRecord } from "../../../host/upgrade/module/halt.js";
import type { StartOptions } from "../../../host/visor/decide/machine.js";
import { type AppKind, ModelApp } from "./model-app.js";
import { ModelChain, type ProgramName, type ScheduledPlan } from "./model-chain.js";
import { ModelDisk } from "./model-disk.js";
import { calmFiles } from "./model-files.js";
import { VirtualClock } from "./virtual-clock.js";

export const HOME = "/srv/node";
export const ROOT = `${HOME}/cosmovisor`;
export const DATA = `${HOME}/data`;
export const NAME = "chaind";
const INFO_FILE = `${DATA}/upgrade-info.json`;
const HALT_FILE = `${DATA}/halt.json`;
const WAL_FILE = `${DATA}/cs.wal/wal`;
const FIRST_PID = 1_000;

/** What the chain's file holds after a block. */
export const stateAt = (height: Height) => `state after block ${height} ${"x".repeat(400)}`;

export interface WorldOptions {
  readonly kind: AppKind;
  readonly plans: readonly ScheduledPlan[];
}

/** A start of a program, for counts and tests. */
export interface Started {
  readonly program: ProgramName;
  /** Of the last block that was committed then. */
  readonly height: Height;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly at: number;
  readonly isStandby: boolean;
}

export class World {
  readonly clock = new VirtualClock();
  readonly disk = new ModelDisk(() => this.clock.wall());
  readonly files = calmFiles(this.disk);
  readonly chain: ModelChain;
  readonly kind: AppKind;
  /** What must never happen and did. */
  readonly alarms: string[] = [];
  readonly started: Started[] = [];
  /** Those that have not ended, held back ones included. */
  readonly apps = new Set<ModelApp>();
  /** Halts of nodes, by their code. */
  readonly halts: string[] = [];
  readonly #watchers = new Set<{ readonly folder: string; readonly onChange: () => void }>();
  readonly #committedBy = new WeakSet<ModelApp>();
  #holder: ModelApp | undefined;
  #pids = FIRST_PID;

  constructor({ kind, plans }: WorldOptions) {
    this.kind = kind;
    this.chain = new ModelChain(plans);
    this.files.makeFolder(DATA);
  }

  alarm(text: string): void {
    this.alarms.push(`${text} (at ${this.clock.now() / 1_000} s, height ${this.chain.height})`);
  }

  /** A process of a program; what it is allowed to do is found out when it begins. */
  start(program: ProgramName, options: StartOptions): ModelApp {
    const { args, env, isStandby = false } = options;
    const { height } = this.chain;
    this.started.push({ program, height, args, env, at: this.clock.now(), isStandby });
    const app = new ModelApp(this, program, ++this.#pids, options);
    this.apps.add(app);
    return app;
  }

  /** The node that has the home. */
  get holder(): ModelApp | undefined {
    return this.#holder;
  }

  /** False: another one has the home. */
  enters(app: ModelApp): boolean {
    if (this.#holder) return false;
    this.#holder = app;
    const { height } = this.chain;
    const before = this.chain.programOf(height);
    const next = this.chain.programOf(height + 1n);
    // At the height of an upgrade the old program may come once more: it halts again.
    if (app.program !== next && app.program !== before) {
      this.alarm(`program ${app.program} took the home, where ${next} makes the next block`);
    }
    return true;
  }

  left(app: ModelApp, opened: App | undefined): void {
    this.apps.delete(app);
    if (this.#holder !== app) return;
    this.#holder = undefined;
    this.chain.close(opened);
  }

  committed(app: ModelApp, height: Height): void {
    const program = this.chain.programOf(height);
    if (app.program !== program) this.alarm(`block ${height} was made by ${app.program}, not by ${program}`);
    if (this.#holder !== app) this.alarm(`block ${height} was made by a process that does not have the home`);
    // Counted by the blocks that there were: one that is made again has another count.
    if (height !== this.chain.height) this.alarm(`block ${height} was made again: ${this.chain.height} were committed`);
    this.#committedBy.add(app);
    this.writeState();
    this.files.remove(HALT_FILE);
    this.#changed(DATA);
  }

  /** The chain's files, which a backup has to have as they are at the height. */
  writeState(): void {
    const { height } = this.chain;
    this.#whole(this.stateFile, new TextEncoder().encode(stateAt(height)));
  }

  get stateFile(): string {
    return join(DATA, this.kind === "ours" ? "chain.mdb" : "application.db/000001.ldb");
  }

  /** It made no block since it started. */
  isReplay(app: ModelApp): boolean {
    return !this.#committedBy.has(app);
  }

  halted(_app: ModelApp, { code }: UpgradeError): void {
    this.halts.push(code);
  }

  /** The two files of the upgrade module: written whole by ours; a node of the SDK writes one, by itself. */
  upgradeFiles(isOurs: boolean): UpgradeFiles {
    const path = (name: string) => `${DATA}/${name}`;
    return {
      read: (name) => this.files.read(path(name)),
      write: (name, bytes) => isOurs && this.#whole(path(name), bytes),
      remove: (name) => this.files.remove(path(name)),
    };
  }

  /** upgrade-info.json as a node of the SDK writes it: truncated, then filled, and not synced. */
  writeInfo(part: string, whole: string): void {
    if (this.kind === "ours") this.#whole(INFO_FILE, new TextEncoder().encode(whole));
    else this.files.put(INFO_FILE, part);
    this.#changed(DATA);
  }

  writeHalt(error: UpgradeError, plan: Plan | undefined): void {
    const { height } = this.chain;
    const facts = { lastCommittedHeight: height, nextHeight: height + 1n, appHash: new Uint8Array(32), time: "" };
    const record = haltRecord(error, { ...facts, home: HOME, program: NAME, duePlan: plan });
    this.#whole(HALT_FILE, new TextEncoder().encode(JSON.stringify(record)));
  }

  appendWal(record: Uint8Array): void {
    const before = this.files.read(WAL_FILE) ?? new Uint8Array();
    const bytes = new Uint8Array(before.length + record.length);
    bytes.set(before);
    bytes.set(record, before.length);
    this.#whole(WAL_FILE, bytes);
  }

  #whole(path: string, bytes: Uint8Array): void {
    this.files.put(`${path}.node`, bytes);
    this.files.syncFile(`${path}.node`);
    this.files.rename(`${path}.node`, path);
    this.files.syncFolder(path.slice(0, path.lastIndexOf("/")));
    this.#changed(DATA);
  }

  watch(folder: string, onChange: () => void): () => void {
    const watcher = { folder, onChange };
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #changed(folder: string): void {
    for (const watcher of this.#watchers) if (watcher.folder === folder) queueMicrotask(watcher.onChange);
  }
}
