/** From a chain over its upgrade and a witness back to the app hash: the same, or refused. */
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../host/base/native/sha256.js";
import { toHex, utf8 } from "../../../host/base/text/bytes.js";
import type { Height } from "../../../host/base/types/types.js";
import { GOV_STORE } from "../../../host/chain/modules/gov/records.js";
import { decodeWitness } from "../../../host/state/witness/decode.js";
import { encodeWitness } from "../../../host/state/witness/encode.js";
import type { FinalWrite } from "../../../host/state/witness/types.js";
import { loadHandler, type WasmHandler } from "../../../host/upgrade/handler/handler.js";
import { decodeReceipt } from "../../../host/upgrade/handler/receipt.js";
import { UPGRADE_STORE } from "../../../host/upgrade/module/upgrade-store.js";
import { type ReExecuted, reExecute } from "../../../host/verify/re-execute.js";
import { V1, V2 } from "../../example-chain.js";
import { build, guest, load } from "../../guest/build.js";
import { IMPORTS } from "../../guest/running.js";
import { Chain, type Process } from "../../scenario/chain.js";
import { DAVE, govGenesis, Town } from "../../scenario/gov-chain.js";
import { splitBalances, V3 } from "../../scenario/versions.js";
import { propose, softwareUpgrade } from "../../scenario/wallet.js";
import { code } from "../state/store/support.js";
import { headersOf, upgraded, witnessOf } from "./upgraded-chain.js";

const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");
const MAX = { maxBytes: 16 * 1_048_576, sha256 };

function again(process: Process, handler: WasmHandler, height: Height): ReExecuted {
  const { bytes: witness } = witnessOf(process, handler, height);
  return reExecute({ ...MAX, witness, handler: handler.bytes, headers: headersOf(process, height) });
}

describe("reExecute()", () => {
  test("an upgrade with a new store → the app hash of the next header, gas and receipt as in state", () => {
    const process = upgraded();
    const result = again(process, splitBalances(), 4n);
    const state = process.app.multiStore.at(4n);
    expect(toHex(result.appHash)).toBe(toHex(state.appHash));
    expect(result.others).toEqual([]);
    const receipt = decodeReceipt(
      process.app.keeper.core.receipt(state.store(UPGRADE_STORE), "v2") ?? new Uint8Array(),
    );
    expect(result.receipt).toEqual(receipt);
    expect(result).toMatchObject({ plan: "v2", gas: receipt.gas });
    for (const [name, { after }] of result.roots) expect(after).toEqual(state.rootHash(name));
    expect([...result.roots.keys()]).toEqual(["auth", "bank", "gov", "staking", "upgrade"]);
    expect(result.roots.get("bank")?.before).toBeUndefined();
  });

  test("a deposit period that ends in the upgrade's own block → its writes are others, and the app hash is equal", () => {
    const town = new Town(govGenesis(), { start: { versions: [V1] } });
    const { addressBytes } = DAVE;
    town.good(DAVE, propose(DAVE, [softwareUpgrade("later", 90n)], { amount: 50 }));
    const height = town.height + 4n;
    town.process.schedule({ name: "v2", height });
    town.process.untilHalt();
    expect(town.height).toBe(height - 1n);
    town.process = town.chain.start({ handlers: [splitBalances()] });
    town.process.blocks(2);
    const result = again(town.process, splitBalances(), height);
    expect(result.others.map(({ store }) => store)).toEqual(["bank", GOV_STORE]);
    const bank = result.others[0]?.writes ?? [];
    expect(bank.some(({ key }) => toHex(key).includes(toHex(addressBytes)))).toBe(true);
    expect(result.others[1]?.writes.some(({ value }) => value === undefined)).toBe(true);
    const written = result.receipt.stores.find(({ name }) => name === "bank");
    expect(written?.rootAfter).toEqual(result.roots.get("bank")?.after);
  });

  test("stores that are added, renamed and deleted → the app hash is equal", () => {
    const process = upgradedToV3();
    const result = again(process, toV3Wasm(), 8n);
    expect([...result.roots.keys()]).toEqual(["auth", "bank", "government", "oracle", "upgrade"]);
    const before = process.app.multiStore.at(7n);
    expect(result.roots.get("government")?.before).toEqual(before.rootHash("gov"));
    expect(result.roots.get("oracle")?.before).toBeUndefined();
    expect(result.roots.get("auth")?.after).toEqual(before.rootHash("auth"));
  });
});

