/** Transactions that CheckTx accepts, and that need more of the engine's stack when a block is proposed or after one. */
import { beforeEach, expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import type { Misfit } from "../../host/chain/determinism/misfits.js";
import { useShapes } from "../recursion/chain.js";
import { freshShapes } from "../recursion/shapes.js";
import { RecursionProgram } from "./recursion-chain.js";

const FLAT = 10;
const BEYOND = 10_000_000;
const ROOM = 1_000_000;

/** How deep a message `direct:N` recurses. */
let depth = FLAT;
/** N of each message `direct:N` that has run. */
let ran: number[] = [];
const depths = (n: number): number => (n === 0 ? 0 : 1 + depths(n - 1));
const nameOf = (tx: Uint8Array) => toHex(sha256(tx));

beforeEach(() => {
  [depth, ran] = [FLAT, []];
  const direct = (n: number) => {
    ran.push(n);
    return depths(depth);
  };
  useShapes(() => ({ ...freshShapes(), direct }));
  return () => useShapes(freshShapes);
});

/** A program with what it reports. */
function listened() {
  const program = new RecursionProgram();
  const leftOut: Misfit[] = [];
  const rejected: Misfit[] = [];
  program.app.proposals.misfits.listen({
    onLeftOut: (misfits) => leftOut.push(...misfits),
    onRejected: (misfit) => rejected.push(misfit),
  });
  const proposed = (...txs: readonly Uint8Array[]) =>
    program.port.prepareProposal({ height: program.app.nextHeight, txs }, ROOM);
  const isAccepted = (...txs: readonly Uint8Array[]) =>
    program.port.processProposal({ height: program.app.nextHeight, txs });
  return { program, leftOut, rejected, proposed, isAccepted };
}

function expectRefused({ app }: RecursionProgram, tx: Uint8Array): void {
  for (const kind of ["recheck", "new", "admitted"] as const) {
    const refused = app.checkTx(tx, kind);
    expect([refused.codespace, refused.code]).toEqual(["sdk", 35]);
    expect(refused.log).toContain("the node leaves it out of its blocks");
    expect(app.checkTx(tx, kind, nameOf(tx))).toEqual(refused);
  }
}

test("prepareProposal() of a transaction that no longer fits → reported once with the message's type, refused from then on, and the account's next one is accepted", () => {
  const { program, leftOut, proposed } = listened();
  const tx = program.tx("direct:1");
  expect(program.app.checkTx(tx).code).toBe(0);
  depth = BEYOND;
  expect(proposed(tx)).toEqual([]);
  depth = FLAT;
  expect(leftOut).toEqual([{ name: nameOf(tx), cause: expect.stringContaining("Maximum call stack size exceeded") }]);
  expect(leftOut[0]?.cause).toContain("MsgAddNote");
  program.block([]);
  expectRefused(program, tx);
  const next = program.tx("pure:10");
  expect(program.app.checkTx(next).code).toBe(0);
  expect(program.block([next]).txResults[0]?.code).toBe(0);
});

test("prepareProposal() of the account's next transaction after it → left out too and not refused: the recheck drops it, and no block fails it", () => {
  const { program, leftOut, proposed } = listened();
  const [first, next] = [program.tx("direct:1"), program.tx("pure:10", 1n)];
  for (const tx of [first, next]) expect(program.app.checkTx(tx).code).toBe(0);
  depth = BEYOND;
  expect(proposed(first, next)).toEqual([]);
  expect(proposed(next)).toEqual([]);
  depth = FLAT;
  expect(leftOut.map(({ name }) => name)).toEqual([nameOf(first)]);
  program.block([]);
  expect(program.app.checkTx(next, "recheck")).toMatchObject({ codespace: "sdk", code: 32 });
  const other = program.tx("pure:11");
  expect(program.app.checkTx(other).code).toBe(0);
  expect(program.app.checkTx(next).code).toBe(0);
  expect(program.block([other, next]).txResults.map(({ code }) => code)).toEqual([0, 0]);
});

test("processProposal() with one that does not fit → rejected at the first, reported once; the node refuses none of them", () => {
  const { program, leftOut, rejected, isAccepted } = listened();
  const innocent = [1, 2, 3].map((n) => program.tx(`direct:${n}`));
  depth = BEYOND;
  expect(isAccepted(...innocent)).toBe(false);
  depth = FLAT;
  expect(new Set(ran)).toEqual(new Set([1]));
  expect(leftOut).toEqual([]);
  expect(rejected).toEqual([{ name: nameOf(innocent[0] as Uint8Array), cause: expect.stringContaining("call stack") }]);
  program.block([]);
  for (const tx of innocent) {
    program.block([]);
    expect(program.app.checkTx(tx).code).toBe(0);
  }
});

test("processProposal() where all fit → accepted, and nothing is reported", () => {
  const { program, rejected, isAccepted } = listened();
  expect(isAccepted(program.tx("direct:1"), program.tx("direct:2", 1n))).toBe(true);
  expect(rejected).toEqual([]);
});

test("a recheck that ends at the engine's limit → reported once, refused from then on, and the account's next one is accepted", () => {
  const { program, leftOut } = listened();
  const tx = program.tx("direct:1");
  expect(program.app.checkTx(tx).code).toBe(0);
  program.block([]);
  depth = BEYOND;
  expect(program.app.checkTx(tx, "recheck").log).toContain("UPG_BUG_ENGINE_LIMIT");
  depth = FLAT;
  expect(leftOut.map(({ name }) => name)).toEqual([nameOf(tx)]);
  expectRefused(program, tx);
  expect(leftOut).toHaveLength(1);
  expect(program.app.checkTx(program.tx("pure:10")).code).toBe(0);
});

test("a new transaction that ends at the engine's limit → refused, and may come again", () => {
  const { program, leftOut } = listened();
  const tx = program.tx("direct:1");
  depth = BEYOND;
  expect(program.app.checkTx(tx).code).toBe(35);
  depth = FLAT;
  expect(leftOut).toEqual([]);
  expect(program.app.checkTx(tx).code).toBe(0);
});
