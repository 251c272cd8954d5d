import { describe, expect, test } from "vitest";
import { concatBytes, toHex, utf8 } from "../../../../host/base/text/bytes.js";
import { appHash, proveStore, type StoreRoot, sortByName } from "../../../../host/state/commitment/app-hash.js";
import { IavlHasher } from "../../../../host/state/commitment/iavl-hash.js";
import { verifyWithOracle } from "../../../vectors/ics23-oracle.js";
import { type RefNode, refHash } from "./reference-tree.js";
import { hasher, sha256 } from "./support.js";

const hex = (bytes: Uint8Array | Buffer) => toHex(new Uint8Array(bytes));

describe("IavlHasher", () => {
  test("leaf() → the description's hash at every length where its work changes", () => {
    const values = [0, 1, 31, 255, 256, 257, 1_023, 1_024, 1_025, 70_000];
    const keys = [1, 127, 128, 256, 257, 950, 1_000, 1_024, 16_384, 65_535];
    for (const [keyLen, valueLen] of [...values.map((v) => [8, v]), ...keys.map((k) => [k, 5])] as [number, number][]) {
      const key = new Uint8Array(keyLen).fill(0xab);
      const value = new Uint8Array(valueLen).fill(0xcd);
      const leaf: RefNode = { key: toHex(key), value: toHex(value), version: 7, height: 0, size: 1 };
      const bytes = concatBytes(Uint8Array.of(1, 2, 3), key, Uint8Array.of(9), value);
      const out = new Uint8Array(40);
      hasher.value(bytes, 4 + keyLen, valueLen, out, 5);
      hasher.settle();
      hasher.leaf(7, bytes, 3, keyLen, out, 5);
      hasher.settle();
      expect(hex(out)).toBe(`0000000000${hex(refHash(leaf))}000000`);
    }
  });

  test("inner() → the description's hash, for versions and sizes of one to seven bytes", () => {
    const leaf = (key: string): RefNode => ({ key, value: "00", version: 1, height: 0, size: 1 });
    const [left, right] = [leaf("01"), leaf("02")];
    const hashes = concatBytes(Uint8Array.of(5), refHash(left), refHash(right));
    for (const version of [1, 63, 64, 8_191, 8_192, 2 ** 31, 2 ** 33, 2 ** 48 - 1]) {
      for (const size of [2, 64, 2 ** 33]) {
        const node: RefNode = { key: "02", left, right, version, height: 1, size };
        const out = concatBytes(hashes, new Uint8Array(32));
        hasher.inner(1, size, version, 1, out, 65);
        hasher.settle();
        expect(hex(out)).toBe(hex(hashes) + hex(refHash(node)));
      }
    }
  });

  test("empty() → sha256 of nothing", () => {
    expect(hex(new IavlHasher(sha256).empty())).toMatch(/^e3b0c44298fc1c14.*7852b855$/);
  });
});

describe("appHash()", () => {
  const root = (name: string): StoreRoot => ({ name, hash: sha256(utf8(name)) });

  test("of no stores → sha256 of nothing; of one → the hash of its leaf", () => {
    expect(hex(appHash(sha256, []))).toBe(hex(sha256(new Uint8Array())));
    const leaf = concatBytes(Uint8Array.of(0, 4), utf8("bank"), Uint8Array.of(32), sha256(root("bank").hash));
    expect(hex(appHash(sha256, [root("bank")]))).toBe(hex(sha256(leaf)));
  });

  test("stores are hashed in the order of their names' bytes, however they are given", () => {
    // In UTF-16 the last two would be the other way round.
    const names = ["B", "a", "aa", "b", "\u{ff5e}", "\u{1f600}"];
    const roots = names.map(root);
    expect(sortByName(roots.toReversed()).map(({ name }) => name)).toEqual(names);
    expect(hex(appHash(sha256, roots.toReversed()))).toBe(hex(appHash(sha256, roots)));
  });

  test("proveStore() for each of 1 to 18 stores, and names of 127 and 128 bytes → an ICS-23 verifier accepts", () => {
    for (let count = 1; count <= 18; count++) {
      const names = Array.from({ length: count }, (_, i) => `${i}`.repeat([1, 64, 127, 128][i % 4] as number));
      const roots = names.map(root);
      const hash = appHash(sha256, roots);
      for (const { name, hash: value } of roots) {
        const proof = proveStore(sha256, roots, name);
        expect(verifyWithOracle(proof, hash, utf8(name), value, "tendermint")).toBe(true);
        expect(verifyWithOracle(proof, hash, utf8(`${name}x`), value, "tendermint")).toBe(false);
      }
    }
  });

  test("proveStore() of a store that is absent → UPG_BUG_ASSERT", () => {
    expect(() => proveStore(sha256, [root("a")], "b")).toThrow(expect.objectContaining({ code: "UPG_BUG_ASSERT" }));
  });
});
