/** Receipts of upgrades by Wasm handlers: what the block's commit writes under `04|name`. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { compareText, fromHex } from "../bytes.js";
import type { Core } from "../core/core.js";
import { UpgradeError } from "../errors.js";
import { type Receipt, ReceiptSchema } from "../gen/chain/upgrade/v1/receipt_pb.js";
import type { WasmHandler } from "../handler/handler.js";
import { GAS_SCHEDULE } from "../handler/meter/schedule.js";
import type { HandlerReport } from "../handler/run/sandbox.js";
import type { RootChange } from "../store/versions/open-store.js";
import type { CommitOptions } from "../store/versions/store-options.js";
import type { Height } from "../types.js";
import type { AppliedUpgrade } from "./hooks.js";
import { UPGRADE_STORE } from "./keeper.js";

export interface ReceiptFacts {
  readonly plan: string;
  readonly height: Height;
  readonly wasm: WasmHandler;
  readonly report: HandlerReport;
  /** Roots of all stores but `upgrade`, before and in this block's commit. */
  readonly roots: ReadonlyMap<string, RootChange>;
}

/**
 * What a commit multi-store stages the block of `height` with: the version of an upgrade is never pruned, and a Wasm
 * handler's receipt names the roots that the block commits, so it is written last of all. Nothing for other blocks.
 *
 * @example
 * console.log(upgradeCommitOptions(new Core(), 7n, undefined)); // → {}
 */
export function upgradeCommitOptions(
  core: Core,
  height: Height,
  applied: AppliedUpgrade | undefined,
): Pick<CommitOptions, "keep" | "last"> {
  if (!applied) return {};
  const { handler, report, plan } = applied;
  const { wasm } = handler;
  if (!wasm || !report) return { keep: true };
  const write: NonNullable<CommitOptions["last"]>["write"] = (store, roots) =>
    core.setReceipt(store, plan.name, encodeReceipt({ plan: plan.name, height, wasm, report, roots }));
  return { keep: true, last: { store: UPGRADE_STORE, write } };
}

/**
 * The record `04|name` of the upgrade store: protobuf, `chain.upgrade.v1.Receipt` (docs/abi.md).
 *
 * @example
 * import { readFileSync } from "node:fs";
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const wasm = loadHandler(readFileSync("handler.wasm"), { sha256 });
 * const report = { gas: 5n, stores: new Map(), checks: [], versionMap: new Map(), memoryPages: 1, logs: [] };
 * const receipt = encodeReceipt({ plan: "v2", height: 7n, wasm, report, roots: new Map() });
 * console.log(decodeReceipt(receipt).gas); // → 5n
 */
export function encodeReceipt({ plan, height, wasm, report, roots }: ReceiptFacts): Uint8Array {
  const writable = wasm.manifest.stores.filter(({ access }) => access === "rw").map(({ name }) => name);
  const stores = writable.sort(compareText).map((name) => {
    const counts = report.stores.get(name);
    const change = roots.get(name);
    return {
      name,
      written: BigInt(counts?.written ?? 0),
      deleted: BigInt(counts?.deleted ?? 0),
      bytes: BigInt(counts?.bytes ?? 0),
      rootBefore: change?.before ?? new Uint8Array(),
      rootAfter: change?.after ?? new Uint8Array(),
    };
  });
  const receipt = create(ReceiptSchema, {
    plan,
    height,
    handlerSha256: fromHex(wasm.hash),
    abi: wasm.manifest.abi,
    gasSchedule: GAS_SCHEDULE,
    gas: report.gas,
    stores,
    checks: report.checks.map(({ name }) => name),
  });
  return toBinary(ReceiptSchema, receipt);
}

/**
 * What a Wasm handler's upgrade left under `04|name` in store `upgrade`: plan, height, gas, and per store the pairs written and
 * deleted, with the root hashes before and after.
 *
 * @throws UpgradeError UPG_STORE_CORRUPT
 *
 * @example
 * console.log(decodeReceipt(Uint8Array.of(0x0a, 2, 0x76, 0x32)).plan); // → v2
 */
export function decodeReceipt(bytes: Uint8Array): Receipt {
  try {
    return fromBinary(ReceiptSchema, bytes);
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_CORRUPT", "a receipt cannot be decoded", { cause });
  }
}
