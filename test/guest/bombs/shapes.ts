/**
 * Code that is cheap to write and dear to compile, each kind by its size and its number of locals. What a kind costs which
 * compiler was found by measuring (test/guest/bombs/main.ts); the names of the costs are those of compile-cost.ts.
 */
import type { Body } from "./module-of.js";

export type Shape = (bytes: number, locals: number) => Body;

/** Levels of nested blocks, and of nested loops: just within the limits. */
const BLOCKS = 250;
const LOOPS = 31;
const LABELS = 1_023;

const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, value >>> 7]);
const get = (index: number) => [0x20, ...leb(index)];
const set = (index: number) => [0x21, ...leb(index)];
const PARAM = get(0);
const ZERO = [0x41, 0];
const times = (count: number, make: (index: number) => readonly number[]) =>
  Array.from({ length: Math.max(0, Math.floor(count)) }, (_, i) => make(i)).flat();
/** One local after the other gets a constant. */
const change = (locals: number, i: number) => (locals > 0 ? [0x42, i & 63, ...set(1 + (i % locals))] : []);
const changeAll = (locals: number, i: number) => times(locals, (k) => [0x42, (i + k) & 63, ...set(1 + k)]);
const IF = [...PARAM, 0x04, 0x40];
const BLOCK = [0x02, 0x40];
const LOOP = [0x03, 0x40];
const END = 0x0b;
const body = (locals: number, ...code: (readonly number[])[]): Body => ({ locals, code: Uint8Array.from(code.flat()) });
const brTable = (labels: number) => [...PARAM, 0x0e, ...leb(labels), ...times(labels, () => [0]), 0];
const load = (i: number) => [...PARAM, 0x28, 2, i & 127];

