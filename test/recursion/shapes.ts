/** Recursions of a module that catch the engine's refusal. They are made from text, so that V8 has never compiled them before. */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ListValueSchema, ValueSchema } from "@bufbuild/protobuf/wkt";

export type Shape = (n: number) => unknown;

const SOURCE = `
const direct = (n) => (n === 0 ? 0 : 1 + direct(n - 1));
const even = (n) => (n === 0 ? 0 : 1 + odd(n - 1));
const odd = (n) => (n === 0 ? 0 : 1 + even(n - 1));
const first = (n) => (n > 0 ? second(n - 1) : 0);
const second = (n) => third(n);
const third = (n) => fourth(n);
const fourth = (n) => first(n);
class Tree { down(n) { return n === 0 ? 0 : 1 + this.left(n - 1); } left(n) { return n === 0 ? 0 : 1 + this.down(n - 1); } }
const tree = new Tree();
const mapped = (n) => (n === 0 ? 0 : [n].map((each) => 1 + mapped(each - 1))[0]);
const nested = (n) => { let value = 1; for (let at = 0; at < n; at++) value = [value]; return value; };
const walk = (value) => { if (!Array.isArray(value)) return 0; let sum = 0; for (const each of value) sum += 1 + walk(each); return sum; };
const json = (n) => JSON.stringify(nested(n)).length;
const proto = (n) => { let value = leaf(); for (let at = 0; at < n; at++) value = list(value); return decode(encode(value)) };
return { direct, mutual: even, chain: first, method: (n) => tree.down(n), map: mapped, walk: (n) => walk(nested(n)), json, proto };
`;

let made = 0;
const LEAF = create(ValueSchema, { kind: { case: "stringValue", value: "leaf" } });
const PROTO = {
  leaf: () => LEAF,
  list: (value: typeof LEAF) =>
    create(ValueSchema, { kind: { case: "listValue", value: create(ListValueSchema, { values: [value] }) } }),
  encode: (value: typeof LEAF) => toBinary(ValueSchema, value),
  decode: (bytes: Uint8Array) => fromBinary(ValueSchema, bytes).kind.case,
};

/** The recursions, by name; each catches whatever is thrown, and returns another text then. */
export function freshShapes(): Readonly<Record<string, Shape>> {
  // V8 recognizes a text that it has compiled before, and uses what it has optimized; the number makes it a new one.
  const make = new Function(...Object.keys(PROTO), `${SOURCE} // ${made++}`) as (
    ...of: unknown[]
  ) => Record<string, Shape>;
  const shapes = make(...Object.values(PROTO));
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      (n: number) => {
        try {
          return String(shape(n));
        } catch {
          return "caught";
        }
      },
    ]),
  );
}

export const SHAPES = Object.keys(freshShapes());

/** Environment variable of a process that starts with shapes that V8 has optimized. */
export const WARMED = "DEEPD_WARMED";
const WARM_CALLS = 1_500;
/** One call of `proto` runs its readers and writers 100 times, which V8 optimizes after some dozen such calls. */
const WARM_CALLS_OF: Readonly<Record<string, number>> = { proto: 300 };
const WARM_DEPTH = 100;

/** Shapes that V8 has optimized. */
export async function warmed(): Promise<ReturnType<typeof freshShapes>> {
  const shapes = freshShapes();
  for (let round = 0; round < 2; round++) {
    for (const [name, shape] of Object.entries(shapes))
      for (let call = WARM_CALLS_OF[name] ?? WARM_CALLS; call > 0; call--) shape(WARM_DEPTH);
    // V8 optimizes in other threads.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return shapes;
}
