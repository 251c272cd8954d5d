/** Lies about one key, or about a range of keys: changed bytes, and honest parts put together in another way. */
import { compareBytes, toHex } from "../../host/base/text/bytes.js";
import { WireWriter } from "../../host/base/wire/wire.js";
import { Fields } from "../../host/base/wire/wire-fields.js";
import type { VersionView } from "../../host/state/store/versions/version-view.js";
import { afterKey, type ProvenRecord, verifyRange, verifyRecord } from "../../host/verify/proofs.js";
import type { Random } from "../guest/random/random.js";
import type { MadeChain } from "../unit/verify/made-chain.js";
import { mutatedBytes } from "./mutate.js";

const STORE = "upgrade";

function viewOf(chain: MadeChain, random: Random): VersionView {
  return chain.stores.at(1n + BigInt(random.below(chain.blocks.length - 1)));
}

const keysOf = (view: VersionView) => [...view.store(STORE).iterate()].map(([key]) => key);

function someKey(view: VersionView, random: Random): Uint8Array {
  const key = random.pick([...keysOf(view), Uint8Array.of(0), Uint8Array.of(3), Uint8Array.of(2, 99)]);
  return random.once(3) ? afterKey(key) : key;
}

/** One record with other bytes in its proofs, another key, another value, or neighbours of another key. */
export function keyLie(chain: MadeChain, random: Random): void {
  const view = viewOf(chain, random);
  const key = someKey(view, random);
  const { value, store, app } = view.prove(STORE, key);
  const way = random.below(6);
  const record: ProvenRecord = {
    key: way === 0 ? mutatedBytes(key, random) : key,
    value: way === 1 ? otherValue(value, random) : way >= 4 ? undefined : value,
    proofs: [
      way === 2 ? mutatedBytes(store, random) : way >= 4 ? madeAbsence(view, key, random) : store,
      way === 3 ? mutatedBytes(app, random) : app,
    ],
  };
  verifyRecord({ appHash: view.appHash, store: STORE, ...record });
  const own = record.key.length > 0 ? view.store(STORE).get(record.key) : undefined;
  if (shown(own) !== shown(record.value)) throw new Error(`believed: ${toHex(record.key)} is ${shown(record.value)}`);
}

const shown = (value: Uint8Array | undefined) => (value ? toHex(value) : "absent");

function otherValue(value: Uint8Array | undefined, random: Random): Uint8Array | undefined {
  return value && random.once(3) ? undefined : mutatedBytes(value ?? Uint8Array.of(1), random);
}

/** Two honest ways to leaves, on both sides of the key, or one of them: of neighbours, or further away. */
function madeAbsence(view: VersionView, key: Uint8Array, random: Random): Uint8Array {
  const [left, right] = [-1, 1].map((side) =>
    keysOf(view).filter((each) => Math.sign(compareBytes(each, key)) === side),
  );
  const writer = new WireWriter().bytes(1, key);
  for (const [field, keys] of [
    [2, left],
    [3, right],
  ] as const) {
    if (!keys || keys.length === 0 || random.once(4)) continue;
    const own = view.prove(STORE, random.pick(keys)).store;
    writer.message(field, new Fields(own, "CommitmentProof", ["bytes"]).bytes(1));
  }
  return new WireWriter().message(2, writer.finish()).finish();
}

/** A walk over a range, with records left out, repeated, exchanged, or of other keys. */
export function rangeLie(chain: MadeChain, random: Random): void {
  const view = viewOf(chain, random);
  const [start, end] = [someKey(view, random), someKey(view, random)].sort(compareBytes) as [Uint8Array, Uint8Array];
  const records = honestWalk(view, start, end);
  for (let count = random.below(3); count > 0; count--) {
    const at = random.below(records.length + 1);
    const way = random.below(3);
    if (way === 0) records.splice(at, 1);
    else if (way === 1) records.splice(at, 0, recordOf(view, someKey(view, random)));
    else if (records[at]) records[at] = recordOf(view, someKey(view, random));
  }
  const found = verifyRange({ appHash: view.appHash, store: STORE, start, end, records });
  const own = [...view.store(STORE).iterate({ start, end })];
  const text = (pairs: readonly (readonly [Uint8Array, Uint8Array])[]) =>
    pairs.map((pair) => pair.map(toHex).join("=")).join();
  if (text(found) !== text(own)) throw new Error(`believed: ${toHex(start)} to ${toHex(end)} has ${text(found)}`);
}

function recordOf(view: VersionView, key: Uint8Array): ProvenRecord {
  const { value, store, app } = view.prove(STORE, key);
  return { key, value, proofs: [store, app] };
}

function honestWalk(view: VersionView, start: Uint8Array, end: Uint8Array): ProvenRecord[] {
  const records: ProvenRecord[] = [];
  const keys = keysOf(view).filter((key) => compareBytes(key, start) >= 0);
  for (let next: Uint8Array | undefined = start; next && compareBytes(next, end) < 0; ) {
    const at: Uint8Array = next;
    const record = recordOf(view, at);
    records.push(record);
    const found = record.value ? at : keys.find((key) => compareBytes(key, at) > 0);
    next = found && afterKey(found);
  }
  return records;
}
