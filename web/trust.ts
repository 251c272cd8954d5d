/**
 * The block where trust begins: typed in by the reader, or in the address after `#`, where it is never sent to a server. Who wrote
 * an address, or the site that shows this page, is not known: such a block is the reader's once it was compared.
 */

export interface TypedTrust {
  readonly height: bigint;
  /** 64 hex digits, lower case. */
  readonly hash: string;
  readonly from: "yours" | "link";
  /** The trusting period, where the reader chose another than the usual one. */
  readonly days?: number;
}

/** Two thirds of the three weeks for which most chains hold a validator's stake. */
export const TRUSTING_DAYS = 14;
const TRUSTING_DAYS_MAX = 365;

/** @throws TrustError in words for the reader */
export function readDays(value: string): number {
  const days = Number(value);
  if (Number.isInteger(days) && days >= 1 && days <= TRUSTING_DAYS_MAX) return days;
  throw new TrustError(`The trusting period is 1 to ${TRUSTING_DAYS_MAX} days.`, "days");
}

export class TrustError extends Error {
  /** @param field the input that it is about */
  constructor(
    message: string,
    readonly field?: "height" | "hash" | "days",
  ) {
    super(message);
  }
}

const FRAGMENT = "The address should end in #trust=HEIGHT:HASH.";
const HEIGHT_MAX = 2n ** 63n - 1n;

/** @throws TrustError in words for the reader */
export function readTrust(height: string, hash: string, from: TypedTrust["from"]): TypedTrust {
  const digits = height.replace(/[\s,_]/g, "");
  if (!/^[1-9]\d{0,18}$/.test(digits) || BigInt(digits) > HEIGHT_MAX) {
    throw new TrustError("The height is a whole number from 1 on.", "height");
  }
  const hex = hash.trim().replace(/^0x/i, "").toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new TrustError("The hash of a block is 64 hex digits.", "hash");
  return { height: BigInt(digits), hash: hex, from };
}

/** `#trust=HEIGHT:HASH`; undefined: there is none. @throws TrustError */
export function trustOfFragment(fragment: string): TypedTrust | undefined {
  const text = new URLSearchParams(fragment.replace(/^#/, "")).get("trust");
  if (text === null) {
    // Mail programs cut and encode addresses: what was meant as a trusted block must not be passed over.
    if (/trust/i.test(fragment)) throw new TrustError(FRAGMENT);
    return undefined;
  }
  const [height = "", hash = "", ...more] = text.split(":");
  if (more.length > 0) throw new TrustError(FRAGMENT);
  return readTrust(height, hash, "link");
}

export function fragmentOf({ height, hash }: Omit<TypedTrust, "from">): string {
  return `#trust=${height}:${hash.toUpperCase()}`;
}
