import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import type { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { queryStore, type StoreQuery } from "../../../../host/state/store/versions/store-query.js";
import { verifyWithOracle } from "../../../vectors/ics23-oracle.js";
import { code, openStores } from "./support.js";

/** Version n has the value "vn" under "k"; store `b` has nothing. */
function chain(versions: number, versionsKept = 100): CommitMultiStore {
  const stores = openStores(new MemoryDatabase(), ["a", "b"], { versionsKept });
  for (let version = 1; version <= versions; version++) {
    stores.store("a").set(utf8("k"), utf8(`v${version}`));
    stores.commit();
  }
  return stores;
}

const ask = (query: Partial<StoreQuery>): StoreQuery => ({
  path: "/store/a/key",
  data: utf8("k"),
  height: 0n,
  prove: false,
  ...query,
});

describe("queryStore()", () => {
  test("with a height → the value at that height, with and without proof", () => {
    const stores = chain(4);
    for (const prove of [false, true]) {
      for (const height of [1n, 2n, 4n]) {
        const answer = queryStore(stores, ask({ height, prove }));
        expect(answer).toMatchObject({ height, store: "a", value: utf8(`v${height}`) });
        expect(answer.proof === undefined).toBe(!prove);
      }
    }
  });

  test("with height 0 → the last version but one, whose hash is in a header; the only one when there is no other", () => {
    expect(queryStore(chain(4), ask({})).height).toBe(3n);
    expect(queryStore(chain(1), ask({})).height).toBe(1n);
    expect(queryStore(chain(4, 0), ask({})).height).toBe(4n);
  });

  test("with a proof → both steps verify against the app hash of the height of the answer", () => {
    const stores = chain(3);
    for (const data of [utf8("k"), utf8("absent")]) {
      const { proof, height, value } = queryStore(stores, ask({ data, prove: true, height: 2n }));
      const view = stores.at(height);
      if (!proof) throw new Error("a proof was asked for");
      expect(verifyWithOracle(proof.store, view.rootHash("a"), data, value)).toBe(true);
      expect(verifyWithOracle(proof.app, view.appHash, utf8("a"), view.rootHash("a"), "tendermint")).toBe(true);
    }
  });

  test("what cannot be served → a code for each reason", () => {
    const stores = chain(4, 1);
    const refused: [Partial<StoreQuery>, string][] = [
      [{ path: "/store/a/subspace" }, "UPG_INVALID_ARGUMENT"],
      [{ path: "/store//key" }, "UPG_INVALID_ARGUMENT"],
      [{ path: "/store/a/b/key" }, "UPG_INVALID_ARGUMENT"],
      [{ path: "" }, "UPG_INVALID_ARGUMENT"],
      [{ path: "/store/none/key" }, "UPG_NOT_FOUND_STORE"],
      [{ height: 5n }, "UPG_NOT_FOUND_VERSION"],
      [{ height: 2n }, "UPG_NOT_FOUND_VERSION"],
      [{ height: -1n }, "UPG_NOT_FOUND_VERSION"],
      [{ data: new Uint8Array() }, "UPG_INVALID_KEY"],
      [{ data: new Uint8Array(65_536) }, "UPG_INVALID_KEY"],
    ];
    for (const prove of [false, true]) {
      for (const [query, expected] of refused) {
        expect(() => queryStore(stores, ask({ ...query, prove }))).toThrow(code(expected));
      }
    }
    expect(() => queryStore(stores, ask({ path: "/store/b/key", prove: true }))).toThrow(code("UPG_PROOF_EMPTY_VALUE"));
    expect(queryStore(stores, ask({ path: "/store/b/key" })).value).toBeUndefined();
  });

  test("before the first commit → UPG_NOT_FOUND_VERSION", () => {
    expect(() => queryStore(chain(0), ask({}))).toThrow(code("UPG_NOT_FOUND_VERSION"));
  });
});
