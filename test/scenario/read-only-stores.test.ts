/** Invariants and what a chain asks its modules between blocks can read every store, and write none. */
import { describe, expect, test } from "vitest";
import type { KVStore } from "../../host/base/types/types.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import type { Module, ReadableStores } from "../../host/chain/app/module.js";
import { exampleChain } from "../example-chain.js";
import { failureOf } from "./chain.js";
import { chainWith, upgraded } from "./one-upgrade.js";

describe("a function that only reads gets stores that refuse writes", () => {
  /** What a function without types can do with the stores that it is given. */
  const WRITES: readonly (readonly [how: string, write: (store: KVStore) => void])[] = [
    ["set", (store) => store.set(Uint8Array.of(1), Uint8Array.of(2))],
    ["delete", (store) => store.delete(Uint8Array.of(1))],
    ["writeFrames", (store) => store.writeFrames(new Uint8Array())],
  ];
  const reader = (write: (store: KVStore) => void) => (stores: ReadableStores) => {
    write(stores.store("bank") as KVStore);
    return undefined;
  };
  const READERS = ["validators", "consensusParams", "nextEndTime"] as const;
  const plain = (): Module[] => exampleChain.modules.map(({ validators, consensusParams, ...module }) => module);

  test.each(WRITES)(
    "an invariant that calls %s → the upgrade fails with its name, nothing is written",
    (how, write) => {
      const failure = failureOf(() => upgraded(chainWith({ invariants: [{ name: "total", check: reader(write) }] })));
      expect(failure).toMatchObject({ code: "UPG_MIGRATION_INVARIANT" });
      expect(failure.message).toContain('invariant "total" of module own failed');
      expect(failure.message).toContain(`${how}() on store "bank", which it can only read`);
    },
  );

  test("an invariant that catches the refusal has written nothing", () => {
    const check = (stores: ReadableStores) => {
      try {
        (stores.store("bank") as KVStore).set(Uint8Array.of(1), Uint8Array.of(2));
      } catch {
        // It goes on.
      }
      return undefined;
    };
    const { result } = upgraded(chainWith({ invariants: [{ name: "total", check }] }));
    expect(result.appHash).toEqual(upgraded(chainWith({})).result.appHash);
  });

  test("an invariant's stores cannot be branched or written by another name", () => {
    let members: readonly string[] = [];
    const check = (stores: ReadableStores) => {
      members = ["branch", "write", "discard"].filter((name) => name in stores);
      return undefined;
    };
    upgraded(chainWith({ invariants: [{ name: "total", check }] }));
    expect(members).toEqual([]);
  });

  for (const name of READERS) {
    test.each(WRITES)(`${name}() that calls %s → UPG_BUG_MODULE with its name`, (how, write) => {
      const chain = defineChain({
        name: "ownd",
        modules: [...plain(), { name: "own", consensusVersion: 1n, stores: [], [name]: reader(write) }],
      });
      const failure = failureOf(() => upgraded(chain).app.nextEndTime);
      expect(failure).toMatchObject({ code: "UPG_BUG_MODULE" });
      expect(failure.message).toContain(`${name}() of module "own" failed`);
      expect(failure.message).toContain(`${how}() on store "bank", which it can only read`);
    });
  }
});
