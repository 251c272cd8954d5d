/** The guests of the gas bench: each does one thing again and again, at its dearest. Texts of trusted people, through wabt. */

import type { GuestParts } from "../../test/guest/build.js";
import { IMPORTS } from "../../test/guest/running.js";

export interface GasGuest {
  readonly name: string;
  readonly parts: GuestParts;
  /** Which store the guest's store 0 is. */
  readonly store?: "small" | "large" | "none";
  /** Runs that were spilled before, by the handler itself. */
  readonly spilled?: number;
  /** It writes: the commit is measured too. */
  readonly writes?: boolean;
  /** The store is scanned by the manifest, and each batch taken whole, or one pair at a time. */
  readonly scans?: "whole" | "one";
  /** Opened just before, with nothing of it in memory. */
  readonly cold?: boolean;
}

const repeat = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(" ");
/** Bytes of memory that the chains of loads go through. */
const NEAR = 1_048_576;
const FAR = 33_554_432;
const UNROLLED = 16;

/** Else a compiler would leave out what computes them. */
const USED = `(i64.store (i32.const 1024) (i64.add (local.get $y) (i64.extend_i32_u (i32.add (local.get $x) (local.get $z)))))`;

/** `times` × `body`, with $i counting down; $x is random. */
const loop = (times: number, body: string, before = "") =>
  `(local $i i32) (local $x i32) (local $y i64) (local $z i32) ${before} (local.set $i (i32.const ${times})) (local.set $x (i32.const 1))
   (local.set $y (i64.const 9)) (loop $again ${body} (br_if $again (local.tee $i (i32.sub (local.get $i) (i32.const 1))))) ${USED} (i32.const 0)`;
const random = "(local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))";
/** A ring through all lines of 64 bytes of the memory, in an order that no prefetcher foresees. */
const ring = (bytes: number) => `(local.set $i (i32.const ${bytes / 64}))
  (loop $fill (local.set $i (i32.sub (local.get $i) (i32.const 1)))
    (i32.store (i32.mul (local.get $i) (i32.const 64))
      (i32.mul (i32.and (i32.add (i32.mul (local.get $i) (i32.const 1664525)) (i32.const 1013904223)) (i32.const ${bytes / 64 - 1})) (i32.const 64)))
    (br_if $fill (local.get $i)))`;
const chain = (bytes: number, grow: number) =>
  loop(
    grow > 0 ? 120_000 : 400_000,
    repeat(UNROLLED, () => "(local.set $z (i32.load (local.get $z)))"),
    `${grow > 0 ? `(drop (memory.grow (i32.const ${grow})))` : ""} ${ring(bytes)} (local.set $z (i32.const 0))`,
  );
const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");
const plain = (name: string, times: number, body: string, more = ""): GasGuest => ({
  name,
  parts: { imports: IMPORTS, run: loop(times, body), more },
  store: "none",
});
/** A key of four bytes at 16: one of those that are there, when `count` is how many there are. */
const key = (count: number) =>
  `${random} (i32.store (i32.const 16) (i32.mul (i32.rem_u (i32.shr_u (local.get $x) (i32.const 3)) (i32.const ${count})) (i32.const 0x9e3779b1)))`;
const hit = (count: number, times: number, call: string) => loop(times, `${key(count)} ${call}`);
const SWITCH = `(br_table ${repeat(8, (i) => String(i))} (i32.shr_u (local.get $x) (i32.const 29)))`;
/** Each target does something else. */
const target = (i: number) => `) (local.set $z (i32.xor (i32.mul (local.get $z) (i32.const 3)) (i32.const ${i})))`;
const blocks = `${repeat(8, () => "(block ")} ${SWITCH} ${repeat(8, target)}`;
const targets = `(table 8 funcref) (elem (i32.const 0) ${repeat(8, (i) => `$t${i}`)}) (type $t (func)) (global $g (mut i32) (i32.const 0))
  ${repeat(8, (i) => `(func $t${i} (type $t) (global.set $g (i32.const ${i})))`)}`;

