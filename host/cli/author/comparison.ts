/** What two handlers differ in. */
import { equalBytes, toHex } from "../../base/text/bytes.js";
import { type InspectedFunction, inspectHandler } from "./inspection.js";

interface FunctionDifference {
  readonly name: string;
  readonly change: "added" | "removed" | "changed";
  /** Bytes of the body; null where it is not. */
  readonly a: number | null;
  readonly b: number | null;
}

export interface Comparison {
  readonly manifest: readonly { readonly path: string; readonly a: unknown; readonly b: unknown }[];
  readonly imports: ListDifference;
  readonly exports: ListDifference;
  readonly functions: readonly FunctionDifference[];
  /** Bytes of the metered module in each; null: none. It follows from the functions. */
  readonly metered: { readonly a: number | null; readonly b: number | null };
}

interface ListDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function compareHandlers(a: Uint8Array, b: Uint8Array): Comparison {
  const [left, right] = [inspectHandler(a), inspectHandler(b)];
  const named = ({ name, type = "" }: { name: string; type?: string }) => `${name} ${type}`.trim();
  return {
    manifest: [...valueDifferences("$", left.manifest, right.manifest)],
    imports: lists(left.imports.map(named), right.imports.map(named)),
    exports: lists(left.exports.map(named), right.exports.map(named)),
    functions: functionDifferences({ bytes: a, functions: left.functions }, { bytes: b, functions: right.functions }),
    metered: { a: left.metered?.bytes ?? null, b: right.metered?.bytes ?? null },
  };
}

function lists(a: readonly string[], b: readonly string[]): ListDifference {
  return { added: b.filter((each) => !a.includes(each)), removed: a.filter((each) => !b.includes(each)) };
}

interface Side {
  readonly bytes: Uint8Array;
  readonly functions: readonly InspectedFunction[];
}

/**
 * By name. Functions without one are paired by what they hold, and the rest by their order: both have the name that
 * `inspect` gives them, of both files where it is not the same.
 */
function functionDifferences(a: Side, b: Side): FunctionDifference[] {
  return [...namedPairs(a.functions, b.functions), ...unnamedPairs(a, b)].flatMap(
    ([one, other]): FunctionDifference[] => {
      if (!one || !other) {
        const only = one ?? other;
        const change = one ? "removed" : "added";
        return only ? [{ name: only.name, change, a: one?.bytes ?? null, b: other?.bytes ?? null }] : [];
      }
      if (isSame(a, one, b, other)) return [];
      const name = one.name === other.name ? one.name : `${one.name}, in b ${other.name}`;
      return [{ name, change: "changed", a: one.bytes, b: other.bytes }];
    },
  );
}

type Pair = readonly [InspectedFunction | undefined, InspectedFunction | undefined];

function namedPairs(a: readonly InspectedFunction[], b: readonly InspectedFunction[]): Pair[] {
  const [left, right] = [byName(a), byName(b)];
  return [...new Set([...left.keys(), ...right.keys()])].map((name) => [left.get(name), right.get(name)]);
}

function unnamedPairs(a: Side, b: Side): Pair[] {
  // What is equal is taken out first, in order: a function that is new moves none of the others.
  const waiting = new Map<string, InspectedFunction[]>();
  const right = b.functions.filter(isUnnamed);
  for (const each of right) waiting.set(contentOf(b, each), [...(waiting.get(contentOf(b, each)) ?? []), each]);
  const taken = new Set<InspectedFunction>();
  const left = a.functions.filter(isUnnamed).filter((each) => {
    const same = waiting.get(contentOf(a, each))?.shift();
    if (same) taken.add(same);
    return !same;
  });
  const rest = right.filter((each) => !taken.has(each));
  return Array.from({ length: Math.max(left.length, rest.length) }, (_, i) => [left[i], rest[i]]);
}

const contentOf = ({ bytes }: Side, each: InspectedFunction) => `${each.type} ${toHex(bodyOf(bytes, each))}`;

const isUnnamed = ({ name, index }: InspectedFunction) => name === `func[${index}]`;

function isSame(a: Side, one: InspectedFunction, b: Side, other: InspectedFunction): boolean {
  return one.type === other.type && equalBytes(bodyOf(a.bytes, one), bodyOf(b.bytes, other));
}

function bodyOf(file: Uint8Array, { offset, bytes }: InspectedFunction): Uint8Array {
  return file.subarray(offset, offset + bytes);
}

function byName(functions: readonly InspectedFunction[]): Map<string, InspectedFunction> {
  const named = new Map<string, InspectedFunction>();
  for (const each of functions) {
    if (isUnnamed(each)) continue;
    let unique = each.name;
    for (let i = 2; named.has(unique); i++) unique = `${each.name} (${i})`;
    named.set(unique, each);
  }
  return named;
}

function* valueDifferences(path: string, a: unknown, b: unknown): Iterable<{ path: string; a: unknown; b: unknown }> {
  if (isRecord(a) && isRecord(b)) {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      yield* valueDifferences(`${path}.${name}`, own(a, name), own(b, name));
    }
  } else if (JSON.stringify(a) !== JSON.stringify(b)) yield { path, a: a ?? null, b: b ?? null };
}

/** Not what every object has: a module may be called `constructor`. */
function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
