/** Guests that are taken and show their face when they run: each is stopped, and what it wrote is dropped. */
import { concatBytes, fromHex } from "../../../host/base/text/bytes.js";
import { data, IN, OUT } from "../build.js";
import { IMPORTS, STORES } from "../running.js";
import type { StoppedGuest } from "./hostile-guest.js";

const TRAP = "UPG_HANDLER_TRAP";
const GAS = "UPG_MIGRATION_OUT_OF_GAS";
const STACK = "UPG_HANDLER_STACK";
const FAILED = "UPG_MIGRATION_FAILED";

const then = (body: string) => `${body} (i32.const 0)`;
const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");
const manifest = { stores: STORES, scans: [{ store: "read" }] };
const stores = {
  read: [
    ["01", "aa"],
    ["02", "bb"],
  ],
} as const;
const scanning = { manifest, stores };
/** A frame of an output, by its first word. */
const frame = (head: number, rest: string) => {
  const word = new Uint8Array(4);
  new DataView(word.buffer).setUint32(0, head, true);
  return concatBytes(word, fromHex(rest));
};
const KEYS = `${data(16, fromHex("0102"))} ${data(48, fromHex("ffff"))}`;
/** handler_batch that takes all it got and returns these frames. */
const writes = (frames: Uint8Array) => ({
  batch: `(i32.store (i32.const ${OUT}) (local.get $len)) (i32.const ${4 + frames.length})`,
  more: data(OUT + 4, frames),
});
const consumes = (count: string) => ({ batch: `(i32.store (i32.const ${OUT}) ${count}) (i32.const 4)` });
const calls = (call: string) => ({ run: then(call), more: KEYS });
const put = "(drop (call $set (i32.const 0) (i32.const 16) (i32.const 2) (i32.const 0) (i32.const 1)))";
/** Twenty functions, each calling the next twice. */
const doubling = Array.from({ length: 40 }, (_, i) => `(func $d${i} (call $d${i + 1}) (call $d${i + 1}))`).join(" ");

