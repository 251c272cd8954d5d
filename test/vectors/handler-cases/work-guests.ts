/** Guests at their limits: stack, memory, traps of every class, walks over what was deleted, work that bytes do not show. */
import { data } from "../../guest/build.js";
import type { Collection } from "./collection.js";
import { addGuest } from "./guest-runs.js";
import type { PairsRule } from "./shapes.js";

const GAS_LIMIT = "5000000000";
const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");

export function addWorkGuests(to: Collection): void {
  addTraps(to);
  addStacks(to);
  addGrowth(to);
  addDeletions(to);
  addPrices(to);
}

const TABLE =
  '(type $f (func)) (type $g (func (param i64))) (table 3 funcref) (func $one) (elem (i32.const 0) $one) (data $d "abc")';

function addTraps(to: Collection): void {
  const bodies = [
    "unreachable",
    "(drop (i32.load (i32.const -1)))",
    "(drop (i64.load offset=4294967295 (i32.const -1)))",
    "(i64.store (i32.const 1048570) (i64.const 0))",
    "(i64.store (i32.const 1048568) (i64.const 0))",
    "(memory.fill (i32.const 1048576) (i32.const 0) (i32.const 1))",
    "(memory.fill (i32.const 1048576) (i32.const 0) (i32.const 0))",
    "(memory.fill (i32.const 0) (i32.const 7) (i32.const 1048576))",
    "(memory.copy (i32.const 0) (i32.const 0) (i32.const -1))",
    "(memory.copy (i32.const 65536) (i32.const 65530) (i32.const 4096))",
    "(memory.init $d (i32.const 0) (i32.const 2) (i32.const 9))",
    "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 3))",
    "(data.drop $d) (memory.init $d (i32.const 0) (i32.const 0) (i32.const 1))",
    "(drop (i32.div_u (i32.const 1) (i32.const 0)))",
    "(drop (i32.rem_s (i32.const -2147483648) (i32.const -1)))",
    "(drop (i64.rem_s (i64.const 1) (i64.const 0)))",
    "(drop (i32.div_s (i32.const -2147483648) (i32.const -1)))",
    "(drop (i64.div_s (i64.const -9223372036854775808) (i64.const -1)))",
    "(call_indirect (type $f) (i32.const 0))",
    "(call_indirect (type $f) (i32.const 99))",
    "(call_indirect (type $f) (i32.const 2))",
    "(call_indirect (type $g) (i64.const 0) (i32.const 0))",
  ];
  for (const body of bodies)
    addGuest(to, { label: body, parts: { run: `${body} (i32.const 0)`, more: TABLE }, cuts: 2 });
}

/** As deep as the parameter says, in each way; how deep is found by the count alone, so it is the same everywhere. */
function addStacks(to: Collection): void {
  const recursions: Readonly<Record<string, string>> = {
    narrow: "(func $r (param i32) (if (local.get 0) (then (call $r (i32.sub (local.get 0) (i32.const 1))))))",
    wide: `(func $r (param i32) (local ${"i64 ".repeat(200)}) (if (local.get 0) (then (call $r (i32.sub (local.get 0) (i32.const 1))))))`,
    "of two":
      "(func $r (param i32) (if (local.get 0) (then (call $s (i32.sub (local.get 0) (i32.const 1)))))) (func $s (param i32) (local i64 i64 i64) (call $r (local.get 0)))",
    "with work after it":
      "(func $r (param i32) (if (local.get 0) (then (call $r (i32.sub (local.get 0) (i32.const 1))) (i32.store (i32.const 8) (i32.mul (local.get 0) (i32.const 7))))))",
    "by the table":
      "(type $t (func (param i32))) (table 1 funcref) (elem (i32.const 0) $r) (func $r (type $t) (if (local.get 0) (then (call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0)))))",
  };
  for (const [what, more] of Object.entries(recursions)) {
    for (const depth of [0, 1, 50, 100, 200, 500, 1_000, 1_300, 1_500, 1_700, 2_000, 100_000]) {
      const run = `(call $r (i32.const ${depth})) (i32.const 0)`;
      addGuest(to, { label: `recursion, ${what}, ${depth} deep`, parts: { run, more } });
    }
  }
  const logging =
    "(func $r (param i32) (result i32) (call $log (i32.const 0) (i32.const 0) (i32.const 0)) (i32.add (i32.const 1) (call $r (local.get 0))))";
  addGuest(to, {
    label: "recursion with an import in it",
    parts: { run: "(drop (call $r (i32.const 1))) (i32.const 0)", more: logging },
  });
}