/** Writes to the new store and to the renamed one, deletes of it what is absent and what is there. */
function toV3Wasm(): WasmHandler {
  const set = (store: number, at: number) => `(drop (call $set ${i32(store, at, 3, 100, 7)}))`;
  return load(
    {
      imports: IMPORTS,
      run: `${set(0, 16)} ${set(1, 16)} (drop (call $delete ${i32(1, 20, 3)})) (drop (call $get ${i32(1, 24, 1, 200, 9)})) (i32.const 0)`,
      more: '(data (i32.const 16) "key non") (data (i32.const 100) "a value")',
    },
    {
      name: "v3",
      stores: [
        { name: "oracle", access: "rw" },
        { name: "government", access: "rw" },
      ],
      storeUpgrades: { added: ["oracle"], renamed: [{ old_key: "gov", new_key: "government" }], deleted: ["staking"] },
      versions: { oracle: { to: 1 } },
      removes: ["gov", "staking"],
      allows: { removeModules: ["gov", "staking"] },
    },
  );
}

/** To version 2 at 4, and to version 3 at 8. */
function upgradedToV3(): Process {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n });
  old.untilHalt();
  const second = chain.start({ versions: [V1, V2], handlers: [splitBalances()] });
  second.upTo(5n);
  second.schedule({ name: "v3", height: 8n });
  second.untilHalt();
  const third = chain.start({ versions: [V1, V2, V3], handlers: [splitBalances(), toV3Wasm()] });
  third.blocks(2);
  return third;
}

