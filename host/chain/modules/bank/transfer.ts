/** Coins on the move, with the Cosmos SDK's events: what messages, fees, deposits and refunds go through. */

import { equalBytes } from "../../../base/text/bytes.js";
import type { ModuleContext } from "../../app/context.js";
import { moduleAddress } from "../../values/address.js";
import { type Coins, formatCoins } from "../../values/coins.js";
import { SDK, TxError } from "../../values/tx-error.js";
import { AUTH_STORE, ensureAccount } from "../auth/accounts.js";
import { requireSpendable } from "../auth/vesting.js";
import { bankOf } from "./bank.js";

export const FEE_COLLECTOR = "fee_collector";

/** The account of fees takes them from the ante handler alone. @throws TxError sdk 4 */
export function requireMayReceive(context: ModuleContext, to: Uint8Array, text: string): void {
  if (!equalBytes(to, moduleAddress(context.sha256, FEE_COLLECTOR))) return;
  throw new TxError(SDK.UNAUTHORIZED, `${text} is not allowed to receive funds`);
}

/** @throws TxError sdk 5 when the sender has not got them, or holds them locked */
export function transferCoins(context: ModuleContext, from: Uint8Array, to: Uint8Array, coins: Coins): void {
  requireSpendable(context, from, coins);
  if (coins.length > 0) bankOf(context.version).send(context.stores, from, to, coins);
  else ensureAccount(context.store(AUTH_STORE), to);
  const { encode } = context.addresses;
  const [sender, recipient, amount] = [encode(from), encode(to), formatCoins(coins)];
  context.emit("coin_spent", ["spender", sender], ["amount", amount]);
  context.emit("coin_received", ["receiver", recipient], ["amount", amount]);
  context.emit("transfer", ["recipient", recipient], ["sender", sender], ["amount", amount]);
  context.emit("message", ["sender", sender]);
}

/** To a module's account, which is made when it is absent. */
export function transferToModule(context: ModuleContext, from: Uint8Array, module: string, coins: Coins): void {
  const to = moduleAddress(context.sha256, module);
  ensureAccount(context.store(AUTH_STORE), to, module);
  transferCoins(context, from, to, coins);
}

export function transferFromModule(context: ModuleContext, module: string, to: Uint8Array, coins: Coins): void {
  transferCoins(context, moduleAddress(context.sha256, module), to, coins);
}

/** @throws TxError sdk 5 */
export function burnFromModule(context: ModuleContext, module: string, coins: Coins): void {
  const address = moduleAddress(context.sha256, module);
  bankOf(context.version).burn(context.stores, address, coins);
  const [burner, amount] = [context.addresses.encode(address), formatCoins(coins)];
  context.emit("coin_spent", ["spender", burner], ["amount", amount]);
  context.emit("burn", ["burner", burner], ["amount", amount]);
}
