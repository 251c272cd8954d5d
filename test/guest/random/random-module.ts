/** Whole modules made at random from a seed, valid by construction, and how to call them. */
import { CodeWriter } from "../../../host/upgrade/handler/meter/code-writer.js";
import { NEAR_PAGES } from "../../../host/upgrade/handler/meter/schedule.js";
import { Random } from "./random.js";
import { I32, I64, RandomBody, type Signature, type Surroundings, type ValueType } from "./random-body.js";

export interface RandomModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Exported functions, with arguments to try. */
  readonly calls: readonly { readonly name: string; readonly args: readonly (number | bigint)[] }[];
  /** Exported globals; the first is what is left of the loops that may be run. */
  readonly globals: readonly string[];
}

/** `chain.progress`: two i64 and nothing back. It sees what the module does. */
const IMPORT: Signature = { params: [I64, I64], result: undefined };
/** What memory.grow wants a type of. */
const PLAIN: Signature = { params: [I32], result: I32 };
/**
 * Of so many modules one has a memory that becomes large while it runs, so that loads after it cost more, and one has a
 * memory that is large from the beginning.
 */
const MEMORIES = 6;
/** Loops and calls of one instance. */
const COUNT = 600;

export function randomModule(seed: number, isPlain = false, isLayered = false): RandomModule {
  const random = new Random(seed);
  const type = () => random.pick<ValueType>([I32, I64]);
  const some = (max: number) => Array.from({ length: random.below(max + 1) }, type);
  const signature = (): Signature => ({
    params: some(3),
    result: random.pick<ValueType | undefined>([undefined, I32, I64]),
  });
  const own: Signature[] = [
    PLAIN,
    { params: [], result: I64 },
    ...Array.from({ length: 1 + random.below(isLayered ? 12 : 6) }, signature),
  ];
  const functions = [IMPORT, ...own];
  const world: Surroundings = {
    functions,
    imports: 1,
    tableSize: 1 + random.below(6),
    globals: [I32, I32, I64, I32, I64],
    dataSegments: 1,
    isPlain,
    isLayered,
  };
  const locals = own.map(() => [type(), ...some(4)]);
  const bodies = own.map(
    (each, i) => new RandomBody(random, world, i + world.imports, each, locals[i] as ValueType[]).out,
  );
  const exported = own.map((_, i) => i + 1).filter((i) => i < 3 || random.once(2));
  const pages = pagesOf(seed);
  const bytes = write(random, world, pages, functions, locals, bodies, exported);
  const arg = (each: ValueType) => (each === I32 ? random.next() | 0 : BigInt.asIntN(64, BigInt(random.next()) << 7n));
  const calls = exported.map((i) => ({ name: `f${i}`, args: (functions[i]?.params ?? []).map(arg) }));
  return { bytes, calls, globals: world.globals.map((_, i) => `g${i}`) };
}

/** Minimum and maximum. */
function pagesOf(seed: number): readonly [number, number] {
  if (seed % MEMORIES === 0) return [NEAR_PAGES, NEAR_PAGES + 3];
  return seed % MEMORIES === 1 ? [NEAR_PAGES + 1, NEAR_PAGES + 3] : [1, 3];
}

function write(
  random: Random,
  world: Surroundings,
  pages: readonly number[],
  functions: readonly Signature[],
  locals: readonly (readonly ValueType[])[],
  bodies: readonly CodeWriter[],
  exported: readonly number[],
): Uint8Array<ArrayBuffer> {
  const out = new CodeWriter(8_192).bytes(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  const section = (id: number, fill: (part: CodeWriter) => void) => {
    const part = new CodeWriter();
    fill(part);
    out.bytes(id).u32(part.length).append(part);
  };
  section(1, (part) => {
    part.u32(functions.length);
    for (const { params, result } of functions) {
      part
        .bytes(0x60)
        .u32(params.length)
        .bytes(...params);
      part.bytes(...(result === undefined ? [0] : [1, result]));
    }
  });
  section(2, (part) => part.u32(1).string("chain").string("progress").bytes(0, 0));
  section(3, (part) => {
    part.u32(bodies.length);
    bodies.forEach((_, i) => {
      part.u32(i + 1);
    });
  });
  section(4, (part) => part.u32(1).bytes(0x70, 0).u32(world.tableSize));
  section(5, (part) => part.bytes(1, 1, ...pages));
  section(6, (part) => {
    part.u32(world.globals.length);
    world.globals.forEach((type, i) => {
      part
        .bytes(type, 1, type === I32 ? 0x41 : 0x42)
        .signed(i === 0 ? COUNT : i * 1_001)
        .bytes(0x0b);
    });
  });
  section(7, (part) => {
    part
      .u32(1 + exported.length + world.globals.length)
      .string("memory")
      .bytes(2, 0);
    for (const index of exported) part.string(`f${index}`).bytes(0).u32(index);
    world.globals.forEach((_, i) => {
      part.string(`g${i}`).bytes(3).u32(i);
    });
  });
  section(9, (part) => {
    part.bytes(1, 0, 0x41, 0, 0x0b).u32(world.tableSize - 1);
    for (let i = 1; i < world.tableSize; i++) part.u32(random.below(functions.length));
  });
  section(12, (part) => part.u32(1));
  section(10, (part) => {
    part.u32(bodies.length);
    bodies.forEach((body, i) => {
      const list = locals[i] as readonly ValueType[];
      const whole = new CodeWriter().u32(list.length);
      for (const type of list) whole.u32(1).bytes(type);
      whole.append(body);
      part.u32(whole.length).append(whole);
    });
  });
  section(11, (part) => part.bytes(1, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8));
  return out.finish();
}