describe("reExecute() refuses", () => {
  const process = upgraded();
  const headers = headersOf(process, 4n);
  const { bytes: witness, contents } = witnessOf(process, splitBalances(), 4n);
  const good = { ...MAX, witness, handler: splitBalances().bytes, headers };
  const decoded = () => decodeWitness(witness, MAX);

  test("nothing: these inputs are good", () => {
    expect(toHex(reExecute(good).appHash)).toBe(toHex(headers.next.appHash));
  });

  test("a handler of another plan → UPG_WITNESS_PLAN; one that does something else → UPG_WITNESS_RESULT", () => {
    const { manifest } = splitBalances();
    const other = build(guest(), { name: "v9" });
    expect(() => reExecute({ ...good, handler: other })).toThrow(code("UPG_WITNESS_PLAN"));
    const versions = { auth: { from: [1], to: 2 }, bank: { from: [1], to: 2 } };
    const idle = build(guest(), { versions, storeUpgrades: manifest.storeUpgrades });
    expect(() => reExecute({ ...good, handler: idle })).toThrow(code("UPG_WITNESS_RESULT"));
  });

  test("a handler whose bytes were changed → refused, or another hash in the receipt: UPG_WITNESS_RESULT", () => {
    const { bytes } = splitBalances();
    const custom = Uint8Array.of(...bytes, 0, 5, 1, 120, 1, 2, 3);
    expect(loadHandler(custom, { sha256 }).hash).not.toBe(splitBalances().hash);
    expect(() => reExecute({ ...good, handler: custom })).toThrow(code("UPG_WITNESS_RESULT"));
  });

  test("headers of other blocks, of another chain, or that do not follow each other → UPG_WITNESS_HEADERS", () => {
    const later = headersOf(process, 5n);
    expect(() => reExecute({ ...good, headers: { block: headers.block, next: later.next } })).toThrow(
      code("UPG_WITNESS_HEADERS"),
    );
    expect(() => reExecute({ ...good, headers: later })).toThrow(code("UPG_WITNESS_ROOT"));
    const elsewhere = { ...headers.block, chainId: "scenario-2" };
    expect(() => reExecute({ ...good, headers: { ...headers, block: elsewhere } })).toThrow(
      code("UPG_WITNESS_HEADERS"),
    );
    const next = { ...headers.next, appHash: headers.block.appHash };
    expect(() => reExecute({ ...good, headers: { ...headers, next } })).toThrow(code("UPG_WITNESS_RESULT"));
  });

  test("a witness that lists writes which nobody made, or in a store that is absent → UPG_WITNESS_RESULT, UPG_WITNESS_MALFORMED", () => {
    const { stores, ...head } = contents;
    const lie = (store: string) => {
      const others = [{ store, writes: [{ key: utf8("x"), value: utf8("y") }] }];
      return { ...good, witness: encodeWitness({ ...head, stores, others }, sha256) };
    };
    expect(() => reExecute(lie("nowhere"))).toThrow(code("UPG_WITNESS_MALFORMED"));
    expect(() => reExecute(lie("bank"))).toThrow(code("UPG_WITNESS_RESULT"));
    expect(() => reExecute(lie("staking"))).toThrow(code("UPG_WITNESS_HIDDEN"));
  });

  test("other writes that change nothing, another write of the receipt, an empty list → UPG_WITNESS_MALFORMED", () => {
    const { stores, ...head } = contents;
    const state = process.app.multiStore.at(4n).store(UPGRADE_STORE);
    const auth = Uint8Array.of(2, ...utf8("auth"));
    const receipt = Uint8Array.of(4, ...utf8("v2"));
    const writes: readonly FinalWrite[] = [
      { key: Uint8Array.of(0), value: undefined },
      { key: utf8("\x05absent"), value: undefined },
      { key: auth, value: state.get(auth) },
      { key: receipt, value: Uint8Array.of(0) },
      { key: receipt, value: undefined },
    ];
    for (const lists of [...writes.map((write) => [write]), []]) {
      const others = [{ store: UPGRADE_STORE, writes: lists }];
      const lying = encodeWitness({ ...head, stores, others }, sha256);
      expect(() => reExecute({ ...good, witness: lying })).toThrow(code("UPG_WITNESS_MALFORMED"));
    }
  });

  test("a witness that says another plan → UPG_WITNESS_PLAN; one whose store is closed → UPG_WITNESS_HIDDEN", () => {
    const { stores, ...head } = contents;
    const renamed = encodeWitness({ ...head, stores, plan: "v3" }, sha256);
    expect(() => reExecute({ ...good, witness: renamed })).toThrow(code("UPG_WITNESS_PLAN"));
    const closed = stores.map((store) => (store.name === "auth" ? { ...store, tree: undefined } : store));
    const hiding = encodeWitness({ ...head, stores: closed }, sha256);
    expect(() => reExecute({ ...good, witness: hiding })).toThrow(code("UPG_WITNESS_HIDDEN"));
  });

  test("a flipped bit anywhere, a cut file, one above the cap → a code of witnesses", () => {
    for (let at = 0; at < witness.length; at += 97) {
      const flipped = witness.slice();
      flipped[at] = (flipped[at] as number) ^ 4;
      expect(() => reExecute({ ...good, witness: flipped })).toThrow(code("UPG_WITNESS_MALFORMED"));
    }
    expect(() => reExecute({ ...good, witness: witness.subarray(0, 500) })).toThrow(code("UPG_WITNESS_MALFORMED"));
    expect(() => reExecute({ ...good, maxBytes: 100 })).toThrow(code("UPG_WITNESS_TOO_LARGE"));
    expect(decoded().plan).toBe("v2");
  });
});
