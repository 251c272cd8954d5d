/**
 * An upgrade run again: pre_block's decision, the handler, the core's writes, other writes of the same block, trees and
 * receipt, up to the app hash. The same code runs when a witness is recorded and when it is judged, so both look at the
 * same parts of the state.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import type { Height, OnProgress, Plan, Sha256, Timestamp } from "../../base/types/types.js";
import type { CacheMultiStore } from "../../state/branch/kv/cache-multi-store.js";
import { writesDigest } from "../../state/branch/kv/writes-digest.js";
import { appHash } from "../../state/commitment/app-hash.js";
import { IavlHasher } from "../../state/commitment/iavl-hash.js";
import { malformed } from "../../state/witness/byte-reader.js";
import { nextTree } from "../../state/witness/next-tree.js";
import type { StoreWrites } from "../../state/witness/types.js";
import type { Core } from "../../upgrade/core/core.js";
import { declaredVersions } from "../../upgrade/handler/declared-versions.js";
import { encodeReceipt } from "../../upgrade/handler/encode-receipt.js";
import type { WasmHandler } from "../../upgrade/handler/handler.js";
import type { RunObserver } from "../../upgrade/handler/run/run-position.js";
import { type HandlerReport, runHandler } from "../../upgrade/handler/run/sandbox.js";
import { UPGRADE_STORE } from "../../upgrade/module/upgrade-store.js";
import { addOthers } from "./add-others.js";
import type { StateBefore } from "./state-before.js";
import { StoresAfter } from "./stores-after.js";

export interface ReplayInput {
  readonly core: Core;
  readonly sha256: Sha256;
  readonly handler: WasmHandler;
  readonly before: StateBefore;
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
  readonly onProgress?: OnProgress | undefined;
  /** Gas that the handler may use; its manifest's limit when left out. */
  readonly gasLimit?: bigint | undefined;
  readonly observer?: RunObserver | undefined;
}

/** Root of a store before and after the block; before: undefined when it is new. */
export interface ReplayedRoot {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
}

/** What the block comes to. */
export interface Replayed {
  /** By name, ascending; those that are deleted are not among them. */
  readonly roots: ReadonlyMap<string, ReplayedRoot>;
  /** The bytes of the record `04|plan`. */
  readonly receipt: Uint8Array;
  readonly appHash: Uint8Array;
}

export class Replay {
  readonly stores: StoresAfter;
  /** The block's writes: after `run` those of the handler and of the core. */
  readonly branch: CacheMultiStore;
  readonly #hasher: IavlHasher;
  readonly #input: ReplayInput;

