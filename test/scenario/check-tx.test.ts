/** Transactions before a block: what the mempool asks. */

import { describe, expect, test } from "vitest";
import { V1 } from "../example-chain.js";
import { Chain } from "./chain.js";
import { ALICE, BOB, govGenesis, Town } from "./gov-chain.js";
import { splitBalances } from "./versions.js";
import { send } from "./wallet.js";

const given = 1_000_000n;

describe("checkTx()", () => {
  const sendOne = (chain: Town, options = {}) => chain.sign(ALICE, [send(ALICE, BOB.address, 1)], options);

  test("several transactions of one account → all pass before a block; after it, rechecked or too old", () => {
    const chain = new Town();
    const txs = [sendOne(chain), sendOne(chain), sendOne(chain)];
    expect(txs.map((tx) => chain.process.app.checkTx(tx).code)).toEqual([0, 0, 0]);
    chain.process.block({ txs: txs.slice(0, 1) });
    expect(chain.process.app.checkTx(txs[0] as Uint8Array, "recheck").code).toBe(32);
    expect(txs.slice(1).map((tx) => chain.process.app.checkTx(tx, "recheck").code)).toEqual([0, 0]);
    expect(chain.process.app.checkTx(sendOne(chain)).code).toBe(0);
  });

  test("runs no message, writes nothing, and the block's state is as without it", () => {
    const [checked, unchecked] = [new Town(), new Town()];
    const tx = sendOne(checked, { fee: "5" });
    expect(checked.process.app.checkTx(tx)).toMatchObject({ code: 0, gasWanted: 1_000_000n });
    expect(checked.process.app.simulate(sendOne(checked, { fee: "5" }))).toMatchObject({ code: 0 });
    expect(checked.balance(ALICE.addressBytes)).toBe(given);
    checked.process.block({ txs: [tx] });
    unchecked.process.block({ txs: [tx] });
    expect(checked.process.appHash).toBe(unchecked.process.appHash);
  });

  test("a message that will fail passes the check, as in the Cosmos SDK", () => {
    const chain = new Town();
    expect(chain.process.app.checkTx(chain.sign(ALICE, [send(ALICE, "x", 1)])).code).toBe(0);
  });

  test("before the first block → sdk 26; before an upgrade block → 61, upgrade", () => {
    const fresh = new Chain({ genesis: govGenesis() }).start();
    const early = fresh.app.checkTx(ALICE.sign([], { chainId: "scenario-1", accountNumber: 0n, sequence: 0n }));
    expect(early).toMatchObject({
      code: 26,
      log: "scenario-1 is not ready; please wait for first block: invalid height",
    });
    const town = new Town(govGenesis(), { start: { versions: [V1] } });
    town.process.schedule({ name: "v2", height: 4n });
    town.process.untilHalt();
    town.process = town.chain.start({ handlers: [splitBalances()] });
    expect(town.process.app.checkTx(sendOne(town))).toMatchObject({ code: 61, codespace: "upgrade" });
    town.block();
    expect(town.process.app.checkTx(town.sign(BOB, [send(BOB, ALICE.address, 1)])).code).toBe(0);
  });

  test("timeout height: the next block's passes, an earlier one is refused", () => {
    const chain = new Town();
    const next = chain.height + 1n;
    expect(chain.process.app.checkTx(sendOne(chain, { timeoutHeight: next })).code).toBe(0);
    const late = chain.process.app.checkTx(sendOne(chain, { timeoutHeight: next - 1n }));
    expect(late).toMatchObject({
      code: 30,
      log: `block height: ${next}, timeout height: ${next - 1n}: tx timeout height`,
    });
  });
});