/** Below 512 KiB; 256 KiB and more after it; 0 to 15: none of them known before, so that nothing can be left out. */
const ANYWHERE = "(i32.shr_u (local.get $x) (i32.const 13))";
const FURTHER = "(i32.add (i32.const 262144) (i32.shr_u (local.get $x) (i32.const 14)))";
const FEW = "(i32.and (i32.shr_u (local.get $x) (i32.const 9)) (i32.const 15))";
/** Bulk work at places that change; what it leaves in memory is read in the end. */
const bulk = (name: string, times: number, body: string, more = "") =>
  plain(name, times, `${random} ${body} (local.set $z (i32.add (local.get $z) (i32.load ${ANYWHERE})))`, more);

const INSTRUCTIONS: readonly GasGuest[] = [
  plain(
    "additions",
    1_000_000,
    repeat(UNROLLED, () => "(local.set $x (i32.add (local.get $x) (local.get $i)))"),
  ),
  plain(
    "multiplications, 64 bits",
    1_000_000,
    repeat(UNROLLED, () => "(local.set $y (i64.mul (local.get $y) (i64.extend_i32_u (local.get $i))))"),
  ),
  plain(
    "popcnt, clz, rotl",
    500_000,
    repeat(UNROLLED, () => "(local.set $y (i64.rotl (i64.popcnt (i64.clz (local.get $y))) (local.get $y)))"),
  ),
  plain(
    "globals",
    500_000,
    repeat(UNROLLED, () => "(global.set $g (i32.add (global.get $g) (i32.const 1)))"),
    "(global $g (mut i32) (i32.const 0))",
  ),
  plain(
    "divisions, 64 bits",
    500_000,
    repeat(
      UNROLLED,
      () =>
        "(local.set $y (i64.or (i64.div_s (i64.const 9223372036854775807) (local.get $y)) (i64.const 4611686018427387904)))",
    ),
  ),
  plain(
    "remainders, 32 bits",
    500_000,
    repeat(UNROLLED, () => "(local.set $x (i32.or (i32.rem_u (i32.const -5) (local.get $x)) (i32.const 3)))"),
  ),
  plain("a loop of nothing", 20_000_000, ""),
  {
    name: "_initialize",
    parts: {
      imports: IMPORTS,
      more: `(func (export "_initialize") ${loop(5_000_000, random).replace(/\(i32\.const 0\)$/, "")})`,
    },
    store: "none",
  },
  plain(
    "br_if that nobody foresees",
    3_000_000,
    `${random} (block (br_if 0 (i32.lt_s (local.get $x) (i32.const 0))) (local.set $z (i32.const 1)))`,
  ),
  plain("br_table that nobody foresees", 3_000_000, `${random} ${blocks}`),
  plain(
    "call_indirect that nobody foresees",
    3_000_000,
    `${random} (call_indirect (type $t) (i32.shr_u (local.get $x) (i32.const 29)))`,
    targets,
  ),
  plain("calls of a small function", 5_000_000, "(call $f)", "(func $f)"),
  plain("calls of a function with a loop", 5_000_000, "(call $f)", "(func $f (loop))"),
  {
    name: "loads, each waiting for the last, 1 MiB",
    parts: { run: chain(NEAR, 0), memory: '(memory (export "memory") 16)' },
    store: "none",
  },
  {
    name: "loads, each waiting for the last, 32 MiB",
    parts: { run: chain(FAR, 256), memory: '(memory (export "memory") 256)' },
    store: "none",
  },
  {
    name: "stores anywhere in 16 MiB",
    parts: {
      run: loop(
        500_000,
        repeat(
          UNROLLED,
          (i) =>
            `${i % 4 ? "" : random} (i32.store (i32.and (i32.rotl (local.get $x) (i32.const ${i})) (i32.const 0xfffff8)) (local.get $x))`,
        ),
      ),
      memory: '(memory (export "memory") 256)',
    },
    store: "none",
  },
  plain(
    "memory.size",
    1_000_000,
    repeat(UNROLLED, () => "(drop (memory.size))"),
  ),
  plain("memory.grow by nothing", 300_000, "(drop (memory.grow (i32.const 0)))"),
  {
    ...plain(
      "memory.grow by a page, filled",
      400,
      "(drop (memory.grow (i32.const 1))) (memory.fill (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 65536)) (i32.const 1) (i32.const 65536))",
    ),
  },
  bulk("memory.copy of 0 to 15 bytes", 2_000_000, `(memory.copy ${ANYWHERE} ${FURTHER} ${FEW})`),
  bulk("memory.copy of 64 KiB", 20_000, `(memory.copy ${ANYWHERE} ${FURTHER} (i32.const 65536))`),
  bulk(
    "memory.copy of 64 KiB onto itself",
    20_000,
    `(memory.copy (i32.add ${ANYWHERE} (i32.const 1)) ${ANYWHERE} (i32.const 65536))`,
  ),
  plain("memory.fill of nothing", 2_000_000, `(memory.fill ${i32(0, 64, 0)})`),
  plain("memory.fill of 512 KiB", 2_000, `(memory.fill ${i32(0, 64, 524_288)})`),
  bulk(
    "memory.init of 0 to 15 bytes",
    2_000_000,
    `(memory.init $d ${ANYWHERE} (i32.const 0) ${FEW})`,
    '(data $d "abcdefghijklmnop")',
  ),
];

