/** Writes a witness (docs/witness.md). */

import { assert } from "../../base/errors/errors.js";
import { compareBytes, compareText } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { IavlHasher } from "../commitment/iavl-hash.js";
import { ByteWriter } from "./byte-writer.js";
import { digestOf } from "./digest.js";
import { STORE_CLOSED, STORE_OPEN, WITNESS_FORMAT, WITNESS_MAGIC } from "./format.js";
import type { StoreBefore, StoreWrites, WitnessContents } from "./types.js";

/** The bytes of a witness; equal contents give equal bytes. Stores and writes come in the order that `WitnessContents` says. */
export function encodeWitness(contents: WitnessContents, sha256: Sha256): Uint8Array {
  const { chainId, plan, height, stores, others } = contents;
  requireAscending(stores.map(({ name }) => name));
  requireAscending(others.map(({ store }) => store));
  const out = new ByteWriter().raw(WITNESS_MAGIC).byte(WITNESS_FORMAT);
  out.text(chainId).text(plan).uvarint(Number(height)).uvarint(stores.length);
  for (const store of stores) writeStore(out, store);
  for (const { tree } of stores) if (tree) out.raw(tree.bytes);
  out.uvarint(others.length);
  for (const each of others) writeOthers(out, each);
  return out.raw(digestOf(out.finish(), new IavlHasher(sha256))).finish();
}

function writeStore(out: ByteWriter, { name, hash, tree }: StoreBefore): void {
  out
    .text(name)
    .raw(hash)
    .byte(tree ? STORE_OPEN : STORE_CLOSED);
}

function writeOthers(out: ByteWriter, { store, writes }: StoreWrites): void {
  out.text(store).uvarint(writes.length);
  writes.forEach(({ key, value }, at) => {
    const before = writes[at - 1];
    assert(!before || compareBytes(before.key, key) < 0, `the other writes of ${store} do not ascend`);
    out.uvarint(key.length).raw(key);
    // 0: a deletion.
    if (value) out.uvarint(value.length + 1).raw(value);
    else out.byte(0);
  });
}

function requireAscending(names: readonly string[]): void {
  const isAscending = names.every((name, at) => at === 0 || compareText(names[at - 1] as string, name) < 0);
  assert(isAscending, `the stores of a witness do not ascend: ${names.join(", ")}`);
}
