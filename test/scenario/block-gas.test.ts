/** The gas of a block: what its transactions may use together. */

import { describe, expect, test } from "vitest";
import { exampleChain } from "../example-chain.js";
import { ALICE, BOB, CAROL, DAVE, govGenesis, Town } from "./gov-chain.js";
import { type Signer, send } from "./wallet.js";

describe("finalizeBlock() and the block's gas", () => {
  test("used up to the last unit → the next transaction does not run at all", () => {
    const town = (gas: string) => new Town(govGenesis({}, { max_gas: gas }));
    const txs = (chain: Town, gas: bigint) =>
      [ALICE, BOB].map((one) => chain.sign(one, [send(one, DAVE.address, 1)], { gas }));
    // Gas depends on the length of the limit as it is signed, so it is found with one of the same length.
    const first = town("60000");
    const used = first.process.block({ txs: txs(first, 59_999n) }).txResults[0]?.gasUsed ?? 0n;
    expect(String(used)).toHaveLength(5);
    const chain = town(String(used));
    expect(chain.process.block({ txs: txs(chain, used) }).txResults).toMatchObject([
      { code: 0, gasUsed: used },
      { code: 11, gasUsed: 0n, log: "no block gas left to run tx: out of gas" },
    ]);
  });

  test("what does not fit any more fails; a limit above the block's is refused", () => {
    const chain = new Town(govGenesis({}, { max_gas: "60000" }));
    const tx = (signer: Signer, gas: bigint) => chain.sign(signer, [send(signer, DAVE.address, 1)], { gas });
    const txs = [tx(ALICE, 60_000n), tx(BOB, 60_000n), tx(CAROL, 60_000n), tx(DAVE, 60_001n)];
    const results = chain.process.block({ txs }).txResults;
    expect(results.map(({ code }) => code)).toEqual([0, 11, 11, 11]);
    expect(results[1]?.log).toContain("out of gas in location: block gas meter");
    expect(results.at(-1)).toMatchObject({
      codespace: "sdk",
      code: 11,
      log: "no block gas left to run tx: out of gas",
    });
    expect(results.map(({ gasUsed }) => gasUsed).reduce((a, b) => a + b)).toBeLessThan(120_000n);
    expect(chain.process.app.checkTx(tx(DAVE, 60_001n))).toMatchObject({
      codespace: "sdk",
      code: 41,
      log: "tx gas limit 60001 exceeds block max gas 60000: invalid gas limit",
    });
  });
});

test("checkTx() of a gas limit above the block's, where the chain's own ante does not compare them → sdk 41, and the sender's next one is taken", () => {
  const ante: typeof exampleChain.ante = (context, tx, options) =>
    exampleChain.ante(context, tx, { ...options, blockGasMax: undefined });
  const town = new Town(govGenesis({}, { max_gas: "60000" }), { chain: { ...exampleChain, ante } });
  const tx = (gas: bigint) => town.sign(ALICE, [send(ALICE, BOB.address, 1)], { gas, sequence: 0n });
  const { app } = town.process;
  const log = "tx gas limit 60001 exceeds block max gas 60000: invalid gas limit";
  for (const kind of ["new", "admitted", "recheck"] as const) {
    expect(app.checkTx(tx(60_001n), kind)).toMatchObject({ codespace: "sdk", code: 41, log, gasWanted: 60_001n });
  }
  expect(app.checkTx(tx(60_000n)).code).toBe(0);
});
