/** What the demonstration counts of a chain's state. */
import { expect, test } from "vitest";
import { amounts, countChain } from "../../../../host/cli/demo/count.js";
import { Chain } from "../../../scenario/chain.js";
import { genesisDocument } from "../../../scenario/genesis-text.js";

test("countChain() → accounts with keys, their coins and the validators; nothing of modules' accounts", () => {
  const process = new Chain().start();
  process.blocks(1);
  const { auth, bank, staking } = genesisDocument()["app_state"] as {
    auth: { accounts: unknown[] };
    bank: { balances: { coins: { denom: string; amount: string }[] }[] };
    staking: { validators: unknown[] };
  };
  // The last balance is that of gov's account.
  const own = bank.balances.slice(0, -1).flatMap(({ coins }) => coins);
  const sum = (denom: string) =>
    String(own.filter((coin) => coin.denom === denom).reduce((total, { amount }) => total + BigInt(amount), 0n));
  const count = countChain(process.app);
  expect(count).toMatchObject({
    accounts: BigInt(auth.accounts.length),
    balances: BigInt(own.length),
    validators: BigInt(staking.validators.length),
  });
  expect(amounts(count.supply)).toEqual({ ugold: sum("ugold"), ustake: sum("ustake") });
});
