/** What module auth holds to be always true of its own store: every entry is an account, or the number of the next one. */

import { type Account, AccountSchema, type Vesting } from "../../../base/gen/chain/auth/v1/auth_pb.js";
import { equalBytes } from "../../../base/text/bytes.js";
import { byteAt } from "../../../base/text/checked-index.js";
import type { Invariant } from "../../app/module.js";
import { coinsFromMessages, normalCoins } from "../../values/coins.js";
import { counterProblem, decodeRecord, type RecordKind, recordProblem } from "../../values/record-check.js";
import { ACCOUNTS, AUTH_STORE, keyOfAccount, NEXT_NUMBER_KEY, readNextNumber } from "./accounts.js";

const PUBLIC_KEY_BYTES = 33;

/** Checked in the block of an upgrade. One walk over the accounts, of which it keeps the greatest number. */
export const soundAccounts: Invariant = {
  name: "accounts",
  check(stores) {
    const store = stores.store(AUTH_STORE);
    let greatest = -1n;
    const account: RecordKind = {
      prefix: byteAt(ACCOUNTS.prefix, 0),
      name: "account",
      check(address, value) {
        const record = decodeRecord(AccountSchema, value);
        if (record.accountNumber > greatest) greatest = record.accountNumber;
        return accountProblem(record, address);
      },
    };
    const next: RecordKind = {
      prefix: byteAt(NEXT_NUMBER_KEY, 0),
      name: "next account number",
      check: counterProblem,
    };
    const problem = recordProblem(store, [account, next]);
    if (problem !== undefined || readNextNumber(store) > greatest) return problem;
    return `the next account number is ${readNextNumber(store)}, and an account has the number ${greatest}`;
  },
};

function accountProblem(account: Account, address: Uint8Array): string | undefined {
  if (address.length === 0 || !equalBytes(account.address, address)) return "it is the account of another address";
  const { pubKey, vesting, coins } = account;
  if (pubKey.length !== 0 && pubKey.length !== PUBLIC_KEY_BYTES) return `its key has ${pubKey.length} bytes`;
  if (account.multisig) keyOfAccount(account);
  requireCoins(coins);
  if (vesting) requireVesting(vesting);
  return undefined;
}

function requireVesting({ original, delegatedFree, delegatedVesting }: Vesting): void {
  for (const coins of [original, delegatedFree, delegatedVesting]) requireCoins(coins);
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function requireCoins(coins: Account["coins"]): void {
  if (coins.length > 0) normalCoins(coinsFromMessages(coins));
}
