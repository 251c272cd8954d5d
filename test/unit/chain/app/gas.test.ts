/** Gas: what each use of a store costs, where the limit is, and that the page says the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KVStore } from "../../../../host/base/types/types.js";
import { GAS, GasMeter, GasMultiStore } from "../../../../host/chain/values/gas.js";
import { failureOf } from "../../../scenario/chain.js";
import { memoryStores } from "../../../vectors/memory-stores.js";

const KEY = Uint8Array.of(1, 2);
const VALUE = new Uint8Array(10);

function charged(use: (store: KVStore) => unknown): bigint {
  const stores = memoryStores(["one"]);
  stores.store("one").set(KEY, VALUE);
  stores.store("one").set(Uint8Array.of(2), VALUE);
  const meter = new GasMeter();
  use(new GasMultiStore(stores, meter).store("one"));
  return meter.used;
}

describe("GasMeter", () => {
  test("10,000,000 charges without a limit → the next one is out of gas, also of a copy", () => {
    const meter = new GasMeter();
    for (let n = 0; n < 9_999_999; n++) meter.consume(0n, "loop");
    const copy = meter.copy();
    for (const each of [meter, copy]) {
      each.consume(0n, "last");
      const failure = failureOf(() => each.consume(0n, "beyond"));
      expect(failure.message).toContain(
        "out of steps in location: beyond; a transaction charges 10000000 times at most",
      );
    }
  });
});

describe("GasMultiStore", () => {
  for (const [what, use, gas] of [
    ["get() of what is there", (store: KVStore) => store.get(KEY), 1_000n + 3n * 12n],
    ["get() of what is not", (store: KVStore) => store.get(Uint8Array.of(9)), 1_000n + 3n],
    ["has()", (store: KVStore) => store.has(KEY), 1_000n],
    ["set()", (store: KVStore) => store.set(KEY, VALUE), 2_000n + 30n * 12n],
    ["delete()", (store: KVStore) => store.delete(KEY), 1_000n],
    ["iterate() over two", (store: KVStore) => [...store.iterate()], 2n * 30n + 3n * (12n + 11n)],
    ["iterate() over none", (store: KVStore) => [...store.iterate({ start: Uint8Array.of(9) })], 0n],
    ["scan() of both frames", (store: KVStore) => store.scan().read(new Uint8Array(99)), 3n * (8n + 12n + 8n + 11n)],
  ] as const) {
    test(`${what} → ${gas}`, () => expect(charged(use)).toBe(gas));
  }

  test("writes of a branch → charged when they are handed on", () => {
    const meter = new GasMeter();
    const branch = new GasMultiStore(memoryStores(["one"]), meter).branch();
    branch.store("one").set(KEY, VALUE);
    expect(meter.used).toBe(0n);
    branch.write();
    expect(meter.used).toBeGreaterThan(GAS.WRITE_FLAT);
  });
});

test("GasMeter.consume() up to the limit → fine; one past it → sdk 11 with both figures", () => {
  const meter = new GasMeter(100n);
  meter.consume(100n, "here");
  const error = failureOf(() => meter.consume(1n, "there"));
  expect(error).toMatchObject({ code: "UPG_INVALID_TX", abci: { codespace: "sdk", code: 11 } });
  expect(error.message).toBe("out of gas in location: there; gasWanted: 100, gasUsed: 101: out of gas");
  expect(meter.used).toBe(101n);
});

test("docs/transactions.md → has the figures of the code", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/transactions.md"), "utf8");
  const shown = (gas: bigint) => gas.toLocaleString("en-US");
  for (const row of [
    `| a byte of the transaction | ${GAS.TX_PER_BYTE} |`,
    `| a signature | ${shown(GAS.VERIFY_SECP256K1)} |`,
    `| the parameters, once | ${shown(GAS.READ_FLAT + GAS.READ_PER_BYTE * GAS.PARAMETER_BYTES)} |`,
    `| a read | ${shown(GAS.READ_FLAT)} + ${GAS.READ_PER_BYTE} a byte of key and value |`,
    `| a step of a walk | ${GAS.ITERATE_FLAT} + ${GAS.READ_PER_BYTE} a byte of key and value |`,
    `| \`has\` of a key | ${shown(GAS.HAS)} |`,
    `| a write | ${shown(GAS.WRITE_FLAT)} + ${GAS.WRITE_PER_BYTE} a byte of key and value |`,
    `| a byte of events beyond the first ${GAS.EVENT_BYTES_FREE.toLocaleString("en-US")} of a transaction | ${GAS.EVENT_PER_BYTE} |`,
    `| a deletion | ${shown(GAS.DELETE)} |`,
    `| a proposal, besides its writes | ${3n * GAS.WRITE_PER_BYTE} a byte of its texts and messages |`,
  ]) {
    expect(page).toContain(row);
  }
});
