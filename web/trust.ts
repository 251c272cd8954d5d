/** The block that a reader trusts: typed in, or in the address after `#`, where it is never sent to a server. */

export interface TypedTrust {
  readonly height: bigint;
  /** 64 hex digits, lower case. */
  readonly hash: string;
}

export class TrustError extends Error {}

const HEIGHT_MAX = 2n ** 63n - 1n;

/** @throws TrustError in words for the reader */
export function readTrust(height: string, hash: string): TypedTrust {
  const digits = height.replace(/[\s,_]/g, "");
  if (!/^[1-9]\d{0,18}$/.test(digits) || BigInt(digits) > HEIGHT_MAX) {
    throw new TrustError("The height is a whole number from 1 on.");
  }
  const hex = hash.trim().replace(/^0x/i, "").toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new TrustError("The hash of a block is 64 hex digits.");
  return { height: BigInt(digits), hash: hex };
}

/** `#trust=HEIGHT:HASH`; undefined: there is none. @throws TrustError */
export function trustOfFragment(fragment: string): TypedTrust | undefined {
  const text = new URLSearchParams(fragment.replace(/^#/, "")).get("trust");
  if (text === null) return undefined;
  const [height = "", hash = ""] = text.split(":");
  return readTrust(height, hash);
}

export function fragmentOf({ height, hash }: TypedTrust): string {
  return `#trust=${height}:${hash.toUpperCase()}`;
}
