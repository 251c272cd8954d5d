import { isUpgradeError, type UpgradeError } from "../../host/base/errors/errors.js";
import type { UpgradeFiles } from "../../host/base/files/upgrade-files.js";
import type { MultiStore } from "../../host/base/types/types.js";
import { CacheMultiStore } from "../../host/state/branch/kv/cache-multi-store.js";
import { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";
import { NO_UPGRADES } from "../../host/state/store/versions/store-upgrades.js";
import { Core } from "../../host/upgrade/core/core.js";
import { Halt } from "../../host/upgrade/module/halt.js";
import { endBlocker, preBlocker } from "../../host/upgrade/module/hooks.js";
import { Keeper, UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import type { UpgradeHandler } from "../../host/upgrade/module/upgrade-handler.js";
import { parseUpgradeInfo } from "../../host/upgrade/module/upgrade-info.js";
import { planProtoJson } from "../../host/upgrade/plan-info/plan-text.js";
import { type CaseRunner, expectBytes, expectEqual, type VectorCase } from "./harness.js";
import { callOf, normalPlan, planJson, planOf, rawPairs, texts, versionMap } from "./history-json.js";
import { type GivenText, hexBytes, isShortForm, isText, textOf } from "./short-forms.js";

const AUTHORITY = "cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn";
const core = new Core();

export const runHistories: CaseRunner = (vector) => {
  const chain = new Chain(vector);
  for (const [index, step] of (vector["steps"] as VectorCase[]).entries()) {
    try {
      if (!chain.run(step)) return [...chain.tags];
    } catch (error) {
      throw new Error(`step ${index} ${step["op"]} at ${step["height"] ?? "-"}: ${(error as Error).message}`);
    }
  }
  chain.compareQueries(vector["queries"]);
  return [...chain.tags];
};

/** A handler as data: what it writes, says or returns. */
interface HandlerData {
  readonly kind: "ok" | "error" | "panic";
  readonly text?: GivenText;
  readonly writes?: [string, string][];
  readonly replace?: Record<string, string>;
  readonly set?: Record<string, string>;
  readonly drop?: string[];
}

class Chain {
  readonly tags = new Set<string>();
  readonly #stores: Readonly<Record<string, MemoryKVStore>> = {
    upgrade: new MemoryKVStore(),
    app: new MemoryKVStore(),
  };
  readonly #multi: MultiStore = {
    names: ["app", "upgrade"],
    store: (name) => this.#stores[name] as MemoryKVStore,
    branch: () => new CacheMultiStore(this.#multi),
  };
  #file: Uint8Array | undefined;
  #wrote: string | undefined;
  #handlers = new Map<string, HandlerData>();
  #calls: unknown[] = [];
  #keeper!: Keeper;
  /** Has this process made a block? */
  #hasCommitted = false;
  /** Ours refused a plan that the source took: compared again when both have the same plan. */
  #isApart = false;
  /** The source wrote the file for such a plan: not compared until ours is written again. */
  #isFileApart = false;
  #state: VectorCase = {};

  constructor(private readonly vector: VectorCase) {}

  get #upgrade(): MemoryKVStore {
    return this.#stores["upgrade"] as MemoryKVStore;
  }

  /** Returns false when the rest of the case cannot be compared. */
  run(step: VectorCase): boolean {
    this.#wrote = undefined;
    this.#calls = [];
    if (step["state"]) this.#state = step["state"];
    switch (step["op"]) {
      case "start":
        this.#start(step);
        break;
      case "set_handler":
        this.#setHandler(textOf(step["name"]), step["handler"]);
        break;
      case "set_versions":
        this.#keeper.setModuleVersions(this.#upgrade, versionMap(step["versions"]));
        break;
      case "schedule":
      case "cancel":
        this.#message(step);
        break;
      case "block":
        if (!this.#block(step)) return false;
        break;
      default:
        throw new Error("unknown step");
    }
    if (!this.#isApart) this.#compareState(this.#state);
    return true;
  }

  #start(step: VectorCase): void {
    this.#handlers = new Map();
    this.#hasCommitted = false;
    const files: UpgradeFiles = {
      read: () => this.#file,
      write: (_, bytes) => {
        this.#file = bytes;
        this.#isFileApart = false;
        this.#wrote = new TextDecoder().decode(bytes);
      },
      remove: () => undefined,
    };
    const skipHeights = (step["skip"] as string[]).map(BigInt);
    this.#keeper = new Keeper({ core, authority: AUTHORITY, skipHeights, files });
    for (const [name, handler] of Object.entries(step["handlers"])) this.#setHandler(name, handler as HandlerData);
    if (this.#isApart || this.#isFileApart) return;
    const info = this.#file && parseUpgradeInfo(this.#file);
    const disk = info ? { name: info.name, height: info.height, info: info.info } : { name: "", height: "0", info: "" };
    expectEqual(disk, step["disk"], "upgrade-info.json at start");
  }

  #setHandler(name: string, data: HandlerData): void {
    if (!this.#handlers.has(name)) {
      const run: UpgradeHandler = (context, plan, from) => {
        const handler = this.#handlers.get(name) as HandlerData;
        const app = context.store("app");
        const call: Record<string, unknown> = {
          from: texts(from),
          height: String(context.height),
          plan: planJson(plan),
        };
        this.#calls.push(call);
        for (const [key, value] of handler.writes ?? []) app.set(hexBytes(key), hexBytes(value));
        if (handler.kind === "error") return new Error(textOf(handler.text ?? ""));
        if (handler.kind === "panic") throw new Error(textOf(handler.text ?? ""));
        const returned = handler.replace ? versionMap(handler.replace) : new Map(from);
        for (const [module, version] of Object.entries(handler.set ?? {})) returned.set(module, BigInt(version));
        for (const module of handler.drop ?? []) returned.delete(module);
        call["returned"] = texts(returned);
        return returned;
      };
      // The source has no such guards: what ours refuses by accident is declared here.
      this.#keeper.setUpgradeHandler(name, run, { allows: { emptyVersionMap: true, writeStores: ["app"] } });
    }
    this.#handlers.set(name, data);
  }

  #message(step: VectorCase): void {
    const branch = this.#multi.branch();
    const store = branch.store(UPGRADE_STORE);
    const authority = textOf(step["authority"]);
    let refused: UpgradeError | undefined;
    try {
      if (step["op"] === "cancel") this.#keeper.cancelUpgrade(store, { authority });
      else this.#keeper.softwareUpgrade(store, BigInt(step["height"]), { authority, plan: planOf(step["plan"]) });
      branch.write();
    } catch (error) {
      if (!isUpgradeError(error)) throw error;
      refused = error;
    }
    if (refused && step["outcome"] === "ok") {
      const tag = { UPG_INVALID_PLAN_NAME: "name-rule", UPG_INVALID_PLAN_INFO: "info-rule" }[refused.code as string];
      if (!tag) throw new Error(`ours refuses: ${refused.message}`);
      this.tags.add(tag);
      this.#isApart = true;
      return;
    }
    if (step["outcome"] === "ok") this.#isApart = false; // both have the same plan now, or none
    expectEqual(refused ? "error" : "ok", step["outcome"], "outcome");
    if (!refused || this.#isApart) return;
    // Ours may name the name or the info before the source gets to its own complaint.
    const isStricter = refused.code === "UPG_INVALID_PLAN_NAME" || refused.code === "UPG_INVALID_PLAN_INFO";
    if (isStricter && !isText(refused.message, step["text"]))
      this.tags.add(refused.code.endsWith("NAME") ? "name-rule" : "info-rule");
    else expectEqual(refused.message, step["text"], "refusal");
  }

  #block(step: VectorCase): boolean {
    if (this.#isApart) return this.#blockApart(step);
    const tags = (step["differs"] ?? []) as string[];
    if (tags.includes("same-process-after-halt")) {
      // Ours would have ended. Go on as the source does: its check of the last upgrade is done.
      this.tags.add("same-process-after-halt");
      this.#hasCommitted = true;
    }
    const height = BigInt(step["height"]);
    const appVersion = BigInt(this.vector["consensus_app_version"] ?? "0");
    const block = { chainId: "chain-1", height, time: { seconds: 0n, nanos: 0 }, appVersion };
    const branch = this.#multi.branch();
    let outcome: string;
    let text: string | undefined;
    try {
      const base = { ...this.#multi, storeUpgrades: NO_UPGRADES, hasCommitted: this.#hasCommitted };
      const input = { keeper: this.#keeper, branch, base, block };
      const pre = preBlocker(input);
      const applied = endBlocker(input, pre);
      branch.write();
      this.#hasCommitted = true;
      outcome = applied
        ? "applied"
        : ({ Idle: "idle", Pending: "pending", Skip: "skipped" }[pre.decision as string] ?? "?");
    } catch (error) {
      if (!isUpgradeError(error)) throw error;
      if (error.code === "UPG_MIGRATION_VERSION_MAP") return this.#versionMapRefused(tags);
      outcome = error instanceof Halt || step["outcome"] === "halt" ? "halt" : "panic";
      text = error.message;
    }
    expectEqual(outcome, step["outcome"], "outcome");
    expectEqual(text ?? null, step["text"] ?? null, "text");
    expectEqual(this.#wrote ?? null, step["info_file"] ?? null, "upgrade-info.json");
    expectEqual(this.#calls, (step["handler_calls"] ?? []).map(callOf), "handler calls");
    const versions = step["set_protocol_version"] as string[] | undefined;
    if (versions) expectEqual(core.protocolVersion(this.#upgrade), versions.at(-1), "protocol version");
    return true;
  }

  /** The source keeps what a map leaves out and lowers what it lowers; ours refuses, and the states part. */
  #versionMapRefused(tags: readonly string[]): boolean {
    const tag = ["version-map-merge", "version-lowered"].filter((name) => tags.includes(name));
    if (tag.length === 0) throw new Error("ours refuses the version map");
    for (const name of tag) this.tags.add(name);
    return false;
  }

  /** While ours lacks a plan that the source took, only what ends that can be followed. */
  #blockApart(step: VectorCase): boolean {
    if (step["info_file"]) this.#isFileApart = true;
    if (step["outcome"] === "applied") return false;
    if (step["outcome"] !== "skipped") return true;
    core.clear(this.#upgrade);
    this.#isApart = false;
    return true;
  }

  #compareState(expected: VectorCase): void {
    const store = this.#upgrade;
    const plan = core.plan(store);
    expectEqual(plan ? planJson(plan) : null, expected["plan"] ? normalPlan(expected["plan"]) : null, "state: plan");
    if (expected["plan_bytes"]) expectBytes(core.planBytes(store) as Uint8Array, expected["plan_bytes"], "plan bytes");
    const last = core.lastDone(store);
    expectEqual(
      last ? { name: last.name, height: last.height } : { name: "", height: "0" },
      expected["last"],
      "state: last",
    );
    for (const { name, height } of expected["done_height"]) {
      expectEqual(core.doneHeight(store, textOf(name)), height, `state: height of ${name}`);
    }
    const versions = [...core.versionMap(store)].map(([name, version]) => ({ name, version }));
    expectEqual(versions, expected["versions"], "state: versions");
    expectEqual(core.protocolVersion(store), expected["protocol_version"], "state: protocol version");
    expectEqual(rawPairs(store), this.#movedKeys(expected["kv"]), "state: raw pairs");
    expectEqual(rawPairs(this.#stores["app"] as MemoryKVStore), expected["app_kv"], "state: app");
  }

  /** The source's done key is `01 height name → 01`, ours `01 name → height`. */
  #movedKeys(pairs: [string, unknown][]): unknown[] {
    const moved = pairs.map(([key, value]): [string, unknown] => {
      if (!key.startsWith("01")) return [key, value];
      this.tags.add("done-key");
      return [`01${key.slice(18)}`, key.slice(2, 18)];
    });
    return moved.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  compareQueries(queries: VectorCase): void {
    if (this.#isApart) return;
    const store = this.#upgrade;
    const plan = core.plan(store);
    const printed = `{"plan":${plan ? planProtoJson(plan) : "null"}}`;
    expectEqual(printed, queries["current_plan"], "query: current plan");
    expectEqual(`{"address":"${this.#keeper.authority}"}`, queries["authority"], "query: authority");
    for (const [name, answer] of queries["applied_plan"]) {
      expectEqual(`{"height":"${core.doneHeight(store, textOf(name))}"}`, answer, `query: applied plan ${name}`);
    }
    const entries = [...core.versionMap(store)].map(([name, version]) => ({ name, version: String(version) }));
    expectEqual(JSON.stringify({ module_versions: entries }), queries["module_versions"], "query: module versions");
    for (const [given, answer] of queries["module_versions_of"]) {
      const name = textOf(given);
      const version = core.moduleVersion(store, name);
      const ours = JSON.stringify({ module_versions: [{ name, version: String(version) }] });
      if (typeof answer === "string" || isShortForm(answer))
        expectEqual(ours, answer, `query: module version of ${name}`);
      else expectEqual(version ?? null, null, `query: module version of ${name}`);
    }
  }
}
