/**
 * Module bank. Consensus version 1 has no store: it reads and moves the coins that accounts hold. Version 2 keeps
 * balances and supply in its own store. MsgSend and the queries answer alike in both.
 */

import { concatBytes, equalBytes, prefixEnd, utf8 } from "../../../base/text/bytes.js";
import { byteAt } from "../../../base/text/checked-index.js";
import { decodeText } from "../../../base/text/text.js";
import type { KVReader, KVStore } from "../../../base/types/types.js";
import { type ChainVersion, layoutOf } from "../../app/versions/version.js";
import {
  addCoins,
  amountOf,
  type Coin,
  type Coins,
  coinsFromMessages,
  coinsToMessages,
  formatCoins,
  normalCoins,
  parseAmount,
  subtractCoins,
} from "../../values/coins.js";
import { allRecords, type Records } from "../../values/records.js";
import { SDK, TxError } from "../../values/tx-error.js";
import { ACCOUNTS, AUTH_STORE, accounts, ensureAccount, readAccount, writeAccount } from "../auth/accounts.js";

export const BANK_STORE = "bank";

/** Stores as a bank needs them: a block's branch, or a committed version. */
export interface Stores {
  store(name: string): KVReader;
}

interface WritableStores {
  store(name: string): KVStore;
}

export interface Owner {
  readonly address: Uint8Array;
  readonly coins: Coins;
}

export interface Bank {
  /** Where coins have records of their own, and not one with their account: those of one address. */
  balanceRecords?(address: Uint8Array): Records<Coin>;
  /** Where the supply has records; elsewhere it is the sum of all balances. */
  readonly supplyRecords?: Records<Coin>;
  /** Who holds what, by address; a record may be of one denomination or of all. */
  readonly ownerRecords: Records<Owner> & { readonly store: string };
  balances(stores: Stores, address: Uint8Array): Coin[];
  supply(stores: Stores): Coin[];
  /** Every address with coins, ascending. */
  allBalances(stores: Stores): Iterable<readonly [address: Uint8Array, coins: Coins]>;
  /** Genesis: coins out of nothing. */
  mint(stores: WritableStores, address: Uint8Array, coins: Coins): void;
  burn(stores: WritableStores, address: Uint8Array, coins: Coins): void;
  /** @throws TxError sdk 5 with the Cosmos SDK's text when the sender does not have them */
  send(stores: WritableStores, from: Uint8Array, to: Uint8Array, coins: Coins): void;
}

/** The first denomination that is short, in the Cosmos SDK's words. */
export function insufficientFunds(balance: Coins, needed: Coins): TxError {
  const short = needed.find(({ denom, amount }) => amountOf(balance, denom) < amount);
  const has = short ? amountOf(balance, short.denom) : 0n;
  const what = short ? `${has}${short.denom} is smaller than ${short.amount}${short.denom}` : formatCoins(needed);
  return new TxError(SDK.INSUFFICIENT_FUNDS, `spendable balance ${what}`);
}

/** Version 1. */
export const accountBank: Bank = {
  ownerRecords: {
    ...ACCOUNTS,
    store: AUTH_STORE,
    read(value, key) {
      const { address, coins } = ACCOUNTS.read(value, key);
      return { address, coins: coinsFromMessages(coins) };
    },
  },

  balances: (stores, address) => coinsFromMessages(readAccount(stores.store(AUTH_STORE), address)?.coins ?? []),

  supply(stores) {
    let sum: Coin[] = [];
    for (const account of accounts(stores.store(AUTH_STORE))) sum = addCoins(sum, coinsFromMessages(account.coins));
    return sum;
  },

  *allBalances(stores) {
    for (const { address, coins } of accounts(stores.store(AUTH_STORE))) {
      if (coins.length > 0) yield [address, coinsFromMessages(coins)];
    }
  },

  mint: (stores, address, coins) => changeAccount(stores, address, (held) => addCoins(held, coins)),

  burn: (stores, address, coins) => changeAccount(stores, address, (held) => take(held, coins)),

  send(stores, from, to, coins) {
    changeAccount(stores, from, (held) => take(held, coins));
    changeAccount(stores, to, (held) => addCoins(held, coins));
  },
};

function take(held: Coins, coins: Coins): Coin[] {
  const rest = subtractCoins(held, coins);
  if (!rest) throw insufficientFunds(held, coins);
  return rest;
}

