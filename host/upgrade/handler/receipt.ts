/**
 * Receipts of upgrades by Wasm handlers, on the wire: `chain.upgrade.v1.Receipt` (docs/abi.md). Written by hand, since a
 * browser that runs a handler again makes its receipt too.
 */
import { UpgradeError } from "../../base/errors/errors.js";
import { decodeText, encodeText } from "../../base/text/text.js";
import type { Height } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { Fields } from "../../base/wire/wire-fields.js";

/** What an upgrade by a Wasm handler did. */
export interface Receipt {
  readonly plan: string;
  readonly height: Height;
  /** SHA-256 of the handler's file. */
  readonly handlerSha256: Uint8Array;
  /** The handler interface. */
  readonly abi: number;
  readonly gasSchedule: string;
  readonly gas: bigint;
  /** The stores that the handler may write, ascending by name. */
  readonly stores: readonly StoreReceipt[];
  /** The handler's own checks, in its order; all of them held. */
  readonly checks: readonly string[];
}

/** What it did to one store. */
export interface StoreReceipt {
  readonly name: string;
  /** Puts, deletes, and the bytes of keys and values of both: a key written twice counts twice. */
  readonly written: bigint;
  readonly deleted: bigint;
  readonly bytes: bigint;
  /** Root of the store before the block; no bytes for a store that is new. A renamed store's is that of the old one. */
  readonly rootBefore: Uint8Array;
  /** Root of the store in the block's commit: what others of the block wrote is in it too. */
  readonly rootAfter: Uint8Array;
  /** SHA-256 over the handler's own last write to each key (docs/abi.md); no bytes in receipts of older programs. */
  readonly writesSha256: Uint8Array;
}

/** The message's bytes, fields in ascending order. */
export function receiptBytes(receipt: Receipt): Uint8Array {
  const out = new WireWriter().string(1, receipt.plan).int(2, receipt.height).bytes(3, receipt.handlerSha256);
  out.int(4, receipt.abi).string(5, receipt.gasSchedule).int(6, receipt.gas);
  for (const store of receipt.stores) out.message(7, storeBytes(store));
  for (const check of receipt.checks) out.message(8, encodeText(check));
  return out.finish();
}

function storeBytes(store: StoreReceipt): Uint8Array {
  const out = new WireWriter().string(1, store.name).int(2, store.written).int(3, store.deleted).int(4, store.bytes);
  return out.bytes(5, store.rootBefore).bytes(6, store.rootAfter).bytes(7, store.writesSha256).finish();
}

/**
 * What a Wasm handler's upgrade left under `04|name` in store `upgrade`: plan, height, gas, and per store the pairs written and
 * deleted, with the root hashes before and after, and a digest of what the handler itself wrote.
 *
 * @throws UpgradeError UPG_STORE_CORRUPT
 *
 * @example
 * console.log(decodeReceipt(Uint8Array.of(0x0a, 2, 0x76, 0x32)).plan); // → v2
 */
export function decodeReceipt(bytes: Uint8Array): Receipt {
  try {
    const kinds = ["bytes", "varint", "bytes", "varint", "bytes", "varint", "list", "list"] as const;
    const fields = new Fields(bytes, "Receipt", kinds);
    return {
      ...{ plan: fields.text(1), height: fields.int64(2), handlerSha256: fields.hash(3), abi: fields.uint32(4) },
      ...{ gasSchedule: fields.text(5), gas: fields.uint64(6), stores: fields.list(7).map(decodeStore) },
      checks: fields.list(8).map((check) => decodeText(check)),
    };
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_CORRUPT", "a receipt cannot be decoded", { cause });
  }
}

function decodeStore(bytes: Uint8Array): StoreReceipt {
  const kinds = ["bytes", "varint", "varint", "varint", "bytes", "bytes", "bytes"] as const;
  const fields = new Fields(bytes, "StoreReceipt", kinds);
  return {
    ...{ name: fields.text(1), written: fields.uint64(2), deleted: fields.uint64(3), bytes: fields.uint64(4) },
    ...{ rootBefore: fields.hash(5), rootAfter: fields.hash(6), writesSha256: fields.hash(7) },
  };
}