export const SHAPES: Readonly<Record<string, Shape>> = {
  "br_if out of one block, a local changed before each": (size, locals) =>
    body(
      locals,
      BLOCK,
      times(size / 9, (i) => [...change(locals, i), ...PARAM, 0x0d, 0]),
      [END, ...ZERO],
    ),
  "br_if out of one block": (size, locals) =>
    body(
      locals,
      changeAll(locals, 0),
      BLOCK,
      times(size / 4, () => [...PARAM, 0x0d, 0]),
      [END, ...ZERO],
    ),
  "br_table of labels, all locals changed before each": (size, locals) =>
    body(
      locals,
      times(size / (locals * 5 + LABELS + 12), (i) => [
        ...[...BLOCK, ...PARAM, 0x0d, 0, ...changeAll(locals, i), ...brTable(LABELS), END],
      ]),
      ZERO,
    ),
  "ifs, a local changed in each": (size, locals) =>
    body(
      locals,
      times(size / 9, (i) => [...IF, ...change(locals, i), END]),
      ZERO,
    ),
  "empty ifs": (size, locals) =>
    body(
      locals,
      times(size / 5, () => [...IF, END]),
      ZERO,
    ),
  "empty blocks": (size, locals) =>
    body(
      locals,
      times(size / 3, () => [...BLOCK, END]),
      ZERO,
    ),
  "empty loops": (size, locals) =>
    body(
      locals,
      times(size / 3, () => [...LOOP, END]),
      ZERO,
    ),
  "loops that begin again, a local changed in each": (size, locals) =>
    body(
      locals,
      times(size / 11, (i) => [...LOOP, ...change(locals, i), ...PARAM, 0x0d, 0, END]),
      ZERO,
    ),
  "nested loops, all locals changed inside": (size, locals) =>
    body(
      locals,
      times(size / (3 * LOOPS + 5 * locals), (i) => [
        ...times(LOOPS, () => LOOP),
        ...changeAll(locals, i),
        ...times(LOOPS, () => [END]),
      ]),
      ZERO,
    ),
  "nested loops that begin again, all locals changed inside": (size, locals) =>
    body(
      locals,
      times(size / (7 * LOOPS + 5 * locals), (i) => [
        ...times(LOOPS, () => LOOP),
        ...changeAll(locals, i),
        ...times(LOOPS, () => [...PARAM, 0x0d, 0, END]),
      ]),
      ZERO,
    ),
  "nested blocks, left by br_if from between": (size, locals) =>
    body(
      locals,
      times(size / (11 * BLOCKS), () => [
        ...times(BLOCKS, () => BLOCK),
        ...times(BLOCKS, (i) => [...change(locals, i), ...PARAM, 0x0d, ...leb(BLOCKS - 1 - i), END]),
      ]),
      ZERO,
    ),
  "nested blocks, left by a br_table": (size, locals) =>
    body(
      locals,
      times(size / (8 * BLOCKS), () => [
        ...times(BLOCKS, () => BLOCK),
        ...[...PARAM, 0x0e, ...leb(BLOCKS - 1), ...times(BLOCKS, (i) => leb(i))],
        ...times(BLOCKS, (i) => [END, ...change(locals, i)]),
      ]),
      ZERO,
    ),
  "values alive over ifs": (size, locals) =>
    body(
      locals,
      times(size / 12, load),
      times(size / 12, () => [...IF, ...PARAM, 0x1a, END]),
      adds(size / 12),
    ),
  "values alive over calls": (size, locals) =>
    body(
      locals,
      times(size / 12, load),
      times(size / 12, () => [...PARAM, 0x10, 4, 0x1a]),
      adds(size / 12),
    ),
  "values alive over a br_table": (size, locals) =>
    body(
      locals,
      times(size / 12, load),
      times(size / 2 / LABELS, () => [...BLOCK, ...brTable(LABELS), END]),
      adds(size / 12),
    ),
  calls: (size, locals) =>
    body(
      locals,
      times(size / 5, () => [...PARAM, 0x10, 4, 0x1a]),
      ZERO,
    ),
  "an unbroken line of multiplications": (size, locals) =>
    body(
      locals,
      PARAM,
      times(size / 3, () => [...PARAM, 0x6c]),
    ),
  "an unbroken line of loads": (size, locals) =>
    body(
      locals,
      PARAM,
      times(size / 3, () => [0x28, 2, 0]),
    ),
  "an unbroken line of ctz": (size, locals) =>
    body(
      locals,
      PARAM,
      times(size - 8, () => [0x68]),
    ),
  "an unbroken line of remainders": (size, locals) =>
    body(
      locals,
      PARAM,
      times(size / 3, () => [...PARAM, 0x6f]),
    ),
  "an unbroken line of selects": (size, locals) =>
    body(
      locals,
      PARAM,
      times(size / 5, () => [...PARAM, ...PARAM, 0x1b]),
    ),
  "products of locals": (size, locals) =>
    body(
      locals,
      times(locals > 0 ? size / 8 : 0, (i) => [
        ...[...get(1 + (i % locals)), 0x42, 3, 0x7e, ...set(1 + ((i * 7) % locals))],
      ]),
      ZERO,
    ),
  stores: (size, locals) =>
    body(
      locals,
      times(size / 7, (i) => [...PARAM, ...PARAM, 0x36, 2, i & 127]),
      ZERO,
    ),
  "memory.fill": (size, locals) =>
    body(
      locals,
      times(size / 9, () => [...PARAM, ...PARAM, ...PARAM, 0xfc, 11, 0]),
      ZERO,
    ),
  "memory.grow": (size, locals) =>
    body(
      locals,
      times(size / 5, () => [...PARAM, 0x40, 0, 0x1a]),
      ZERO,
    ),
  returns: (size, locals) =>
    body(
      locals,
      times(size / 7, () => [...IF, ...ZERO, 0x0f, END]),
      ZERO,
    ),
};

function adds(values: number): number[] {
  return times(Math.floor(values) - 1, () => [0x6a]);
}
