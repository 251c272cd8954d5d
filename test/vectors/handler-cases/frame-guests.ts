/** Framed writes, by store_write and by handler_batch: good ones, bad ones after good ones, and gas that ends among them. */
import { concatBytes, fromHex } from "../../../host/base/text/bytes.js";
import { writeU32 } from "../../../host/base/wire/u32.js";
import { data, OUT } from "../../guest/build.js";
import { STORES } from "../../guest/running.js";
import type { Collection } from "./collection.js";
import { addGuest } from "./guest-runs.js";

const OPS = 0x2000;

function put(store: number, key: Uint8Array | string, value: Uint8Array | string = "", operation = 0): Uint8Array {
  const [k, v] = [key, value].map((part) => (typeof part === "string" ? fromHex(part) : part)) as [
    Uint8Array,
    Uint8Array,
  ];
  const head = new Uint8Array(8);
  writeU32(head, 0, ((operation << 30) | (store << 24) | k.length) >>> 0);
  writeU32(head, 4, v.length);
  return concatBytes(head, k, v);
}

function remove(store: number, key: string): Uint8Array {
  const head = new Uint8Array(4);
  writeU32(head, 0, ((1 << 30) | (store << 24) | (key.length / 2)) >>> 0);
  return concatBytes(head, fromHex(key));
}

const bytes = (length: number, first = 1) => new Uint8Array(length).fill(first);
const good = put(0, "0102", "aa");

const LISTS: Readonly<Record<string, Uint8Array>> = {
  "no frames": new Uint8Array(0),
  "a put": good,
  "a deletion": remove(0, "0102"),
  "a deletion of what is absent": remove(0, "0999"),
  "an empty value": put(0, "0102"),
  "a key twice": concatBytes(good, put(0, "0102", "bb"), remove(0, "0102"), put(0, "0102", "cc")),
  "stores by turns": concatBytes(good, put(2, "01aa", "01"), good, put(3, "ffff", "02"), remove(2, "0102"), good),
  "long keys and values": concatBytes(
    put(0, bytes(1_024), bytes(1_024)),
    put(0, bytes(1_025), bytes(1_025)),
    put(0, bytes(9_000), bytes(9_000)),
  ),
  "the longest key": put(0, bytes(65_535), "01"),
  "a key that is too long": concatBytes(good, put(0, bytes(65_536), "01")),
  "a store that is not listed": concatBytes(good, put(9, "0102", "aa")),
  "a store that is only read": concatBytes(good, good, put(1, "0102", "aa")),
  "a deletion in a store that is only read": concatBytes(good, remove(1, "0102")),
  "a key outside its prefixes": concatBytes(good, put(2, "0102", "aa"), put(2, "0302", "aa")),
  "a deletion outside its prefixes": concatBytes(good, remove(2, "02fe")),
  "operation 2": concatBytes(good, put(0, "0102", "aa", 2)),
  "operation 3": concatBytes(good, put(0, "0102", "aa", 3)),
  "an empty key": concatBytes(good, put(0, "", "aa")),
  "an empty key in a store that is not listed": concatBytes(good, put(9, "", "aa")),
  "a value past the end": concatBytes(good, put(0, "0102", "aa").slice(0, -1)),
  "a value of over 1 MiB": concatBytes(good, fromHex("02000000010010000102")),
  "three bytes": concatBytes(good, fromHex("020000")),
  "a put without its second word": concatBytes(good, fromHex("02000000aabb")),
  "a deletion past the end": concatBytes(good, fromHex("0300004001ff")),
  "a bad frame at once": put(9, "0102", "aa"),
};

const STORED = { all: [["0102", "00"]], part: [["0102", "31"]], read: [["aa", "bb"]] } as const;

export function addFrameGuests(to: Collection): void {
  for (const [what, ops] of Object.entries(LISTS)) {
    const write = `(call $write (i32.const ${OPS}) (i32.const ${ops.length}))`;
    addGuest(to, {
      label: `store_write: ${what}`,
      parts: { run: `(drop ${write}) (i32.const 0)`, more: data(OPS, ops) },
      stores: STORED,
      cuts: 5,
    });
    const consumed = data(OUT, concatBytes(fromHex("0b000000"), ops));
    addGuest(to, {
      label: `handler_batch: ${what}`,
      parts: { batch: `(i32.store (i32.const ${OUT}) (local.get $len)) (i32.const ${4 + ops.length})`, more: consumed },
      manifest: { stores: STORES, scans: [{ store: "read" }] },
      stores: STORED,
      cuts: 5,
    });
  }
}
