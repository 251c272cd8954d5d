/** Logs whether this node has what the plan's block needs: at start, and whenever it changes. */

import type { Height, Plan } from "../../base/types/types.js";
import type { App } from "../../chain/app/app.js";
import { handlerReadiness } from "../../upgrade/module/handler-readiness.js";
import type { FoundHandler } from "../../upgrade/module/handler-set.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import { type Keeper, UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import { failedRehearsal } from "./failed-rehearsal.js";
import type { HandlerFile } from "./handlers-folder.js";
import type { Home } from "./home.js";
import type { RoomLine } from "./upgrade-room.js";

/** Between two looks at the staged handlers, unless the next block is the plan's. */
const STAGED_LOOK_MILLIS = 1_000;

/** Of the plan, by what is committed and what the home keeps. */
export const readinessOf = ({ keeper, multiStore }: App, home: Home, plan: Plan): FoundHandler =>
  handlerReadiness(keeper, multiStore.at(multiStore.lastCommitID.version), plan, (hash) =>
    failedRehearsal(home.rehearsalFile(plan.name), hash),
  );

interface ReadinessOptions {
  readonly keeper: Keeper;
  readonly find: (plan: Plan) => FoundHandler;
  /** The plan in committed state. */
  readonly plan: () => Plan | undefined;
  readonly nextHeight: () => Height;
  /** Handlers of the home that are not staged. */
  readonly ofHome: readonly HandlerFile[];
  readonly skipHeights: readonly Height[];
  /** Of the home's disk, for a plan; undefined: not known. */
  readonly room: (plan: string) => RoomLine | undefined;
  readonly log: (level: LogLevel, message: string) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

class Readiness {
  #lookedAt = Number.NEGATIVE_INFINITY;
  #said = "";
  #plan: Plan | undefined;

  constructor(private readonly options: ReadinessOptions) {}

  /** Heights to skip at which nothing is planned: a mistyped one must not go by in silence. */
  #skips(plan: Plan | undefined): void {
    const next = this.options.nextHeight();
    for (const height of this.options.skipHeights) {
      if (plan && plan.height <= height && (plan.height === height || height === next)) continue;
      const planned = plan ? `the plan "${plan.name}" is scheduled for ${plan.height}` : "no plan is scheduled";
      const what = height < next ? `block ${height} was made already` : planned;
      this.options.log("warn", `--unsafe-skip-upgrades ${height}: nothing to skip there, ${what}`);
    }
  }

  /** At start: also which handlers of the home wait for a plan that nobody has scheduled. */
  atStart(isDone: (plan: string) => boolean): void {
    const plan = this.options.plan();
    for (const { file, handler } of this.options.ofHome) {
      const { name } = handler.manifest;
      if (name === plan?.name || isDone(name)) continue;
      this.options.log("info", `${file} serves the plan "${name}", which is not scheduled: it waits`);
    }
    this.#say(plan);
    this.#skips(plan);
  }

  /** After each block. */
  afterBlock(): void {
    const { keeper, now, nextHeight } = this.options;
    const plan = this.options.plan();
    if (!plan) {
      this.#said = "";
      this.#plan = undefined;
      return;
    }
    const isOther = !this.#plan || !isSame(this.#plan, plan);
    if (!isOther && plan.height > nextHeight() && now() - this.#lookedAt < STAGED_LOOK_MILLIS) return;
    this.#lookedAt = now();
    keeper.lookForStaged();
    this.#say(plan);
  }

  #say(plan: Plan | undefined): void {
    const before = this.#plan;
    this.#plan = plan;
    if (!plan) return;
    if (!before || !isSame(before, plan)) this.#sayRoom(plan);
    const text = readinessText(this.options.find(plan), plan);
    const isInfoNew = before !== undefined && before.info !== plan.info;
    if (text === this.#said && !isInfoNew) return;
    this.#said = text;
    this.options.log("info", text);
  }

  #sayRoom({ name }: Plan): void {
    const room = this.options.room(name);
    if (room) this.options.log(room.isShort ? "warn" : "info", room.text);
  }
}

/** Says it for a node, now and after each of its blocks. */
export function sayReadiness(
  node: { readonly app: App; subscribe(listener: () => void): unknown },
  { home, ...options }: Pick<ReadinessOptions, "ofHome" | "log" | "skipHeights" | "room"> & { readonly home: Home },
): void {
  const { app } = node;
  const { keeper } = app;
  const readiness = new Readiness({
    ...options,
    keeper,
    find: (plan) => readinessOf(app, home, plan),
    plan: () => app.plan,
    nextHeight: () => app.nextHeight,
    now: () => performance.now(),
  });
  const store = app.multiStore.names.includes(UPGRADE_STORE) ? app.multiStore.store(UPGRADE_STORE) : undefined;
  readiness.atStart((plan) => store !== undefined && keeper.doneHeight(store, plan) > 0n);
  node.subscribe(() => readiness.afterBlock());
}

function isSame(a: Plan, b: Plan): boolean {
  return a.name === b.name && a.height === b.height && a.info === b.info;
}

function readinessText({ state, handler, isStaged, problem }: FoundHandler, plan: Plan): string {
  const begin = `the plan "${plan.name}" is scheduled for height ${plan.height}`;
  if (state !== "ready") return `${begin}: not ready, ${problem}`;
  const file = handler?.wasm?.file === undefined ? "" : ` (${handler.wasm.file})`;
  const hash = handler?.wasm ? ` sha256 ${handler.wasm.hash}` : ", a function of this program";
  return `${begin}: ${isStaged ? "staged" : "handler"} ✓${hash}${file}`;
}
