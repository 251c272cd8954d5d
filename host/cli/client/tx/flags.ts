/** The flags that every transaction has. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration, parseUint64 } from "../../../base/terminal/options.js";
import { usage } from "../../../base/terminal/usage.js";
import { addNodeFlags, type NodeFlags } from "../flags.js";
import { addKeyringFlags, type KeyringFlags } from "../keyring-options.js";
import { addRefusedTxFlags } from "./refused-flags.js";
import type { SignModeName } from "./sign.js";

const SIGN_MODE_NAMES = ["direct", "amino-json"] as const;
const BROADCAST_MODES = ["sync", "async", "block"] as const;

/** A number, or `auto`: the node computes it by running the transaction without keeping it. */
type GasFlag = bigint | "auto";

export interface TxFlags extends NodeFlags, KeyringFlags {
  readonly home: string;
  readonly chainId?: string;
  readonly from?: string;
  readonly fees: string;
  /** Unset: asked of the node, and at least the Cosmos SDK's default. */
  readonly gas?: GasFlag;
  readonly gasPrices: string;
  /** Name or address of the account that pays the fee; it signs too. Unset: the first signer. */
  readonly feePayer?: string;
  readonly gasAdjustment: number;
  readonly broadcastMode: (typeof BROADCAST_MODES)[number];
  readonly note: string;
  readonly timeoutHeight: bigint;
  /** Nanoseconds from now; 0n: no end. */
  readonly timeoutDuration: bigint;
  readonly accountNumber?: bigint;
  readonly sequence?: bigint;
  readonly signMode: SignModeName;
  readonly yes?: boolean;
  readonly generateOnly?: boolean;
  readonly dryRun?: boolean;
  readonly offline?: boolean;
}

function parseGas(text: string): GasFlag {
  return text === "auto" ? "auto" : parseUint64(text);
}

function parseAdjustment(text: string): number {
  const factor = Number(text);
  if (!/^[0-9]+(\.[0-9]+)?$/.test(text) || factor <= 0 || factor > 100) {
    throw new InvalidArgumentError("expected a positive factor like 1.3.");
  }
  return factor;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function checkTimeouts({ timeoutHeight, timeoutDuration }: TxFlags): void {
  if (timeoutHeight === 0n || timeoutDuration === 0n) return;
  throw usage("give --timeout-height or --timeout-duration, not both");
}

export function addTxFlags<T extends Command>(command: T): T {
  addRefusedTxFlags(addNodeFlags(addKeyringFlags(command)))
    .hook("preAction", (_, action) => checkTimeouts(action.optsWithGlobals()))
    .option("--from <string>", "name or address of the key that signs")
    .option("--fees <string>", "what to pay for the transaction: 10ustake", "")
    .option(
      "--fee-payer <string>",
      "name or address of the account that pays the fee in place of --from, and signs too",
    )
    .option("--gas <string>", 'gas limit, or "auto" (default: estimated by the node, at least 200000)', parseGas)
    .option("--gas-prices <string>", "what to pay for a unit of gas, in place of --fees: 0.1ustake", "")
    .option("--gas-adjustment <float>", "factor on the node's estimate", parseAdjustment, 1.3)
    .addOption(
      new Option("-b, --broadcast-mode <string>", "wait for nothing, for the check, or for the block")
        .choices([...BROADCAST_MODES])
        .default("sync"),
    )
    .addOption(
      new Option("--sign-mode <string>", "what is signed: the bytes, or the JSON that hardware wallets show")
        .choices([...SIGN_MODE_NAMES])
        .default("direct"),
    )
    .option("--note <string>", "a note in the transaction (memo)", "")
    .option("--timeout-height <uint>", "last height at which a block may include it", parseUint64, 0n)
    .option("--timeout-duration <duration>", "how long from now a block may include it: 10m", parseDuration, 0n)
    .option("-a, --account-number <uint>", "account number of the signer (offline only)", parseUint64)
    .option("-s, --sequence <uint>", "sequence of the signer (default: asked from the node)", parseUint64)
    .option("-y, --yes", "do not ask before sending")
    .option("--generate-only", "print the unsigned transaction and send nothing")
    .option("--dry-run", "print what gas it would use and send nothing")
    .option("--offline", "ask the node nothing");
  return command;
}
