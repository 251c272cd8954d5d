/** Reading option values: every wrong one names its flag. */
import { InvalidArgumentError } from "commander";
import { INT64_MAX, SPILL_BYTES_MAX_DEFAULT, UINT64_MAX } from "../types/limits.js";

/** A positive block height. */
export function parseHeight(text: string): bigint {
  if (!/^[0-9]+$/.test(text) || BigInt(text) > INT64_MAX) throw new InvalidArgumentError("expected a block height.");
  return BigInt(text);
}

/** `H,H` or repeated. */
export function parseHeights(text: string, before: readonly bigint[] = []): bigint[] {
  return [...before, ...text.split(",").map((part) => parseHeight(part.trim()))];
}

export function parseUint64(text: string): bigint {
  if (!/^[0-9]{1,20}$/.test(text) || BigInt(text) > UINT64_MAX) {
    throw new InvalidArgumentError("expected a whole number of 64 bits.");
  }
  return BigInt(text);
}

/** Any 64-bit integer: what it means is judged where it is used. */
export function parseInt64(text: string): bigint {
  if (!/^-?[0-9]{1,19}$/.test(text) || BigInt(text) > INT64_MAX || BigInt(text) < -INT64_MAX - 1n) {
    throw new InvalidArgumentError("expected a 64-bit integer.");
  }
  return BigInt(text);
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(count))
    throw new InvalidArgumentError("expected a whole number.");
  return count;
}

/** A count of what there must be one of at least. */
export function parsePositive(text: string): number {
  const count = parseCount(text);
  if (count === 0) throw new InvalidArgumentError("expected at least 1.");
  return count;
}

/** A TCP port. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^[0-9]{1,5}$/.test(text) || port < 1 || port > PORT_MAX) throw new InvalidArgumentError("expected a port.");
  return port;
}

const PORT_MAX = 65_535;

/** Of `start` and of `handler run`. */
export const HANDLER_DISK_MAX_HELP = `bytes that one run's writes may take on disk besides the database (default ${SPILL_BYTES_MAX_DEFAULT})`;

const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** `500ms`, `1s`, `1m30s`, `0`: nanoseconds. */
export function parseDuration(text: string): bigint {
  if (text === "0") return 0n;
  const parts = [...text.matchAll(/([0-9]+)(ns|us|ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) {
    throw new InvalidArgumentError('expected a duration such as "500ms", "1s" or "1m30s".');
  }
  return parts.reduce(
    (sum, [, count, unit]) => sum + BigInt(count as string) * (UNIT_NANOS[unit as string] as bigint),
    0n,
  );
}
