/** Guests made at random from a seed: calls of every import with arguments near their limits, arithmetic, loops, memory. */
import fc from "fast-check";
import { fromHex } from "../../../host/base/text/bytes.js";
import { data, IN, OUT } from "../../guest/build.js";
import { STORES } from "../../guest/running.js";
import type { Collection } from "./collection.js";
import { addGuest } from "./guest-runs.js";
import type { PairsRule } from "./shapes.js";

const SEED = 1_101;
const GUESTS = 150;
const CUTS = 5;

const number = fc.oneof(
  { weight: 6, arbitrary: fc.nat(300) },
  { weight: 2, arbitrary: fc.constantFrom(1_024, 4_096, 65_536, 131_072) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 65_535, 1_048_575, 1_048_576, 2_147_483_647) },
);
/** Store, key and length that are mostly allowed. */
const place = fc.oneof(
  {
    weight: 150,
    arbitrary: fc.constantFrom(
      "0 16 2",
      "0 17 1",
      "0 32 3",
      "2 16 2",
      "2 32 3",
      "3 48 2",
      "3 48 1",
      "0 128 20",
      "0 160 4",
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.nat(3), number, fc.nat(30)).map((parts) => parts.join(" ")) },
);
const consts = (text: string) =>
  text
    .split(" ")
    .map((part) => `(i32.const ${part})`)
    .join(" ");
const small = fc.nat(200);

const value = fc.oneof(
  number.map((n) => `(i32.const ${n})`),
  fc.constantFrom("(local.get $a)", "(local.get $b)", "(global.get $g)", "(i32.load (i32.const 256))", "(memory.size)"),
  fc
    .tuple(fc.constantFrom("add", "mul", "xor", "shr_u", "rotl", "lt_s", "and"), small)
    .map(([op, n]) => `(i32.${op} (local.get $a) (i32.const ${n}))`),
  fc
    .tuple(fc.constantFrom("div_u", "rem_s", "div_s"), small)
    .map(([op, n]) => `(i32.${op} (local.get $b) (i32.const ${n}))`),
);

type Weighted = { readonly weight: number; readonly arbitrary: fc.Arbitrary<string> };

const WRITES: readonly Weighted[] = [
  {
    weight: 4,
    arbitrary: fc
      .tuple(place, small, small)
      .map(([at, ptr, len]) => `(drop (call $set ${consts(at)} ${consts(`${ptr} ${len}`)}))`),
  },
  { weight: 2, arbitrary: place.map((at) => `(drop (call $delete ${consts(at)}))`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(OUT + 4, 2_048), fc.constantFrom(0, 11, 22, 23, 34))
      .map(([at, len]) => `(drop (call $write ${consts(`${at} ${len}`)}))`),
  },
];

const room = number.map((cap) => `(i32.const 4096) (i32.and (i32.const ${cap}) (i32.const 65535))`);
const OTHERS: readonly Weighted[] = [
  { weight: 3, arbitrary: fc.tuple(place, room).map(([at, out]) => `(local.set $a (call $get ${consts(at)} ${out}))`) },
  {
    weight: 2,
    arbitrary: fc.tuple(place, room).map(([at, out]) => `(local.set $b (call $scan ${consts(`${at} 0 0`)} ${out}))`),
  },
  { weight: 1, arbitrary: fc.tuple(small, small).map((span) => `(call $log (i32.const 1) ${consts(span.join(" "))})`) },
  {
    weight: 2,
    arbitrary: value.map((v) => `(call $progress (i64.extend_i32_s ${v}) (i64.extend_i32_u (local.get $b)))`),
  },
  { weight: 3, arbitrary: value.map((v) => `(local.set $a ${v})`) },
  { weight: 2, arbitrary: value.map((v) => `(global.set $g ${v})`) },
  { weight: 2, arbitrary: fc.tuple(small, value).map(([at, v]) => `(i32.store (i32.const ${256 + at}) ${v})`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(small, small)
      .map(([at, n]) => `(memory.fill (i32.const ${512 + at}) (local.get $a) (i32.const ${n}))`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1, 0, 4, 600).map((pages) => `(local.set $b (memory.grow (i32.const ${pages})))`),
  },
  { weight: 1, arbitrary: fc.nat(9).map((n) => `(local.set $a (call $work (i32.const ${n})))`) },
];

function bodyOf(statements: readonly Weighted[]): fc.Arbitrary<string> {
  const list = fc.array(fc.oneof(...statements), { minLength: 1, maxLength: 6 });
  const block = fc
    .tuple(list, fc.constantFrom("plain", "plain", "loop", "if"), fc.nat(12))
    .map(([parts, kind, times]) => {
      const text = parts.join(" ");
      if (kind === "if") return `(if (local.get $a) (then ${text}))`;
      if (kind === "plain") return text;
      const count = "(local.tee $i (i32.sub (local.get $i) (i32.const 1)))";
      return `(local.set $i (i32.const ${times + 1})) (loop $l ${text} (br_if $l ${count}))`;
    });
  const locals = "(local $a i32) (local $b i32) (local $i i32)";
  return fc.array(block, { minLength: 1, maxLength: 5 }).map((blocks) => `${locals} ${blocks.join(" ")}`);
}

const body = bodyOf([...WRITES, ...OTHERS]);
const ending = fc.oneof(
  { weight: 8, arbitrary: fc.constant("(i32.const 0)") },
  { weight: 1, arbitrary: fc.constantFrom("(local.get $a)", "(i32.const -3)", "unreachable") },
);

const guestParts = fc.record({
  run: fc.tuple(body, ending).map((parts) => parts.join(" ")),
  batch: body.map((text) => `${text} (i32.store (i32.const ${OUT}) (local.get $len)) (i32.const 4)`),
  check: fc.tuple(bodyOf(OTHERS), ending).map((parts) => parts.join(" ")),
  hasCheck: fc.boolean(),
  old: fc
    .tuple(fc.nat(60), fc.nat(2_000))
    .map(([count, greatest]): PairsRule => ({ count, prefix: "", key_bytes: 12, value_bytes: [0, greatest] })),
});

const MORE = `(global $g (mut i32) (i32.const 5))
  (func $work (param $n i32) (result i32) (if (i32.eqz (local.get $n)) (then (return (i32.const 1))))
    (i32.mul (local.get $n) (call $work (i32.sub (local.get $n) (i32.const 1)))))
  ${data(16, fromHex("0102"))} ${data(32, fromHex("02ff00"))} ${data(48, fromHex("ffff"))} ${data(128, "twenty bytes of a key")}
  ${data(2_048, fromHex("0200000001000000010203" + "0200004001021122" + "020000010100000001027f"))}
  ${data(OUT + 4, fromHex("02000000010000000102cc" + "02000002010000000102dd"))} ${data(IN, "")}`;

export function addRandomGuests(to: Collection): void {
  fc.sample(guestParts, { seed: SEED, numRuns: GUESTS }).forEach(({ hasCheck, check, old, ...parts }, index) => {
    addGuest(to, {
      label: `random ${index}`,
      parts: { ...parts, ...(hasCheck ? { check } : {}), more: MORE },
      manifest: { stores: STORES, scans: [{ store: "read" }, { store: "all" }] },
      stores: {
        read: old,
        all: [
          ["0102", "aabb"],
          ["02ff00", "cc"],
        ],
        part: [["0102", "dd"]],
      },
      gasLimit: "200000000",
      cuts: CUTS,
    });
  });
}
