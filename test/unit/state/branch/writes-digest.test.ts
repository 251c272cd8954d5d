/** The digest of a branch's writes: a rule of consensus, since receipts have it. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import type { Sha256 } from "../../../../host/base/types/types.js";
import { CacheKVStore } from "../../../../host/state/branch/kv/cache-kv.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { writesDigest } from "../../../../host/state/branch/kv/writes-digest.js";
import { type FinalWrite, writesDigest as recordedDigest } from "../../../vectors/handler-cases/stores.js";
import { spillingStore } from "../store/support.js";

const withoutPieces: Sha256 = (bytes) => sha256(bytes);
const hex = (text: string) => createHash("sha256").update(Buffer.from(text, "hex")).digest("hex");

describe("writesDigest()", () => {
  test("puts and deletions, also of absent keys → output frames of store 0, ascending; the last write to a key counts", () => {
    const branch = new CacheKVStore(new MemoryKVStore());
    branch.set(utf8("b"), utf8("old"));
    branch.delete(utf8("c"));
    branch.set(utf8("b"), utf8("xy"));
    branch.set(utf8("a"), new Uint8Array(0));
    const expected = hex(["010000000000000061", "0100000002000000627879", "0100004063"].join(""));
    expect(toHex(writesDigest(branch, sha256))).toBe(expected);
    expect(toHex(writesDigest(branch, withoutPieces))).toBe(expected);
  });

  test("no write at all → SHA-256 of nothing", () => {
    expect(toHex(writesDigest(new CacheKVStore(new MemoryKVStore()), sha256))).toBe(hex(""));
  });

  test("writes of any size, in memory or spilled → the digest of the recorded cases; the writes stay (property)", () => {
    const bytes = (minLength: number) => fc.uint8Array({ minLength, maxLength: 40 });
    const long = fc.nat(70_000).map((length) => new Uint8Array(length).fill(7));
    const value = fc.oneof({ weight: 9, arbitrary: bytes(0) }, { weight: 1, arbitrary: long }, fc.constant(undefined));
    const writes = fc.array(fc.tuple(bytes(1), value), { maxLength: 60 });
    fc.assert(
      fc.property(writes, fc.nat(2_000), (list, branchBytes) => {
        const model = new Map<string, FinalWrite>();
        const branch = new CacheKVStore(spillingStore(branchBytes).store);
        for (const [key, written] of list) {
          if (written) branch.set(key, written);
          else branch.delete(key);
          model.set(toHex(key), [key, written]);
        }
        const expected = recordedDigest([...model].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, write]) => write));
        expect(toHex(writesDigest(branch, sha256))).toBe(expected);
        expect(toHex(writesDigest(branch, sha256))).toBe(expected);
        for (const [key, written] of model.values()) expect(branch.get(key)).toEqual(written);
      }),
    );
  });
});
