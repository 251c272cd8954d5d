/** What a command takes on trust: a block that its user names, or, where none is named, the word of the server that it asks. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { sha256 } from "../../../base/native/sha256.js";
import { parseDuration, parseHeight } from "../../../base/terminal/options.js";
import { usage } from "../../../base/terminal/usage.js";
import { fromHex } from "../../../base/text/bytes.js";
import type { Timestamp } from "../../../base/types/types.js";
import type { RpcClient } from "../../../node/remote/client.js";
import type { VerifyTools } from "../../../verify/light.js";
import type { Ask } from "../../../verify/types.js";

export interface TrustFlags {
  readonly trustHeight?: bigint;
  readonly trustHash?: Uint8Array;
  /** Nanoseconds. */
  readonly trustingPeriod: bigint;
  /** The chain that is meant: of a flag or of client.toml. */
  readonly chainId?: string;
  /** Nanoseconds, of all that is asked of the node together. */
  readonly totalTimeout?: bigint;
}

/** A block that the user trusts. */
export interface TrustedBlock {
  readonly height: bigint;
  readonly hash: Uint8Array;
}

const TRUSTING_PERIOD_DEFAULT = 1_209_600_000_000_000n;
/** An honest node gives its evidence in seconds; one that holds each answer back would keep a command for days. */
const TOTAL_TIMEOUT_DEFAULT = 300_000_000_000n;
const NANOS = 1_000_000_000n;
const NANOS_PER_MILLI = 1_000_000n;
/** What a timer takes. */
const MILLIS_MAX = 2_147_483_647n;

export function addTrustFlags<T extends Command>(command: T): T {
  return command
    .option("--trust-height <int>", "height of a block that you trust", parseTrustedHeight)
    .option("--trust-hash <hex>", "its hash, from a source that is not the server asked", parseHash)
    .addOption(
      new Option("--trusting-period <duration>", "how long validators of a block can be held to account for it")
        .argParser(parseDuration)
        .default(TRUSTING_PERIOD_DEFAULT, "336h"),
    )
    .addOption(
      new Option("--total-timeout <duration>", "how long all of the evidence may take that a node is asked for")
        .argParser(parseDuration)
        .default(TOTAL_TIMEOUT_DEFAULT, "5m"),
    ) as T;
}

function parseTrustedHeight(text: string): bigint {
  const height = parseHeight(text);
  if (height === 0n) throw new InvalidArgumentError("expected the height of a block, 1 or more.");
  return height;
}

function parseHash(text: string): Uint8Array {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(text))
    throw new InvalidArgumentError("expected the hash of a block: 64 hex digits.");
  return fromHex(text.replace(/^0x/, "").toLowerCase());
}

/** Undefined: none is named. @throws UpgradeError UPG_INVALID_ARGUMENT for one half of it */
export function trustedBlock({ trustHeight, trustHash }: TrustFlags): TrustedBlock | undefined {
  if (trustHeight !== undefined && trustHash !== undefined) return { height: trustHeight, hash: trustHash };
  if (trustHeight === undefined && trustHash === undefined) return undefined;
  throw usage("--trust-height and --trust-hash name one block together: give both");
}

/** Ends what a node is asked for. */
export function deadline({ totalTimeout = TOTAL_TIMEOUT_DEFAULT }: Pick<TrustFlags, "totalTimeout">): AbortSignal {
  const millis = totalTimeout / NANOS_PER_MILLI;
  return AbortSignal.timeout(Number(millis < 1n ? 1n : millis > MILLIS_MAX ? MILLIS_MAX : millis));
}

/** Whole seconds. */
export const trustingSeconds = ({ trustingPeriod }: Pick<TrustFlags, "trustingPeriod">) => trustingPeriod / NANOS;

/** The machine's clock. */
export function now(): Timestamp {
  const millis = Date.now();
  return { seconds: BigInt(Math.floor(millis / 1_000)), nanos: (millis % 1_000) * 1_000_000 };
}

export const askOf =
  (rpc: RpcClient): Ask =>
  (method, params) =>
    rpc.call(method, params);

/** What this machine does faster than JavaScript. */
export const TOOLS: VerifyTools = { sha256 };
