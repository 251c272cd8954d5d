/** The receipt of a run, made by the node that ran it and by a browser that runs it again. */
import { compareText, EMPTY, fromHex } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import type { WasmHandler } from "./handler.js";
import { GAS_SCHEDULE } from "./meter/schedule.js";
import { receiptBytes, type StoreReceipt } from "./receipt.js";
import type { HandlerReport } from "./run/sandbox.js";

export interface ReceiptFacts {
  readonly plan: string;
  readonly height: Height;
  readonly wasm: WasmHandler;
  readonly report: HandlerReport;
  /** For each store that the handler may write: the digest of the handler's own final writes. */
  readonly writes: ReadonlyMap<string, Uint8Array>;
  /** Roots of all stores but `upgrade`, before and in this block's commit. */
  readonly roots: ReadonlyMap<string, { readonly before: Uint8Array | undefined; readonly after: Uint8Array }>;
}

/**
 * The record `04|name` of the upgrade store: protobuf, `chain.upgrade.v1.Receipt` (docs/abi.md).
 *
 * @example
 * import { readFileSync } from "node:fs";
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const wasm = loadHandler(readFileSync("handler.wasm"), { sha256 });
 * const report = { gas: 5n, stores: new Map(), checks: [], versionMap: new Map(), memoryPages: 1, logs: [] };
 * const receipt = encodeReceipt({ plan: "v2", height: 7n, wasm, report, writes: new Map(), roots: new Map() });
 * console.log(decodeReceipt(receipt).gas); // → 5n
 */
export function encodeReceipt(facts: ReceiptFacts): Uint8Array {
  const { plan, height, wasm, report } = facts;
  const writable = wasm.manifest.stores.filter(({ access }) => access === "rw").map(({ name }) => name);
  return receiptBytes({
    ...{ plan, height, handlerSha256: fromHex(wasm.hash), abi: wasm.manifest.abi },
    ...{ gasSchedule: GAS_SCHEDULE, gas: report.gas },
    stores: writable.sort(compareText).map((name) => storeReceipt(name, facts)),
    checks: report.checks.map(({ name }) => name),
  });
}

function storeReceipt(name: string, { report, roots, writes }: ReceiptFacts): StoreReceipt {
  const counts = report.stores.get(name);
  const root = roots.get(name);
  return {
    name,
    written: BigInt(counts?.written ?? 0),
    deleted: BigInt(counts?.deleted ?? 0),
    bytes: BigInt(counts?.bytes ?? 0),
    rootBefore: root?.before ?? EMPTY,
    rootAfter: root?.after ?? EMPTY,
    writesSha256: writes.get(name) ?? EMPTY,
  };
}
