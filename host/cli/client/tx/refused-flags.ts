/**
 * Flags of the Cosmos SDK's transactions that ask for what no chain here has. Each is known, so that a script which gives it
 * is refused with the reason and what to do, before anything is made or signed.
 */
import { type Command, Option } from "commander";
import { usage } from "../../../base/terminal/usage.js";

const HARDWARE =
  "this program does not talk to hardware wallets; make the transaction with --generate-only and sign it with a wallet " +
  "that does, as amino JSON";

/** A flag, and why it is refused. */
const TX_FLAGS = [
  ["--fee-granter <string>", "no module here grants fees; --fee-payer names an account that pays, and signs too"],
  ["--unordered", "transactions of an account are ordered by its sequence; --timeout-duration alone lets one expire"],
  [
    "--aux",
    "SIGN_MODE_DIRECT_AUX is not taken; where another account pays, give --fee-payer and --generate-only, and each " +
      "account signs with `tx sign --sign-mode amino-json`",
  ],
  ["--tip <string>", "transactions have no tips; --fees says what to pay"],
  ["--ledger", HARDWARE],
] as const;

type Refused = readonly (readonly [flag: string, why: string])[];

export const addRefusedTxFlags = <T extends Command>(command: T): T => addRefusedFlags(command, TX_FLAGS);

/** Of `keys add`. */
export const addRefusedKeyFlags = <T extends Command>(command: T): T =>
  addRefusedFlags(command, [["--ledger", HARDWARE]]);

function addRefusedFlags<T extends Command>(command: T, flags: Refused): T {
  const options = flags.map(([flag, why]) => ({ option: new Option(flag, `of the Cosmos SDK, refused: ${why}`), why }));
  for (const { option } of options) command.addOption(option.hideHelp());
  return command.hook("preAction", (_, action) => {
    for (const { option, why } of options) {
      const value: unknown = action.getOptionValue(option.attributeName());
      if (value !== undefined && value !== "" && value !== false) throw usage(`${option.long} cannot be used: ${why}`);
    }
  }) as T;
}