export const spilledScan = (runs: number) => `store_scan, no room, ${runs} runs spilled`;
const keys = { small: 1_000, large: 0 };
const at = (size: "small" | "large", large: number) => (size === "small" ? keys.small : large);
const scanFrom = (cap: number) => `(drop (call $scan ${i32(0, 16, 4, 0, 0, 262_144, cap)}))`;
const sets = (times: number) => (count: number) => hit(count, times, `(drop (call $set ${i32(0, 16, 4, 64, 32)}))`);

/** Keys of the greatest length that are equal but for their ends: whatever compares them reads them whole. */
const LONG = { at: 65_536, bytes: 65_535 };
const longKey = `${random} (i32.store (i32.const ${LONG.at + LONG.bytes - 4}) (i32.and (local.get $x) (i32.const 1023)))`;
const longHit = (times: number, call: string) => loop(times, `${longKey} ${call}`);
const LONG_SET = `(drop (call $set ${i32(0, LONG.at, LONG.bytes, 64, 32)}))`;
const LONG_DELETE = `(drop (call $delete ${i32(0, LONG.at, LONG.bytes)}))`;
/** Sets some, then deletes the first and scans for the next, again and again: each scan goes by all that are gone. */
const longPassed = (count: number) => {
  const numbered = (call: string) =>
    `(i32.store8 (i32.const ${LONG.at + LONG.bytes - 2}) (i32.shr_u (local.get $i) (i32.const 8)))
     (i32.store8 (i32.const ${LONG.at + LONG.bytes - 1}) (local.get $i)) ${call}`;
  const scan = `(drop (call $scan ${i32(0, LONG.at, 1, 0, 0, 262_144, 0)}))`;
  const set = `(local.set $i (i32.const ${count})) (loop $set ${numbered(LONG_SET)}
    (br_if $set (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))`;
  return loop(count, numbered(`${LONG_DELETE} ${scan}`), `(i32.store8 (i32.const ${LONG.at}) (i32.const 255)) ${set}`);
};

