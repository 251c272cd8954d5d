/** A store after a run against what its fixture expects, key by key. */
import { toHex } from "../../../base/text/bytes.js";
import type { MultiStore } from "../../../base/types/types.js";
import { type BytesLike, bytes } from "../../../upgrade/test-kit/bytes-like.js";
import { diffStores } from "../../../upgrade/test-kit/diff.js";
import { keyText } from "../../../upgrade/test-kit/failure/failure-lines.js";
import { MemoryStores } from "../../../upgrade/test-kit/memory-stores.js";

/** Bytes in hex; null: the key is absent. */
export interface KeyDifference {
  readonly key: string;
  readonly expected: string | null;
  readonly got: string | null;
}

export interface StoreExpectation {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  /** All of them, keys ascending. */
  readonly differences?: readonly KeyDifference[];
}

/** Differences that people are shown. */
const SHOWN_MAX = 10;
const SHOWN_VALUE_BYTES_MAX = 64;

export function expectedStore(
  stores: MultiStore,
  name: string,
  pairs: readonly (readonly [BytesLike, BytesLike])[],
): StoreExpectation {
  const check = `store "${name}"`;
  if (!stores.names.includes(name)) return { name: check, ok: false, message: "is absent" };
  const [expected, got] = [new MemoryStores(), new MemoryStores()];
  const wanted = expected.open(name);
  for (const [key, value] of pairs) wanted.set(bytes(key), bytes(value));
  const to = got.open(name);
  for (const [key, value] of stores.store(name).iterate()) to.set(key, value);
  const differences = (diffStores(expected, got)[name] ?? []).map(({ key, before, after }) => ({
    key: toHex(key),
    expected: before ? toHex(before) : null,
    got: after ? toHex(after) : null,
  }));
  if (differences.length === 0) return { name: check, ok: true, message: `${pairs.length} pairs as expected` };
  const keys = differences.length === 1 ? "1 key is" : `${differences.length} keys are`;
  return { name: check, ok: false, message: `${keys} not as the fixture expects`, differences };
}

/** The first of them in lines for people, and how many more there are. */
export function differenceLines(differences: readonly KeyDifference[] = []): string[] {
  const lines = differences
    .slice(0, SHOWN_MAX)
    .flatMap(({ key, expected, got }) => [
      `key ${keyText(key)}`,
      `  expected  ${valueText(expected)}`,
      `  got       ${valueText(got)}`,
    ]);
  const more = differences.length - SHOWN_MAX;
  return more > 0 ? [...lines, `and ${more} more keys: all of them with --json`] : lines;
}

function valueText(value: string | null): string {
  if (value === null) return "nothing";
  if (value === "") return "an empty value";
  const length = value.length / 2;
  if (length <= SHOWN_VALUE_BYTES_MAX) return keyText(value);
  return `${keyText(`${value.slice(0, 2 * SHOWN_VALUE_BYTES_MAX)}…`)}, ${length} bytes`;
}