function changeAccount(stores: WritableStores, address: Uint8Array, change: (held: Coins) => Coins): void {
  const store = stores.store(AUTH_STORE);
  const account = ensureAccount(store, address);
  account.coins = coinsToMessages(change(coinsFromMessages(account.coins)));
  writeAccount(store, account);
}

const SUPPLY_PREFIX = Uint8Array.of(0x00);
const BALANCE_PREFIX = Uint8Array.of(0x02);

/** Keys are `02 | len | address | denom`, the value is the amount as decimal text; so it is for `00 | denom`, the supply. */
function balancePrefix(address: Uint8Array): Uint8Array {
  return concatBytes(BALANCE_PREFIX, Uint8Array.of(address.length), address);
}

/** Of all balances. */
export const balanceRange = () => ({ start: BALANCE_PREFIX, end: prefixEnd(BALANCE_PREFIX) });

/** Of the supply of every denomination. */
export const supplyRange = () => ({ start: SUPPLY_PREFIX, end: prefixEnd(SUPPLY_PREFIX) });

/** By denomination. */
const coinRecords = (prefix: Uint8Array): Records<Coin> => ({
  prefix,
  read: (value, key) => ({ denom: decodeText(key), amount: parseAmount(decodeText(value)) }),
});

/** Version 2. */
export const storeBank: Bank = {
  ownerRecords: {
    prefix: BALANCE_PREFIX,
    store: BANK_STORE,
    read(value, key) {
      const end = 1 + byteAt(key, 0);
      const coin = { denom: decodeText(key.subarray(end)), amount: parseAmount(decodeText(value)) };
      return { address: key.slice(1, end), coins: [coin] };
    },
  },

  balanceRecords: (address) => coinRecords(balancePrefix(address)),

  supplyRecords: coinRecords(SUPPLY_PREFIX),

  balances: (stores, address) => readCoins(stores.store(BANK_STORE), balancePrefix(address)),

  supply: (stores) => readCoins(stores.store(BANK_STORE), SUPPLY_PREFIX),

  *allBalances(stores) {
    let address: Uint8Array | undefined;
    let coins: Coin[] = [];
    for (const [key, value] of stores.store(BANK_STORE).iterate(balanceRange())) {
      const length = byteAt(key, 1);
      const owner = key.subarray(2, 2 + length);
      if (!address || !equalBytes(address, owner)) {
        if (address) yield [address, coins];
        address = owner;
        coins = [];
      }
      coins.push({ denom: decodeText(key.subarray(2 + length)), amount: parseAmount(decodeText(value)) });
    }
    if (address) yield [address, coins];
  },

  mint(stores, address, coins) {
    ensureAccount(stores.store(AUTH_STORE), address);
    change(stores.store(BANK_STORE), balancePrefix(address), coins, 1n);
    change(stores.store(BANK_STORE), SUPPLY_PREFIX, coins, 1n);
  },

  burn(stores, address, coins) {
    requireCoins(stores, address, coins);
    change(stores.store(BANK_STORE), balancePrefix(address), coins, -1n);
    change(stores.store(BANK_STORE), SUPPLY_PREFIX, coins, -1n);
  },

  send(stores, from, to, coins) {
    requireCoins(stores, from, coins);
    ensureAccount(stores.store(AUTH_STORE), to);
    change(stores.store(BANK_STORE), balancePrefix(from), coins, -1n);
    change(stores.store(BANK_STORE), balancePrefix(to), coins, 1n);
  },
};

const readCoins = (store: KVReader, prefix: Uint8Array): Coin[] => [...allRecords(store, coinRecords(prefix))];

function requireCoins(stores: WritableStores, address: Uint8Array, coins: Coins): void {
  take(readCoins(stores.store(BANK_STORE), balancePrefix(address)), coins);
}

/** The bank whose layout these stores have. */
export function bankOf(version: Pick<ChainVersion, "layouts">): Bank {
  return layoutOf(version, "bank") >= 2n ? storeBank : accountBank;
}

/** Adds (or takes, with sign -1n) coins under a prefix; an amount that becomes zero leaves no record. */
function change(store: KVStore, prefix: Uint8Array, coins: Coins, sign: 1n | -1n): void {
  for (const { denom, amount } of normalCoins(coins)) {
    const key = concatBytes(prefix, utf8(denom));
    const held = store.get(key);
    const next = (held ? parseAmount(decodeText(held)) : 0n) + sign * amount;
    if (next === 0n) store.delete(key);
    else store.set(key, utf8(next.toString()));
  }
}
