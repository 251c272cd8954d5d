/** The mempool: order, bounds, doubles, and what a block leaves behind. */
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import type { TxResult } from "../../../../host/chain/app/app.js";
import { type CheckTx, Mempool, type MempoolLimits } from "../../../../host/node/blocks/mempool.js";

const result = (code: number, gasWanted = 1n): TxResult => ({
  ...{ code, codespace: code === 0 ? "" : "sdk", data: new Uint8Array(), log: "" },
  ...{ gasWanted, gasUsed: 0n, events: [] },
});

const good: CheckTx = () => result(0);
const tx = (...bytes: readonly number[]) => Uint8Array.from(bytes);
const room = { bytes: 1_000, gas: undefined };
const mempoolWith = (limits: Partial<MempoolLimits> = {}, check = good) =>
  new Mempool({ sha256, check, room: () => room, limits });

describe("Mempool", () => {
  test("add, take → in order of arrival, as much as a block has room for, and they stay until it is made", () => {
    const mempool = mempoolWith();
    for (const byte of [3, 1, 2]) mempool.add(tx(byte));
    expect(mempool.take(room)).toEqual([tx(3), tx(1), tx(2)]);
    expect(mempool.take({ bytes: 18, gas: undefined })).toEqual([tx(3), tx(1)]);
    expect(mempool.take({ bytes: 1_000, gas: 2n })).toEqual([tx(3), tx(1)]);
    expect(mempool.take({ bytes: 0, gas: undefined })).toEqual([]);
    expect([mempool.count, mempool.bytes]).toEqual([3, 3]);
    expect(mempool.list(2)).toEqual([tx(3), tx(1)]);
    mempool.update([tx(3)]);
    expect(mempool.take(room)).toEqual([tx(1), tx(2)]);
  });

  test("add what is there, was in a block, or is too large → refused in CometBFT's words", () => {
    const mempool = mempoolWith({ txBytes: 3 });
    mempool.add(tx(1));
    expect(() => mempool.add(tx(1))).toThrow("tx already exists in cache");
    mempool.update([tx(1), tx(9)]);
    expect(() => mempool.add(tx(1))).toThrow("tx already exists in cache");
    expect(() => mempool.add(tx(9))).toThrow("tx already exists in cache");
    expect(() => mempool.add(tx(1, 2, 3, 4))).toThrow("Tx too large. Max size is 3, but got 4");
    expect(mempool.add(tx(1, 2, 3)).code).toBe(0);
  });

  test("add at the bounds of count and bytes → the last that fits, then full; a block makes room", () => {
    const byCount = mempoolWith({ count: 2 });
    byCount.add(tx(1));
    byCount.add(tx(2));
    expect(() => byCount.add(tx(3))).toThrow("mempool is full: number of txs 2 (max: 2), total txs bytes 2");
    byCount.update([tx(1)]);
    expect(byCount.add(tx(3)).code).toBe(0);
    const byBytes = mempoolWith({ bytes: 3 });
    byBytes.add(tx(1, 1));
    expect(() => byBytes.add(tx(2, 2))).toThrow("mempool is full");
    expect(byBytes.add(tx(2)).code).toBe(0);
  });

  test("add what no block has room for → refused; what a smaller block no longer takes is dropped, and what is after it is taken", () => {
    let bytes = 1_000;
    const mempool = new Mempool({ sha256, check: good, room: () => ({ bytes, gas: undefined }) });
    expect(() => mempool.add(new Uint8Array(993))).toThrow("tx size is too big: 1001, max: 1000");
    expect(mempool.add(new Uint8Array(992)).code).toBe(0);
    mempool.add(tx(1));
    bytes = 999;
    mempool.update([]);
    expect(mempool.take({ bytes, gas: undefined })).toEqual([tx(1)]);
    bytes = 0;
    mempool.update([]);
    expect(mempool.count).toBe(0);
  });

  test("add what wants more gas than a block has → sdk 41; what a smaller limit no longer takes is dropped, and what is after it is taken", () => {
    let gas = 10n;
    const check: CheckTx = ([wanted = 0]) => result(0, BigInt(wanted));
    const mempool = new Mempool({ sha256, check, room: () => ({ ...room, gas }) });
    const log = "tx gas limit 11 exceeds block max gas 10: invalid gas limit";
    expect(mempool.add(tx(11))).toMatchObject({ codespace: "sdk", code: 41, log, gasWanted: 11n });
    expect(mempool.add(tx(10)).code).toBe(0);
    mempool.add(tx(1));
    gas = 9n;
    mempool.update([]);
    expect(mempool.take({ ...room, gas })).toEqual([tx(1)]);
    gas = 0n;
    mempool.update([]);
    expect(mempool.count).toBe(0);
    gas = 11n;
    expect(mempool.add(tx(11)).code).toBe(0);
  });

  test("a check that says no → the result, nothing kept, and it may be tried again", () => {
    let code = 5;
    const mempool = mempoolWith({}, () => result(code));
    expect(mempool.add(tx(1)).code).toBe(5);
    expect(mempool.count).toBe(0);
    code = 0;
    expect(mempool.add(tx(1)).code).toBe(0);
  });

  test("update → what waits is checked again in order; what no longer holds is gone and may come again", () => {
    const asked: string[] = [];
    const mempool = mempoolWith({}, (bytes, kind) => {
      asked.push(`${kind} ${bytes[0]}`);
      return result(kind === "recheck" && bytes[0] === 2 ? 32 : 0);
    });
    for (const byte of [1, 2, 3]) mempool.add(tx(byte));
    mempool.update([tx(1)]);
    expect(asked.slice(3)).toEqual(["recheck 2", "recheck 3"]);
    expect(mempool.take(room)).toEqual([tx(3)]);
    expect(mempool.add(tx(2)).code).toBe(0);
  });

  test("exactly as many hashes as are remembered → each is still known; with one more the oldest is forgotten", () => {
    const mempool = mempoolWith({ remembered: 2 });
    mempool.update([tx(1), tx(2)]);
    for (const byte of [1, 2]) expect(() => mempool.add(tx(byte))).toThrow("already exists");
    mempool.update([tx(3)]);
    expect(() => mempool.add(tx(2))).toThrow("already exists");
    expect(mempool.add(tx(1)).code).toBe(0);
  });

  test("hashes that are remembered are bounded, and none that waits is forgotten", () => {
    const mempool = mempoolWith({ remembered: 2 });
    mempool.add(tx(1));
    for (const byte of [2, 3, 4, 5]) mempool.update([tx(byte)]);
    expect(() => mempool.add(tx(1))).toThrow("already exists");
    mempool.update([tx(1)]);
    mempool.update([tx(6)]);
    mempool.update([tx(7)]);
    expect(mempool.add(tx(2)).code).toBe(0);
  });
});