function addGrowth(to: Collection): void {
  const grow = (pages: number) =>
    `(call $progress (i64.extend_i32_s (memory.grow (i32.const ${pages}))) (i64.extend_i32_u (memory.size)))`;
  const memories = ["16", "16 16", "16 20", "16 65536", "17", "1 16"];
  for (const pages of memories) {
    const run = `${[0, 1, 3, 1, 400, 92, 1, -1].map(grow).join(" ")} (i32.const 0)`;
    const memory = `(memory (export "memory") ${pages})`;
    // A memory of one page has no room for the buffers of the other guests.
    const small = pages === "1 16" ? { in: i32(0), out: i32(0) } : {};
    addGuest(to, { label: `grows, memory ${pages}`, parts: { run, memory, ...small }, gasLimit: GAS_LIMIT, cuts: 6 });
  }
  const far = `${grow(1)} (drop (i32.load (i32.const 1048576))) (i32.store (i32.const 1114108) (i32.const 7)) (drop (i32.load (i32.const 1114108))) (i32.const 0)`;
  addGuest(to, { label: "loads in a memory of more than 16 pages", parts: { run: far }, gasLimit: GAS_LIMIT, cuts: 6 });
  addGuest(to, {
    label: "uses what it did not get",
    parts: {
      run: "(drop (memory.grow (i32.const 65000))) (i32.store (i32.const 0x7fff0000) (i32.const 1)) (i32.const 0)",
    },
    gasLimit: GAS_LIMIT,
  });
}

/** Deletes keys `first` to `last`, and scans with so much room. */
function addDeletions(to: Collection): void {
  const all = Array.from({ length: 10 }, (_, i) => [(i + 1).toString(16).padStart(2, "0"), "01"] as const);
  const remove = `(i32.store8 (i32.const 16) (local.get $len)) (drop (call $delete ${i32(0, 16, 1)}))`;
  const removeFrom = (first: number, last: number) => `(local.set $len (i32.const ${first}))
    (loop $next ${remove} (local.set $len (i32.add (local.get $len) (i32.const 1))) (br_if $next (i32.le_u (local.get $len) (i32.const ${last}))))`;
  const scan = (cap: number) =>
    `(call $progress (i64.const 0) (i64.extend_i32_s (call $scan ${i32(0, 0, 0, 0, 0, 32, cap)})))`;
  for (const [first, last] of [
    [1, 1],
    [1, 4],
    [2, 9],
    [3, 10],
    [1, 10],
    [0, 0],
    [11, 20],
    [1, 200],
  ] as const) {
    for (const cap of [0, 10, 20, 100]) {
      const run = `${removeFrom(first, last)} ${scan(cap)} ${scan(cap)} (i32.const 0)`;
      addGuest(to, {
        label: `deletes ${first} to ${last}, scans with room for ${cap}`,
        parts: { run },
        stores: { all },
        cuts: cap === 10 ? 6 : 0,
      });
    }
  }
  const rule: PairsRule = { count: 500, prefix: "", key_bytes: 8, value_bytes: [100, 300] };
  const scan64 = `(call $progress (i64.const 1) (i64.extend_i32_s (call $scan ${i32(0, 16, 0, 0, 0, 131_072, 100_000)}))) (i32.const 0)`;
  addGuest(to, { label: "a scan of more than 64 KiB", parts: { run: scan64 }, stores: { all: rule }, cuts: 8 });
}

/** Much for one call. */
function addPrices(to: Collection): void {
  const put = `(i32.store (i32.const 16) (local.get $len)) (drop (call $set ${i32(0, 16, 4, 64, 1)}))`;
  const count = (times: number, body: string) => `(local.set $len (i32.const ${times}))
    (loop $l ${body} (br_if $l (local.tee $len (i32.sub (local.get $len) (i32.const 1))))) (i32.const 0)`;
  addGuest(to, {
    label: "the first 10,000 writes, and some more",
    parts: { run: count(10_010, put) },
    gasLimit: GAS_LIMIT,
    cuts: 6,
  });
  const remove = `(i32.store (i32.const 16) (local.get $len)) (drop (call $delete ${i32(0, 16, 4)}))`;
  addGuest(to, {
    label: "the first 10,000 deletions, and some more",
    parts: { run: count(10_003, remove) },
    gasLimit: GAS_LIMIT,
    cuts: 4,
  });
  addGuest(to, {
    label: "a table of branches",
    parts: {
      run: `${count(9, "(block $c (block $b (block $a (br_table $a $b $c (local.get $len))) (i32.store (i32.const 8) (i32.const 1))) (i32.store (i32.const 8) (i32.const 2)))")}`,
      more: data(8, "abc"),
    },
  });
}