function longKeyGuests(): GasGuest[] {
  const of = (name: string, run: string): GasGuest => ({
    ...{ name: `${name}, long keys`, parts: { imports: IMPORTS, run }, store: "small", writes: true },
  });
  return [
    of("store_set", longHit(3_000, LONG_SET)),
    of("store_get", longHit(3_000, `${LONG_SET} (drop (call $get ${i32(0, LONG.at, LONG.bytes, 64, 200)}))`)),
    of("store_delete", longHit(3_000, `${LONG_SET} ${LONG_DELETE}`)),
    of("store_scan by what it deleted", longPassed(700)),
    {
      ...of("", hit(1_000, 600, `(drop (call $set ${i32(0, 16, 4, 65_536, 262_144)}))`)),
      name: "store_set, long values",
    },
  ];
}

function hostGuests(large: number): GasGuest[] {
  // First: others write to the store.
  const guests: GasGuest[] = [
    { name: "handler_batch, a pair at a time", parts: { imports: IMPORTS }, store: "small", scans: "one" },
  ];
  for (const store of ["small", "large"] as const) {
    const count = at(store, large);
    const of = (name: string, run: string, rest: Partial<GasGuest> = {}): GasGuest => ({
      name: `${name}, ${count.toLocaleString("en")} keys`,
      parts: { imports: IMPORTS, run },
      store,
      ...rest,
    });
    const times = store === "small" ? 30_000 : 20_000;
    guests.push(
      of("store_get, cold", hit(count, 3_000, `(drop (call $get ${i32(0, 16, 4, 64, 200)}))`), { cold: true }),
      of("store_get", hit(count, times, `(drop (call $get ${i32(0, 16, 4, 64, 200)}))`)),
      of(
        "store_get of an absent key",
        hit(count, times, `(i32.store8 (i32.const 20) (i32.const 7)) (drop (call $get ${i32(0, 16, 5, 64, 200)}))`),
      ),
      of("store_scan, no room", hit(count, times, scanFrom(0))),
      of("store_scan of a pair", hit(count, times, scanFrom(64))),
      of("store_scan, no room, cold", hit(count, 3_000, scanFrom(0)), { cold: true }),
      of("store_scan of 64 KiB", hit(count, 200, scanFrom(65_536))),
      of("store_set of what is there", sets(times)(count), { writes: true }),
      of("store_set of what is there, few", sets(500)(count), { writes: true }),
      of(
        "store_set of new keys",
        loop(
          times,
          `${random} (i32.store (i32.const 16) (local.get $x)) (i32.store8 (i32.const 20) (i32.const 7)) (drop (call $set ${i32(0, 16, 5, 64, 32)}))`,
        ),
        { writes: true },
      ),
      of("store_delete", hit(count, times, `(drop (call $delete ${i32(0, 16, 4)}))`), { writes: true }),
      of("a manifest's scan", "(i32.const 0)", { scans: "whole" }),
    );
  }
  for (const spilled of [0, 10, 100]) {
    guests.push(
      {
        name: spilledScan(spilled),
        parts: { imports: IMPORTS, run: hit(large, 5_000, scanFrom(0)) },
        store: "large",
        spilled,
      },
      {
        name: `store_get, ${spilled} runs spilled`,
        parts: { imports: IMPORTS, run: hit(large, 10_000, `(drop (call $get ${i32(0, 16, 4, 64, 200)}))`) },
        store: "large",
        spilled,
      },
    );
  }
  return guests;
}

const CALLS: readonly GasGuest[] = [
  plain("store_write of nothing", 200_000, `(drop (call $write ${i32(0, 0)}))`),
  plain("progress", 200_000, "(call $progress (i64.const 1) (i64.const 2))"),
  plain("log of nothing", 20_000, `(call $log ${i32(1, 0, 0)})`),
  plain("log of 4 KiB", 5_000, `(call $log ${i32(1, 64, 4_096)})`),
];

export function gasGuests(large: number): readonly GasGuest[] {
  return [...INSTRUCTIONS, ...CALLS, ...hostGuests(large), ...longKeyGuests()];
}
