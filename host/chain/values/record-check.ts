/** Checks all entries of a module's store: what invariants of modules that own a store are made of. */
import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { rethrowEngineLimit } from "../../base/errors/engine-limit.js";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { toHex } from "../../base/text/bytes.js";
import { checkTime } from "../../base/time/time.js";
import type { KVReader, Timestamp } from "../../base/types/types.js";

/** Bytes of a key that a message shows. */
const SHOWN_BYTES = 48;

/** The entries of a store whose keys begin with one byte. */
export interface RecordKind {
  readonly prefix: number;
  /** As a message names an entry: "account". */
  readonly name: string;
  /**
   * @param key without the prefix; valid until the call returns, as `value` is
   * @returns what is wrong with the entry, as a message; undefined: nothing. What it throws is wrong, too
   */
  check(key: Uint8Array, value: Uint8Array): string | undefined;
}

/** What is wrong with the first bad entry of a store, in the order of keys; undefined: every entry is of a kind and right. */
export function recordProblem(store: KVReader, kinds: readonly RecordKind[]): string | undefined {
  const byPrefix = new Map(kinds.map((kind) => [kind.prefix, kind]));
  for (const [key, value] of store.iterate()) {
    const kind = byPrefix.get(key[0] ?? -1);
    if (!kind) return `the key ${shownKey(key)} belongs to no record of the module`;
    const problem = problemOf(() => kind.check(key.subarray(1), value));
    if (problem !== undefined) return `the ${kind.name} under ${shownKey(key)}: ${problem}`;
  }
  return undefined;
}

/** What the function returns or throws, as a message. The limits of this machine are not a problem of the state. */
function problemOf(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    rethrowEngineLimit(error);
    return messageOf(error);
  }
}

const shownKey = (key: Uint8Array): string =>
  key.length <= SHOWN_BYTES ? toHex(key) : `${toHex(key.subarray(0, SHOWN_BYTES))}…`;

/** @throws UpgradeError UPG_STORE_CORRUPT in words that no library or engine chooses */
export function decodeRecord<T extends DescMessage>(schema: T, value: Uint8Array): MessageShape<T> {
  try {
    return fromBinary(schema, value);
  } catch (cause) {
    rethrowEngineLimit(cause);
    throw new UpgradeError("UPG_STORE_CORRUPT", `the value cannot be decoded as a ${schema.typeName}`, { cause });
  }
}

/** A counter: a key of the prefix alone, and 8 bytes. */
export function counterProblem(key: Uint8Array, value: Uint8Array): string | undefined {
  return key.length === 0 && value.length === 8 ? undefined : "expected the prefix alone as key and 8 bytes as value";
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT for a time that is missing or outside the years 1 to 9999 */
export function requireTime(name: string, time: Timestamp | undefined): Timestamp {
  if (!time) throw new UpgradeError("UPG_INVALID_ARGUMENT", `${name} is missing`);
  return checkTime(time);
}
