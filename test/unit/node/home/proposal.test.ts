/** What a proposal takes from the mempool where the application leaves transactions out. */
import { expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import type { TxResult } from "../../../../host/chain/app/app.js";
import { Mempool } from "../../../../host/node/blocks/mempool.js";
import { fillProposal } from "../../../../host/node/blocks/proposal.js";

const good: TxResult = {
  ...{ code: 0, codespace: "", data: new Uint8Array(), log: "" },
  ...{ gasWanted: 1n, gasUsed: 0n, events: [] },
};
const tx = (byte: number) => Uint8Array.of(byte);
/** Of two transactions. */
const room = { bytes: 1_000, gas: 2n };

/** A mempool with transactions 1 to `count`, and an application that leaves some of them out. */
function proposal(count: number, leftOut: readonly number[]) {
  const mempool = new Mempool({ sha256, check: () => good, room: () => room });
  for (let byte = 1; byte <= count; byte++) mempool.add(tx(byte));
  const prepared: number[][] = [];
  const prepare = (txs: readonly Uint8Array[]) => {
    prepared.push(txs.map(([byte = 0]) => byte));
    return txs.filter(([byte = 0]) => !leftOut.includes(byte));
  };
  const proposed = fillProposal({ mempool, room, sha256, prepare }).map(([byte]) => byte);
  return { proposed, prepared, waiting: mempool.list(count).map(([byte]) => byte) };
}

test("the application takes all → one fill, and all of them wait until the block is made", () => {
  expect(proposal(3, [])).toEqual({ proposed: [1, 2], prepared: [[1, 2]], waiting: [1, 2, 3] });
});

test("transactions that are left out → dropped, and those after them take their room", () => {
  const filled = proposal(5, [1, 3]);
  expect(filled.prepared).toEqual([
    [1, 2],
    [2, 3],
    [2, 4],
  ]);
  expect([filled.proposed, filled.waiting]).toEqual([
    [2, 4],
    [2, 4, 5],
  ]);
});

test("more left out than three fills find → what fits until then; the next block goes on after them", () => {
  const filled = proposal(9, [1, 2, 3, 4, 5, 6, 7]);
  expect([filled.proposed, filled.prepared.length, filled.waiting]).toEqual([[], 3, [7, 8, 9]]);
});
