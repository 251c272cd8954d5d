/** split-balances as one writes it without a thought for speed: objects, iterators, the generated protobuf code. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { AccountSchema } from "../../host/base/gen/chain/auth/v1/auth_pb.js";
import { concatBytes, utf8 } from "../../host/base/text/bytes.js";
import type { MultiStore } from "../../host/base/types/types.js";
import { ACCOUNT_PREFIX, BALANCE_PREFIX, SUPPLY_PREFIX } from "./accounts.js";

export function naturalJs(stores: MultiStore, base: MultiStore): void {
  const auth = stores.store("auth");
  const bank = stores.store("bank");
  const supply = new Map<string, bigint>();
  let balances = 0;
  for (const [key, value] of base
    .store("auth")
    .iterate({ start: Uint8Array.of(ACCOUNT_PREFIX), end: Uint8Array.of(ACCOUNT_PREFIX + 1) })) {
    const account = fromBinary(AccountSchema, value);
    for (const { denom, amount } of account.coins) {
      const owner = Uint8Array.of(BALANCE_PREFIX, account.address.length);
      bank.set(concatBytes(owner, account.address, utf8(denom)), utf8(amount));
      supply.set(denom, (supply.get(denom) ?? 0n) + BigInt(amount));
      balances++;
    }
    auth.set(key, toBinary(AccountSchema, create(AccountSchema, { ...account, coins: [] })));
  }
  for (const [denom, sum] of supply) bank.set(concatBytes(Uint8Array.of(SUPPLY_PREFIX), utf8(denom)), utf8(`${sum}`));
  check(stores, supply, balances);
}

/** The sum of all balances is the supply, and there is one for each coin. */
function check(stores: MultiStore, supply: Map<string, bigint>, balances: number): void {
  const text = new TextDecoder();
  let seen = 0;
  for (const [key, value] of stores
    .store("bank")
    .iterate({ start: Uint8Array.of(BALANCE_PREFIX), end: Uint8Array.of(BALANCE_PREFIX + 1) })) {
    const denom = text.decode(key.subarray(2 + (key[1] ?? 0)));
    supply.set(denom, (supply.get(denom) ?? 0n) - BigInt(text.decode(value)));
    seen++;
  }
  if (seen !== balances || [...supply.values()].some((rest) => rest !== 0n)) throw new Error("the balances do not fit");
}
