/** Whatever bytes come in: checkTx(), simulate() and a block answer, nothing is thrown, and state stays. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { VoteOption } from "../../../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { ALICE, BOB, DAVE, Town } from "../../../scenario/gov-chain.js";
import { propose, send, softwareUpgrade, vote } from "../../../scenario/wallet.js";

const town = new Town();
const TXS = [
  town.sign(ALICE, [send(ALICE, BOB.address, 1)], { sequence: 0n, fee: "5", memo: "memo" }),
  town.sign(DAVE, [propose(DAVE, [softwareUpgrade("v2", 500n, "info")])], { sequence: 0n }),
  town.sign(BOB, [vote(BOB, 1n, VoteOption.YES), send(BOB, DAVE.address, 2)], { sequence: 0n }),
];

/** One of the good transactions with some bytes changed, cut out or put in. */
const mutated = fc
  .record({
    base: fc.constantFrom(...TXS),
    edits: fc.array(
      fc.record({
        at: fc.nat(400),
        byte: fc.nat(255),
        kind: fc.constantFrom("set", "flip", "insert", "remove", "cut"),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ base, edits }) => {
    let bytes = [...base];
    for (const { at, byte, kind } of edits) {
      const index = at % Math.max(1, bytes.length);
      if (kind === "set") bytes[index] = byte;
      if (kind === "flip") bytes[index] = (bytes[index] ?? 0) ^ (1 << (byte % 8));
      if (kind === "insert") bytes.splice(index, 0, byte);
      if (kind === "remove") bytes.splice(index, 1);
      if (kind === "cut") bytes = bytes.slice(0, index);
    }
    return Uint8Array.from(bytes);
  });

const anything = fc.oneof(mutated, fc.uint8Array({ maxLength: 300 }));

test("checkTx() and simulate() of any bytes → an answer with a code, state as it was", () => {
  const { app } = town.process;
  const before = town.process.appHash;
  fc.assert(
    fc.property(anything, (bytes) => {
      for (const result of [app.checkTx(bytes), app.checkTx(bytes, "recheck"), app.simulate(bytes)]) {
        expect(result.code).toBeGreaterThanOrEqual(0);
        expect(result.code === 0 ? "" : result.log).toBe(result.log);
        expect(result.log).not.toContain("recovered");
      }
    }),
    { numRuns: 400 },
  );
  expect(town.process.appHash).toBe(before);
  const working = app.multiStore.workingHash();
  expect(Buffer.from(working).toString("hex")).toBe(before);
});

test("a block of any bytes → a result for each; a twin makes the same of it", () => {
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 5 }), (txs) => {
      const [one, two] = [new Town(), new Town()].map(({ process }) => process.block({ txs }));
      expect(one?.txResults).toHaveLength(txs.length);
      expect(two).toEqual(one);
    }),
    { numRuns: 15 },
  );
});
