/** Coins that vest cannot be sent, deposited or paid as a fee before their time. */
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { VestingSchema } from "../../../../host/base/gen/chain/auth/v1/auth_pb.js";
import { lockedCoins } from "../../../../host/chain/modules/auth/vesting.js";
import { ALICE, BOB, govGenesis, Town } from "../../../scenario/gov-chain.js";
import { send } from "../../../scenario/wallet.js";

const coin = (amount: bigint) => [{ denom: "ustake", amount: String(amount) }];
const lockedAt = (vesting: Parameters<typeof create<typeof VestingSchema>>[1], seconds: bigint) =>
  lockedCoins(create(VestingSchema, vesting), seconds)[0]?.amount ?? 0n;

test("lockedCoins() of a delayed account → all until the end, then nothing", () => {
  const vesting = { original: coin(100n), endTime: 50n };
  expect([0n, 49n, 50n, 51n].map((at) => lockedAt(vesting, at))).toEqual([100n, 100n, 0n, 0n]);
});

test("lockedCoins() of a continuous account → in proportion to the time, less what vests delegated", () => {
  const vesting = { original: coin(100n), startTime: 10n, endTime: 110n };
  expect([0n, 10n, 11n, 60n, 109n, 110n].map((at) => lockedAt(vesting, at))).toEqual([100n, 100n, 99n, 50n, 1n, 0n]);
  expect(lockedAt({ ...vesting, delegatedVesting: coin(30n) }, 60n)).toBe(20n);
  expect(lockedAt({ ...vesting, delegatedVesting: coin(90n) }, 60n)).toBe(0n);
});

test("MsgSend of what is locked → sdk 5 with the spendable balance; of the rest → sent", () => {
  const document = JSON.parse(govGenesis());
  const [base] = document.app_state.auth.accounts;
  document.app_state.auth.accounts[0] = {
    "@type": "/cosmos.vesting.v1beta1.DelayedVestingAccount",
    base_vesting_account: { base_account: base, original_vesting: coin(999_000n), end_time: "9999999999" },
  };
  const town = new Town(JSON.stringify(document));
  expect(town.bad(ALICE, send(ALICE, BOB.address, 1_001)).log).toContain(
    "spendable balance 1000ustake is smaller than 1001ustake: insufficient funds",
  );
  town.good(ALICE, send(ALICE, BOB.address, 1_000));
});
