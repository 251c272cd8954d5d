/** The receipt of an upgrade by a Wasm handler: what it says, that it can be proven, and that it stays. */
import { describe, expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { concatBytes, toHex, utf8 } from "../../host/base/text/bytes.js";
import { auditState } from "../../host/state/store/versions/audit.js";
import { decodeReceipt } from "../../host/upgrade/handler/receipt.js";
import { V1 } from "../example-chain.js";
import { writesDigest } from "../vectors/handler-cases/stores.js";
import { verifyWithOracle } from "../vectors/ics23-oracle.js";
import { Chain, type Process } from "./chain.js";
import { splitBalances, toV2 } from "./versions.js";

const KEY = concatBytes(Uint8Array.of(0x04), utf8("v2"));

/** A chain that is upgraded at 4. */
function upgraded(options = {}): { chain: Chain; next: Process } {
  const chain = new Chain(options);
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n });
  old.untilHalt();
  const next = chain.start({ handlers: [splitBalances()] });
  next.block();
  return { chain, next };
}

const receiptOf = (process: Process) => {
  const bytes = process.state.store("upgrade").get(KEY);
  expect(bytes).toBeDefined();
  return decodeReceipt(bytes as Uint8Array);
};

describe("receipt", () => {
  test("fields → plan, height, hash, abi, checks, and for each store the counts and the commit's own roots", () => {
    const { next } = upgraded();
    const [before, after] = [next.app.multiStore.at(3n), next.app.multiStore.at(4n)];
    const receipt = receiptOf(next);
    expect(receipt).toMatchObject({ plan: "v2", height: 4n, abi: 1, checks: ["supply", "balances"] });
    expect(toHex(receipt.handlerSha256)).toBe(splitBalances().hash);
    const stores = receipt.stores.map(({ name, rootBefore, rootAfter }) => ({
      name,
      before: toHex(rootBefore),
      after: toHex(rootAfter),
    }));
    expect(stores).toEqual([
      { name: "auth", before: toHex(before.rootHash("auth")), after: toHex(after.rootHash("auth")) },
      { name: "bank", before: "", after: toHex(after.rootHash("bank")) },
    ]);
    expect(before.rootHash("auth")).not.toEqual(after.rootHash("auth"));
  });

  test("counts → what a walk over the new stores finds", () => {
    const { next } = upgraded();
    const { stores } = receiptOf(next);
    const pairs = [...next.state.store("bank").iterate()];
    const bytes = pairs.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
    expect(stores[1]).toMatchObject({ name: "bank", written: BigInt(pairs.length), deleted: 0n, bytes: BigInt(bytes) });
    const accounts = [...next.state.store("auth").iterate({ start: Uint8Array.of(1), end: Uint8Array.of(2) })];
    expect(stores[0]).toMatchObject({ name: "auth", written: BigInt(accounts.length), deleted: 0n });
  });

  test("writes_sha256 → of the writes to a store that only the handler wrote: all its pairs, framed", () => {
    const { next } = upgraded();
    const [auth, bank] = receiptOf(next).stores;
    const pairs = [...next.state.store("bank").iterate()];
    expect(toHex(bank?.writesSha256 ?? new Uint8Array())).toBe(writesDigest(pairs));
    expect(auth?.writesSha256).toHaveLength(32);
    expect(auth?.writesSha256).not.toEqual(bank?.writesSha256);
  });

  test("proof → an independent verifier accepts it under the block's app hash, and nothing else", () => {
    const { next } = upgraded();
    const { value, store, app } = next.state.prove("upgrade", KEY);
    const root = next.state.rootHash("upgrade");
    expect(value).toEqual(next.state.store("upgrade").get(KEY));
    expect(verifyWithOracle(store, root, KEY, value)).toBe(true);
    expect(verifyWithOracle(app, next.state.appHash, utf8("upgrade"), root, "tendermint")).toBe(true);
    const other = (value as Uint8Array).slice();
    other[other.length - 1] = (other.at(-1) as number) ^ 1;
    expect(verifyWithOracle(store, root, KEY, other)).toBe(false);
    const before = next.app.multiStore.at(3n);
    expect(verifyWithOracle(store, before.rootHash("upgrade"), KEY, value)).toBe(false);
    const absent = before.prove("upgrade", KEY);
    expect(absent.value).toBeUndefined();
    expect(verifyWithOracle(absent.store, before.rootHash("upgrade"), KEY, undefined)).toBe(true);
  });

  test("of a function of the program → there is none", () => {
    const chain = new Chain();
    const old = chain.start({ versions: [V1] });
    old.schedule({ name: "v2", height: 2n });
    old.untilHalt();
    const next = chain.start({ functions: [toV2()] });
    next.block();
    expect(next.doneHeight("v2")).toBe(2n);
    expect(next.state.store("upgrade").get(KEY)).toBeUndefined();
  });
});

describe("pruning", () => {
  test("versionsKept 2 → the upgrade height stays readable and provable, other old heights go", () => {
    const { chain, next } = upgraded({ versionsKept: 2 });
    const hash = next.appHash;
    next.upTo(20n);
    const later = chain.start({ handlers: [splitBalances()] }).upTo(30n);
    const { multiStore } = later.app;
    expect([3n, 4n, 5n, 27n, 28n, 30n].filter((height) => multiStore.has(height))).toEqual([4n, 28n, 30n]);
    const state = multiStore.at(4n);
    expect(toHex(state.appHash)).toBe(hash);
    const { value, store } = state.prove("upgrade", KEY);
    expect(verifyWithOracle(store, state.rootHash("upgrade"), KEY, value)).toBe(true);
    expect([...state.store("bank").iterate()].length).toBeGreaterThan(12);
    expect(() => multiStore.at(5n)).toThrow(expect.objectContaining({ code: "UPG_NOT_FOUND_VERSION" }));
  });

  test("the state before the upgrade → is there and provable 500 blocks later, until it is released", () => {
    let released = "";
    const chain = new Chain({ versionsKept: 100, isReleased: (plan) => plan === released });
    const old = chain.start({ versions: [V1] });
    old.schedule({ name: "v2", height: 4n });
    old.untilHalt();
    const handlers = [splitBalances()];
    const next = chain.start({ handlers }).upTo(300n);
    const plan = Uint8Array.of(0);
    const later = chain.start({ handlers }).upTo(504n);
    for (const { app } of [next, later]) {
      const state = app.multiStore.at(3n);
      const { value, store } = state.prove("upgrade", plan);
      expect(verifyWithOracle(store, state.rootHash("upgrade"), plan, value)).toBe(true);
      expect([...state.store("auth").iterate()].length).toBeGreaterThan(12);
      expect([2n, 3n, 4n, 5n].filter((height) => app.multiStore.has(height))).toEqual([3n, 4n]);
    }
    released = "v2";
    later.upTo(511n);
    expect([2n, 3n, 4n, 5n].filter((height) => later.app.multiStore.has(height))).toEqual([4n]);
    expect(auditState(chain.database, { sha256 }).versions).toBe(102);
    chain.start({ handlers }).upTo(514n);
  });
});
