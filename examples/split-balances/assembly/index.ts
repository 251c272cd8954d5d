// split-balances: the coins that accounts hold move into a store of their own, the step that the Cosmos SDK made between
// its first and second generation of chains.
//
//   auth  01 | address          Account with coins        → Account without coins
//   bank  02 | len | address | denom                      → amount, decimal text
//   bank  00 | denom                                      → supply, decimal text
import {
  addStore,
  Bytes,
  fail,
  invariant,
  migrate,
  plan,
  ProtoReader,
  scan,
  store,
  Writer,
} from "chain-upgrade/handler";
import * as supply from "./supply";

plan("v2", 100_000_000_000);
const auth = store("auth").prefix("01");
const bank = addStore("bank");

/** Account.coins, and a coin's fields. */
const COINS: u32 = 16;
const DENOM: u32 = 1;
const AMOUNT: u32 = 2;

const account = new ProtoReader();
const coin = new ProtoReader();
const denom = new Bytes();
const amount = new Bytes();
/** The account's other fields, as they are. */
const rest = new Writer(512);
const key = new Writer(256);

/** Balances written, and balances found afterwards. */
let balances: u64 = 0;
let seen: u64 = 0;

migrate("auth", 1, 2);
migrate("bank", 1, 2);
scan(auth, "01", splitAccount, writeSupply);
invariant("supply", balancesAddUp, "the balances do not add up to the supply");
invariant("balances", isEveryCoinABalance, "there is not one balance for each coin that an account held");

function splitAccount(accountKey: Bytes, value: Bytes): void {
  rest.clear();
  account.open(value);
  while (account.next()) {
    if (account.field == COINS) writeBalance(accountKey, account.bytes);
    else rest.bytes(account.raw);
  }
  auth.set(accountKey, rest);
}

function writeBalance(accountKey: Bytes, coinBytes: Bytes): void {
  denom.length = 0;
  amount.length = 0;
  coin.open(coinBytes);
  while (coin.next()) {
    if (coin.field == DENOM) denom.part(coin.bytes, 0);
    else if (coin.field == AMOUNT) amount.part(coin.bytes, 0);
    else fail(1, "a coin has a field that this migration does not know");
  }
  if (denom.length == 0) fail(1, "a coin has no denomination");
  supply.add(denom, amount);
  key
    .clear()
    .u8(0x02)
    .u8(accountKey.length - 1)
    .slice(accountKey, 1)
    .bytes(denom);
  bank.set(key, amount);
  balances += 1;
}

function writeSupply(): void {
  for (let i = 0; i < supply.sums.length; i++) {
    const sum = supply.sums[i];
    key.clear().u8(0x00).bytes(sum.denom);
    bank.set(key, rest.clear().amount(sum.total));
  }
}

// Invariants

/** Walks the balances: each is taken off the sums, which are nothing at the end when all is well. */
function balancesAddUp(): bool {
  const pairs = bank.scan(Bytes.hex("02"));
  while (pairs.next()) {
    denom.part(pairs.key, 2 + pairs.key.u8At(1));
    if (!supply.take(denom, pairs.value)) return false;
    seen += 1;
  }
  return supply.isNothingLeft();
}

function isEveryCoinABalance(): bool {
  return seen == balances;
}