  /** @throws UpgradeError UPG_WITNESS_PLAN when the handler renames a store that is absent */
  constructor(input: ReplayInput) {
    this.#input = input;
    this.#hasher = new IavlHasher(input.sha256);
    this.stores = new StoresAfter(input.before, input.handler.manifest.storeUpgrades, this.#hasher);
    this.branch = this.stores.branch();
  }

  /**
   * Runs the handler of the plan that is due, and records it as done.
   * @throws UpgradeError UPG_WITNESS_PLAN, UPG_WITNESS_HIDDEN, UPG_MIGRATION_*, UPG_HANDLER_*, UPG_NOT_FOUND_STORE
   */
  run(): RanUpgrade {
    const { core, handler, height, chainId, time, onProgress, observer } = this.#input;
    const { manifest } = handler;
    const store = this.branch.store(UPGRADE_STORE);
    const { plan, planBytes } = this.#duePlan();
    const versionMap = core.versionMap(store);
    const branch = this.branch.branch();
    const facts = { chainId, height, time, planBytes, versionMap, stores: branch, base: this.stores, onProgress };
    const gasLimit = this.#input.gasLimit ?? manifest.gasLimit;
    const report = runHandler(handler, {
      ...facts,
      gasLimit,
      observer,
      log: () => undefined,
      progress: () => undefined,
    });
    const versions = declaredVersions(handler, versionMap, report);
    const digest = (name: string) => writesDigest(branch.store(name), handler.sha256);
    const writes = new Map([...report.stores.keys()].map((name) => [name, digest(name)]));
    branch.write();
    core.apply(store, height, planBytes, versions, manifest.removes);
    return { plan, report, writes };
  }

  /** What else the block wrote, over what `run` left. @throws UpgradeError UPG_WITNESS_MALFORMED, UPG_WITNESS_HIDDEN */
  addOthers({ plan }: RanUpgrade, others: readonly StoreWrites[]): void {
    const { stores, branch } = this;
    const receipt = this.#input.core.receiptKey(plan.name);
    for (const each of others) {
      const { store } = each;
      if (!stores.names.includes(store)) throw malformed(`it has other writes of a store "${store}", which is absent`);
      const last = store === UPGRADE_STORE ? receipt : undefined;
      addOthers({ ...each, branch: branch.store(store), isRenamed: stores.isRenamed(store), last });
    }
  }

  /** Makes the trees, the receipt and the app hash. Call it last. @throws UpgradeError UPG_WITNESS_HIDDEN */
  finish({ plan, report, writes }: RanUpgrade): Replayed {
    const { core, sha256, handler: wasm, height } = this.#input;
    const roots = new Map<string, ReplayedRoot>();
    for (const name of this.stores.names) if (name !== UPGRADE_STORE) roots.set(name, this.#root(name));
    const receipt = encodeReceipt({ plan: plan.name, height, wasm, report, writes, roots });
    core.setReceipt(this.branch.store(UPGRADE_STORE), plan.name, receipt);
    roots.set(UPGRADE_STORE, this.#root(UPGRADE_STORE));
    const hashes = [...roots].map(([name, { after }]) => ({ name, hash: after }));
    return { roots, receipt, appHash: appHash(sha256, hashes) };
  }

  /** The plan in state, which the block of this height applies with this handler. */
  #duePlan(): { readonly plan: Plan; readonly planBytes: Uint8Array } {
    const { core, handler, height } = this.#input;
    if (!this.stores.names.includes(UPGRADE_STORE)) throw wrongPlan(`there is no store "${UPGRADE_STORE}"`);
    const store = this.branch.store(UPGRADE_STORE);
    const planBytes = core.planBytes(store);
    const plan = planBytes && core.decodePlan(planBytes);
    if (!plan || !planBytes) throw wrongPlan("no plan is scheduled");
    if (plan.name !== handler.manifest.name) {
      throw wrongPlan(
        `the plan "${plan.name}" is scheduled, and the handler is of the plan "${handler.manifest.name}"`,
      );
    }
    const facts = { hasHandler: true, hasLastHandler: true, isSkipHeight: false, isFirstBlock: false };
    const decision = core.preBlock(store, height, facts);
    if (decision !== "Apply")
      throw wrongPlan(`the plan "${plan.name}" is for height ${plan.height}, not for ${height}`);
    return { plan, planBytes };
  }

  #root(name: string): ReplayedRoot {
    const { stores } = this;
    const before = stores.rootBefore(name);
    if (!stores.isOpened(name) && !stores.isRenamed(name)) return { before, after: before ?? this.#hasher.empty() };
    const { tree } = stores.opened(name);
    const { onProgress, height } = this.#input;
    onProgress?.("trees", name, 0, 0);
    const options = { hasher: this.#hasher, version: Number(height), isRenamed: stores.isRenamed(name) };
    return { before, after: nextTree(tree, this.branch.store(name).pending(), options).root.hash };
  }
}

/** What the handler did. */
export interface RanUpgrade {
  readonly plan: Plan;
  readonly report: HandlerReport;
  /** Of each store that it may write, the digest of its own final writes. */
  readonly writes: ReadonlyMap<string, Uint8Array>;
}

function wrongPlan(what: string): UpgradeError {
  return new UpgradeError("UPG_WITNESS_PLAN", `the state before the block: ${what}`);
}
