/** The probe of module bank: coins go from one new account to another. */
import type { ProbeContext } from "../../app/context.js";
import { amountOf } from "../../values/coins.js";
import { bankOf } from "./bank.js";
import { requireMayReceive, transferCoins } from "./transfer.js";

/** Accounts of 2 coins and none become two accounts of one. */
export function probeBank(context: ProbeContext): string | undefined {
  const { addresses, constants, stores, version } = context;
  const denom = constants.bondDenom;
  const [from, to] = [context.unusedAddress("sender"), context.unusedAddress("receiver")];
  const bank = bankOf(version);
  bank.mint(stores, from, [{ denom, amount: 2n }]);
  requireMayReceive(context, to, addresses.encode(to));
  transferCoins(context, from, to, [{ denom, amount: 1n }]);
  for (const address of [from, to]) {
    const held = amountOf(bank.balances(stores, address), denom);
    if (held !== 1n) return `after a transfer of 1${denom} an account has ${held}${denom} in place of 1${denom}`;
  }
  return undefined;
}