const HOSTILE: readonly StoppedGuest[] = [
  { what: "a gas bomb: a loop without end", code: GAS, parts: { run: then("(loop $l (br $l))") } },
  { what: "a gas bomb: a loop that writes", code: GAS, parts: { run: then(`(loop $l ${put} (br $l))`), more: KEYS } },
  { what: "a gas bomb in _initialize", code: GAS, parts: { more: '(func (export "_initialize") (loop $l (br $l)))' } },
  { what: "a gas bomb in handler_in", code: GAS, parts: { in: "(loop $l (br $l)) (i32.const 0)" } },
  {
    what: "a gas bomb in handler_batch",
    code: GAS,
    parts: { batch: "(loop $l (br $l)) (i32.const 4)" },
    scene: scanning,
  },
  { what: "a gas bomb in handler_check", code: GAS, parts: { check: "(loop $l (br $l)) (i32.const 0)" } },
  {
    what: "a gas bomb of 2^40 calls without a loop",
    code: GAS,
    parts: { run: then("(call $d0)"), more: `${doubling} (func $d40)` },
  },
  {
    what: "a gas bomb of memory.fill",
    code: GAS,
    parts: { run: then(`(loop $l (memory.fill ${i32(0, 0, 1_048_576)}) (br $l))`) },
  },
  {
    what: "a gas bomb of memory.copy of 4 GiB",
    code: GAS,
    parts: { run: then(`(loop $l (memory.copy ${i32(0, 0, 0)}) (br $l))`) },
  },
  {
    what: "a gas bomb of log lines",
    code: GAS,
    parts: { run: then(`(loop $l (call $log ${i32(0, 0, 4_096)}) (br $l))`) },
  },
  {
    what: "a gas bomb of scans",
    code: GAS,
    parts: { run: then(`(loop $l (drop (call $scan ${i32(0, 16, 2, 0, 0, 512, 512)})) (br $l))`), more: KEYS },
  },
  {
    what: "a memory bomb, a page at a time",
    code: GAS,
    parts: { run: then("(loop $l (drop (memory.grow (i32.const 1))) (br $l))") },
  },
  {
    what: "a memory bomb of 4 GiB, then a use of it",
    code: TRAP,
    parts: { run: then("(drop (memory.grow (i32.const 65000))) (i32.store (i32.const 0x7fff0000) (i32.const 1))") },
  },
  { what: "a stack bomb", code: STACK, parts: { run: then("(call $r)"), more: "(func $r (call $r))" } },
  {
    what: "a stack bomb of two",
    code: STACK,
    parts: { run: then("(call $a)"), more: "(func $a (call $b)) (func $b (call $a))" },
  },
  {
    what: "a stack bomb through the table",
    code: STACK,
    parts: {
      run: then("(call $r)"),
      more: "(type $v (func)) (table 1 funcref) (elem (i32.const 0) $r) (func $r (call_indirect (type $v) (i32.const 0)))",
    },
  },
  {
    what: "a stack bomb of wide frames",
    code: STACK,
    parts: { run: then("(call $r)"), more: `(func $r (local ${"i64 ".repeat(256)}) (call $r))` },
  },
  { what: "unreachable", code: TRAP, parts: { run: "unreachable" } },
  { what: "a division by zero", code: TRAP, parts: { run: then(`(drop (i32.div_u ${i32(1, 0)}))`) } },
  { what: "a load outside the memory", code: TRAP, parts: { run: then("(drop (i32.load (i32.const -1)))") } },
  {
    what: "an indirect call of nothing",
    code: TRAP,
    parts: { run: then("(call_indirect (i32.const 0))"), more: "(table 1 funcref)" },
  },
  { what: "a key outside the memory", code: TRAP, parts: calls(`(drop (call $get ${i32(0, 1_048_575, 2, 0, 0)}))`) },
  { what: "a buffer outside the memory", code: TRAP, parts: calls(`(drop (call $get ${i32(0, 16, 2, -1, -1)}))`) },
  { what: "a value of 4 GiB", code: TRAP, parts: calls(`(drop (call $set ${i32(0, 16, 2, 0, -1)}))`) },
  { what: "an empty key", code: TRAP, parts: calls(`(drop (call $set ${i32(0, 16, 0, 0, 0)}))`) },
  { what: "a log line outside the memory", code: TRAP, parts: calls(`(call $log ${i32(0, -4, 8)})`) },
  { what: "a store without a handle", code: TRAP, parts: calls(`(drop (call $get ${i32(63, 16, 2, 0, 0)}))`) },
  { what: "a key outside its prefixes", code: TRAP, parts: calls(`(drop (call $get ${i32(2, 48, 2, 0, 0)}))`) },
  { what: "a scan beyond its prefixes", code: TRAP, parts: calls(`(drop (call $scan ${i32(2, 16, 1, 0, 0, 0, 99)}))`) },
  { what: "a write to what it may read", code: TRAP, parts: calls(`(drop (call $set ${i32(1, 16, 2, 0, 0)}))`) },
  { what: "a delete of what it may read", code: TRAP, parts: calls(`(drop (call $delete ${i32(1, 16, 2)}))`) },
  { what: "a write in handler_check", code: TRAP, parts: { check: then(put), more: KEYS } },
  { what: "a write in _initialize", code: TRAP, parts: { more: `${KEYS} (func (export "_initialize") ${put})` } },
  {
    what: "a framed write to what it may read",
    code: TRAP,
    parts: writes(frame((1 << 24) | 1, "0000000001")),
    scene: scanning,
  },
  {
    what: "a framed write outside its prefixes",
    code: TRAP,
    parts: writes(frame((2 << 24) | 1, "0000000009")),
    scene: scanning,
  },
  {
    what: "a framed write without a handle",
    code: TRAP,
    parts: writes(frame((40 << 24) | 1, "0000000001")),
    scene: scanning,
  },
  { what: "a frame longer than the batch", code: TRAP, parts: writes(frame(1, "ff00000001")), scene: scanning },
  {
    what: "frames that overlap the end",
    code: TRAP,
    parts: writes(concatBytes(frame(1, "0100000001aa"), frame(9, "00"))),
    scene: scanning,
  },
  {
    what: "a frame with an unknown operation",
    code: TRAP,
    parts: writes(frame(0x8000_0001, "0000000001")),
    scene: scanning,
  },
  { what: "a batch that consumes nothing", code: TRAP, parts: consumes("(i32.const 0)"), scene: scanning },
  {
    what: "a batch that consumes more than it got",
    code: TRAP,
    parts: consumes("(i32.add (local.get $len) (i32.const 1))"),
    scene: scanning,
  },
  { what: "a batch that consumes half a frame", code: TRAP, parts: consumes("(i32.const 5)"), scene: scanning },
  { what: "an answer longer than its buffer", code: TRAP, parts: { run: "(i32.const 262145)" } },
  { what: "a buffer that overlaps the end of memory", code: TRAP, parts: { out: "(i32.const 1000000)" } },
  { what: "a buffer that it does not have", code: FAILED, parts: { in: "(i32.const 0)" } },
  { what: "no for an answer", code: FAILED, parts: { run: "(i32.const -80)" } },
  { what: "fail()", code: FAILED, parts: calls(`(call $fail ${i32(1, 16, 2)})`) },
  { what: "abort()", code: FAILED, parts: calls(`(call $abort ${i32(0, 0, 1, 1)})`) },
  {
    what: "an invariant that does not hold",
    code: "UPG_MIGRATION_INVARIANT",
    parts: { check: "(i32.const 5)", more: data(OUT, fromHex("0a030a0161")) },
  },
  {
    what: "a version map that is none",
    code: "UPG_MIGRATION_VERSION_MAP",
    parts: { run: "(i32.const 3)", more: data(OUT, fromHex("0a05ff")) },
  },
  { what: "checks that are none", code: TRAP, parts: { check: "(i32.const 3)", more: data(OUT, fromHex("0a05ff")) } },
  {
    what: "a layout that is not stored",
    code: "UPG_HANDLER_LAYOUT",
    parts: {},
    scene: { manifest: { versions: { auth: { from: [1], to: 2 } } } },
  },
  {
    what: "a store that is not there",
    code: "UPG_HANDLER_LAYOUT",
    parts: {},
    scene: { manifest: { stores: [{ name: "no", access: "r" }] } },
  },
  {
    what: "an input buffer that moves into the output",
    code: TRAP,
    parts: {
      batch: `(memory.fill (i32.const ${IN}) (i32.const 255) (i32.const 64)) (i32.store (i32.const ${OUT}) (i32.load (i32.const ${IN}))) (i32.const 4)`,
    },
    scene: scanning,
  },
];

export const STOPPED_GUESTS: readonly StoppedGuest[] = HOSTILE.map(({ parts, ...rest }) => {
  return { ...rest, parts: { imports: IMPORTS, ...parts } };
});
