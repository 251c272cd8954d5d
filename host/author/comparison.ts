/** What two handlers differ in. */
import { equalBytes } from "../bytes.js";
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
  };
}

function lists(a: readonly string[], b: readonly string[]): ListDifference {
  return { added: b.filter((each) => !a.includes(each)), removed: a.filter((each) => !b.includes(each)) };
}

interface Side {
  readonly bytes: Uint8Array;
  readonly functions: readonly InspectedFunction[];
}

/** By name; where names are gone or repeated, by their order among those. */
function functionDifferences(a: Side, b: Side): FunctionDifference[] {
  const [left, right] = [byName(a.functions), byName(b.functions)];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name): FunctionDifference[] => {
    const [one, other] = [left.get(name), right.get(name)];
    if (!one) return [{ name, change: "added", a: null, b: other?.bytes ?? null }];
    if (!other) return [{ name, change: "removed", a: one.bytes, b: null }];
    const isSame = one.type === other.type && equalBytes(bodyOf(a.bytes, one), bodyOf(b.bytes, other));
    return isSame ? [] : [{ name, change: "changed", a: one.bytes, b: other.bytes }];
  });
}

function bodyOf(file: Uint8Array, { offset, bytes }: InspectedFunction): Uint8Array {
  return file.subarray(offset, offset + bytes);
}

function byName(functions: readonly InspectedFunction[]): Map<string, InspectedFunction> {
  const named = new Map<string, InspectedFunction>();
  const first = functions[0]?.index ?? 0;
  for (const each of functions) {
    // A name that is only an index moves with every import; the order among the functions does not.
    const name = each.name === `func[${each.index}]` ? `function ${each.index - first}` : each.name;
    let unique = name;
    for (let i = 2; named.has(unique); i++) unique = `${name} (${i})`;
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
