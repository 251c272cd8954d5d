/** The bank as a chain's own modules use it: their account, escrow, minting and burning. */

import { messageOf } from "../../../base/errors/errors.js";
import { usage } from "../../../base/terminal/usage.js";
import type { ModuleContext } from "../../app/context.js";
import type { Module } from "../../app/module.js";
import { readAddress } from "../../app/tx/read-address.js";
import { moduleAddress } from "../../values/address.js";
import {
  AMOUNT_MAX,
  amountOf,
  type Coin,
  type Coins,
  formatCoins,
  normalCoins,
  parseAmount,
} from "../../values/coins.js";
import { SDK, TxError } from "../../values/tx-error.js";
import { AUTH_STORE, ensureAccount } from "../auth/accounts.js";
import { bankOf } from "./bank.js";
import { burnFromModule, requireMayReceive, transferCoins, transferFromModule, transferToModule } from "./transfer.js";

/** An amount of a denomination. A message's `Coin` is one: its amount is decimal text. */
export interface GivenCoin {
  readonly denom: string;
  readonly amount: bigint | string;
}

/**
 * The coins of a chain, as one module may move them. Each change emits the Cosmos SDK's events and keeps the supply equal to
 * the sum of all balances. A failure is a `TxError`, which fails the transaction; outside of a transaction, as in `endBlock`,
 * catch it or it ends the node. Addresses are text in the chain's form.
 */
export interface BankKeeper {
  /** The module's own account: the first 20 bytes of SHA-256 of its name. */
  readonly address: string;
  /** @throws TxError sdk 7 */
  balance(address: string, denom: string): bigint;
  /** Ascending by denomination, without zero amounts. @throws TxError sdk 7 */
  balances(address: string): Coin[];
  /** Zero for a denomination that nobody holds. Reads every supply: keep a count of your own where it is read often. */
  supply(denom: string): bigint;
  /** From an account to an account. The caller must know that `from` agreed. @throws TxError sdk 5, 7, 10 */
  send(from: string, to: string, coins: readonly GivenCoin[]): void;
  /** Takes coins into the module's account (escrow). The caller must know that `from` agreed. @throws TxError sdk 5, 7, 10 */
  sendToModule(from: string, coins: readonly GivenCoin[]): void;
  /** Pays out of the module's account. @throws TxError sdk 4 when `to` may not receive coins; sdk 5, 7, 10 */
  sendFromModule(to: string, coins: readonly GivenCoin[]): void;
  /** Creates coins in the module's account. @throws TxError sdk 4 without the permission "minter"; sdk 10 */
  mint(coins: readonly GivenCoin[]): void;
  /** Destroys coins of the module's account. @throws TxError sdk 4 without the permission "burner"; sdk 5, 10 */
  burn(coins: readonly GivenCoin[]): void;
}

/**
 * Returns the bank for a module with an account. `account.permissions` of the module decide what it may do: `"minter"`,
 * `"burner"`.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT when the module has no `account`
 *
 * @example
 * import { MsgAddNoteResponseSchema, MsgAddNoteSchema } from "./gen/notes_pb.js";
 * const shop = { name: "shop", account: { permissions: ["burner"] } };
 * const buyNote = messageKind({
 *   ...{ schema: MsgAddNoteSchema, response: MsgAddNoteResponseSchema, signer: "author" },
 *   run(context, { author }) {
 *     bankKeeper(context, shop).sendToModule(author, [{ denom: "ustake", amount: 5n }]);
 *     bankKeeper(context, shop).burn([{ denom: "ustake", amount: 5n }]);
 *     return undefined;
 *   },
 * });
 * console.log(buyNote.signer.name); // → author
 */
export function bankKeeper(context: ModuleContext, { name, account }: Pick<Module, "name" | "account">): BankKeeper {
  if (!account) throw usage(`module ${name} has no account: give it \`account: { permissions: [] }\``);
  const { addresses, stores, version } = context;
  const bank = bankOf(version);
  const own = moduleAddress(context.sha256, name);
  const read = (address: string) => readAddress(addresses, address, "invalid address");
  const requirePermission = (permission: string, what: string) => {
    if (account.permissions.includes(permission)) return;
    throw new TxError(SDK.UNAUTHORIZED, `module account ${name} does not have permissions to ${what} tokens`);
  };
  return {
    address: addresses.encode(own),
    balance: (address, denom) => amountOf(bank.balances(stores, read(address)), denom),
    balances: (address) => bank.balances(stores, read(address)),
    supply: (denom) => amountOf(bank.supply(stores), denom),
    send: (from, to, coins) => transferCoins(context, read(from), read(to), coinsOf(coins)),
    sendToModule: (from, coins) => transferToModule(context, read(from), name, coinsOf(coins)),
    sendFromModule(to, coins) {
      const address = read(to);
      requireMayReceive(context, address, to);
      transferFromModule(context, name, address, coinsOf(coins));
    },
    mint(coins) {
      requirePermission("minter", "mint");
      mintToModule(context, name, coinsOf(coins));
    },
    burn(coins) {
      requirePermission("burner", "burn");
      burnFromModule(context, name, coinsOf(coins));
    },
  };
}

/** @throws TxError sdk 10 for what is no amount of a denomination, or for no coins at all */
function coinsOf(given: readonly GivenCoin[]): Coin[] {
  let coins: Coin[];
  try {
    coins = normalCoins(
      given.map(({ denom, amount }) => ({ denom, amount: typeof amount === "string" ? parseAmount(amount) : amount })),
    );
  } catch (cause) {
    throw new TxError(SDK.INVALID_COINS, messageOf(cause), { cause });
  }
  if (coins.length === 0) throw new TxError(SDK.INVALID_COINS, "");
  return coins;
}

/** @throws TxError sdk 10 when a supply would have more than 256 bits */
function mintToModule(context: ModuleContext, module: string, coins: Coins): void {
  const bank = bankOf(context.version);
  const supply = bank.supply(context.stores);
  const beyond = coins.find(({ denom, amount }) => amountOf(supply, denom) + amount > AMOUNT_MAX);
  if (beyond) throw new TxError(SDK.INVALID_COINS, `the supply of ${beyond.denom} would have more than 256 bits`);
  const address = moduleAddress(context.sha256, module);
  ensureAccount(context.store(AUTH_STORE), address, module);
  bank.mint(context.stores, address, coins);
  const [minter, amount] = [context.addresses.encode(address), formatCoins(coins)];
  context.emit("coin_received", ["receiver", minter], ["amount", amount]);
  context.emit("coinbase", ["minter", minter], ["amount", amount]);
}
