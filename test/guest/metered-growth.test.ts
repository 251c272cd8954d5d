/**
 * What metering makes of a body is within what docs/abi.md says of it, which hosts without a meter hold a file's metered module to;
 * and it is no looser than the meter: each number of branches, values, calls, locals and depth is reached by a body here.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../house/sources.js";
import { bodyFigures, type Figures, NOTHING } from "./body-figures.js";
import { largestBody } from "./bombs/bombs.js";
import { moduleOf } from "./bombs/module-of.js";
import { SHAPES } from "./bombs/shapes.js";
import { assemble } from "./build.js";
import { corpus } from "./fuzz/corpus.js";
import { metered } from "./random/metering.js";
import { randomModule } from "./random/random-module.js";

type Figure = keyof Figures;
const NAMES = Object.keys(NOTHING) as Figure[];

/** `[once, for each branch, for each call]` by figure. */
const growth = new Map(
  readFileSync(join(ROOT, "docs/abi.md"), "utf8")
    .split("\n| of a body |")[1]
    ?.split("\n")
    .slice(2, 2 + NAMES.length)
    .map((row) => row.split("|").map((cell) => cell.trim()))
    .map(([, name = "", ...numbers]) => [name, numbers.slice(0, 3).map(Number)] as const),
);

function most(plain: Figures, name: Figure): number {
  const [once = Number.NaN, branch = Number.NaN, call = Number.NaN] = growth.get(name) ?? [];
  return plain[name] + once + branch * plain.branches + call * plain.calls;
}

/** Plain and metered figures of each body; an empty plain one for the body that grows the memory. */
function bodies(bytes: Uint8Array): { plain: Figures; after: Figures }[] {
  const plain = bodyFigures(bytes);
  return bodyFigures(metered(bytes)).map((after, i) => ({ plain: plain[i] ?? NOTHING, after }));
}

function expectWithin(bytes: Uint8Array): void {
  for (const { plain, after } of bodies(bytes)) {
    for (const name of NAMES) expect(after[name], name).toBeLessThanOrEqual(most(plain, name));
  }
}

describe("meterModule(): the growth of a body", () => {
  test("of the table of docs/abi.md → every figure has its row", () => {
    expect([...growth.keys()]).toEqual(NAMES);
  });

  test("of handlers, of random modules and of the largest functions that are taken → within the table", () => {
    for (const file of corpus()) expectWithin(file);
    for (let seed = 1; seed <= 60; seed++) expectWithin(randomModule(seed, false, seed % 2 === 0).bytes);
    for (const shape of Object.values(SHAPES)) expectWithin(moduleOf([largestBody(shape, 8, 4_000)]));
  });

  /** Its callers pay for what it always runs, since it grows a memory that may become large. */
  const load = "(drop (i32.load (i32.const 0)))";
  const paidByCallers = (body: string) => `(module (memory 1) (type (func (param i32) (result i32)))
    (func $f (drop (memory.grow (i32.const 0))) ${body})
    (func (export "g") (call $f)))`;

  test("of an if that a branch inside leaves, in a function whose entry callers pay for → all that one branch may bring", () => {
    const of = (ifs: number) => {
      const begun = `(if (i32.const 1) (then ${load} `.repeat(ifs);
      const [body] = bodies(assemble(paidByCallers(`${begun} (return) ${`)) ${load}`.repeat(ifs)}`)));
      return body as { plain: Figures; after: Figures };
    };
    const [some, more] = [of(5), of(6)];
    const grown = (name: Figure) => more.after[name] - some.after[name] - (more.plain[name] - some.plain[name]);
    expect(more.plain.branches - some.plain.branches).toBe(1);
    expect(grown("branches")).toBe(4);
    expect(grown("values")).toBe(20);
    expect(grown("bytes")).toBeGreaterThan(50);
  });

  test("of a body with everything → two locals, blocks three deeper, all that there is once", () => {
    const text = `(module (memory 1) (type (func (param i32) (result i32)))
      (func $grow (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
      (func $self (export "self") ${load} (memory.fill (i32.const 0) (i32.const 0) (i32.const 0)) (call $self)))`;
    const [, self, grow] = bodies(assemble(text));
    const more = (name: Figure) => (self?.after[name] ?? 0) - (self?.plain[name] ?? 0);
    expect(more("locals")).toBe(2);
    // The entry is looked at in the outer block; the inner one is there besides.
    expect(more("blocks inside each other")).toBeGreaterThanOrEqual(2);
    expect(grow?.after.branches).toBe(6);
    expect(grow?.after.values).toBe(22);
  });
});
