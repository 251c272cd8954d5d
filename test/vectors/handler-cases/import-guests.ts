/** Calls of the imports, one a guest: what stores give and take, pointers, rights, lengths, texts. */
import { concatBytes, fromHex } from "../../../host/base/text/bytes.js";
import { data, OUT } from "../../guest/build.js";
import { STORES } from "../../guest/running.js";
import type { Collection } from "./collection.js";
import { addGuest } from "./guest-runs.js";

const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");
/** 16 pages; the last byte. */
const END = 1_048_576;
const MAX = -1;
/** 01 02 at 16, 02 ff 00 at 32, ff ff at 48. */
const KEYS = `${data(16, fromHex("0102"))} ${data(32, fromHex("02ff00"))} ${data(48, fromHex("ffff"))}`;
const STORED = {
  all: [
    ["01", "0a"],
    ["0102", "aabbcc"],
    ["0103", ""],
    ["02ff00", "0d0e"],
    ["ffff", "0f"],
  ],
  read: [["0102", "77"]],
  part: [
    ["0102", "31"],
    ["02fe", "32"],
    ["02ff00", "33"],
    ["03", "34"],
  ],
  top: [
    ["fe", ""],
    ["ffff", "35"],
  ],
} as const;

/** Reports what a call returns as progress. */
const shown = (call: string) => `(call $progress (i64.extend_i32_s (call ${call})) (i64.const 0))`;

const READS: readonly string[] = [
  ...[0, 1, 2, 3, 4, 99].map((cap) => `$get ${i32(0, 16, 2, 512, cap)}`),
  ...[1, 2, 3, 4, MAX].map((store) => `$get ${i32(store, 16, 2, 512, 9)}`),
  `$get ${i32(0, 17, 1, 512, 9)}`,
  `$get ${i32(2, 48, 2, 0, 0)}`,
  `$get ${i32(2, 48, 1_000, 0, 0)}`,
  `$get ${i32(2, 32, 1, 0, 0)}`,
  `$get ${i32(3, 48, 2, 512, 9)}`,
  `$get ${i32(0, 16, 0, 0, 0)}`,
  `$get ${i32(0, 16, 65_535, 0, 0)}`,
  `$get ${i32(0, 16, 65_536, 0, 0)}`,
  `$get ${i32(0, 16, MAX, 0, 0)}`,
  `$get ${i32(0, END - 1, 2, 0, 0)}`,
  `$get ${i32(0, END - 2, 2, 0, 0)}`,
  `$get ${i32(0, MAX, 2, 0, 0)}`,
  `$get ${i32(0, 16, 2, END, 0)}`,
  `$get ${i32(0, 16, 2, END, 1)}`,
  `$get ${i32(0, 16, 2, 0, MAX)}`,
  `$get ${i32(0, 16, 2, MAX, MAX)}`,
];

const SCANS: readonly string[] = [
  ...[0, 9, 10, 11, 20, 21, 30, 50, 99].map((cap) => `$scan ${i32(0, 0, 0, 0, 0, 4_096, cap)}`),
  `$scan ${i32(0, 16, 1, 0, 0, 4_096, 99)}`,
  `$scan ${i32(0, 16, 2, 0, 0, 4_096, 99)}`,
  `$scan ${i32(0, 16, 1, 32, 3, 4_096, 99)}`,
  `$scan ${i32(0, 48, 2, 16, 2, 4_096, 99)}`,
  `$scan ${i32(0, 16, 2, 16, 2, 4_096, 99)}`,
  `$scan ${i32(1, 0, 0, 0, 0, 4_096, 99)}`,
  `$scan ${i32(2, 0, 0, 0, 0, 4_096, 99)}`,
  `$scan ${i32(2, 16, 1, 0, 0, 4_096, 99)}`,
  `$scan ${i32(2, 16, 1, 17, 1, 4_096, 99)}`,
  `$scan ${i32(2, 16, 1, 32, 2, 4_096, 99)}`,
  `$scan ${i32(2, 32, 3, 48, 1, 4_096, 99)}`,
  `$scan ${i32(2, 32, 3, 33, 1, 4_096, 99)}`,
  `$scan ${i32(3, 48, 1, 0, 0, 4_096, 99)}`,
  `$scan ${i32(3, 16, 1, 0, 0, 4_096, 99)}`,
  `$scan ${i32(99, 0, 0, 0, 0, 0, 9)}`,
  `$scan ${i32(0, END, 1, 0, 0, 0, 9)}`,
  `$scan ${i32(0, 0, 65_536, 0, 0, 0, 9)}`,
  `$scan ${i32(0, 0, 65_537, 0, 0, 0, 9)}`,
  `$scan ${i32(0, 0, 0, END, 1, 0, 9)}`,
  `$scan ${i32(0, 0, 0, 0, MAX, 0, 9)}`,
  `$scan ${i32(0, 0, 0, 0, 0, END - 8, 9)}`,
];

const WRITES: readonly string[] = [
  ...[0, 1, 1_024, 1_025, 65_536].map((bytes) => `$set ${i32(0, 16, 2, 65_536, bytes)}`),
  `$set ${i32(0, 16, 2, 0, 1_048_576)}`,
  `$set ${i32(0, 16, 2, 0, 1_048_577)}`,
  `$set ${i32(0, 16, 2, 0, MAX)}`,
  `$set ${i32(0, 16, 2, END - 1, 2)}`,
  `$set ${i32(0, END, 1, 0, 0)}`,
  ...[0, 1, 1_024, 1_025, 65_535, 65_536].map((bytes) => `$set ${i32(0, 65_536, bytes, 16, 2)}`),
  ...[1, 4, 63, 64, MAX].map((store) => `$set ${i32(store, 16, 2, 0, 0)}`),
  `$set ${i32(2, 48, 2, 0, 0)}`,
  `$set ${i32(2, 16, 2, 16, 2)}`,
  `$set ${i32(3, 48, 1, 16, 1)}`,
  `$delete ${i32(0, 16, 2)}`,
  `$delete ${i32(0, 17, 1)}`,
  `$delete ${i32(0, 16, 0)}`,
  `$delete ${i32(0, END, 1)}`,
  `$delete ${i32(1, 16, 2)}`,
  `$delete ${i32(2, 48, 2)}`,
  `$delete ${i32(2, 32, 3)}`,
  `$delete ${i32(0, 65_536, 2_000)}`,
  `$write ${i32(0, 0)}`,
  `$write ${i32(END, 0)}`,
  `$write ${i32(END, 1)}`,
  `$write ${i32(1, MAX)}`,
];

/** Of no result. */
const REPORTS: readonly string[] = [
  ...[0, 1, 2, 3, 4, MAX].map((level) => `(call $log ${i32(level, 16, 2)})`),
  `(call $log ${i32(1, 512, 0)})`,
  `(call $log ${i32(1, 600, 26)})`,
  `(call $log ${i32(1, 4_096, 4_096)})`,
  `(call $log ${i32(1, 4_096, 4_097)})`,
  `(call $log ${i32(1, 4_095, 9_000)})`,
  `(call $log ${i32(1, END, 0)})`,
  `(call $log ${i32(1, END, 1)})`,
  `(call $log ${i32(1, 0, MAX)})`,
  "(call $progress (i64.const -1) (i64.const 9223372036854775807))",
  ...[0, 1, -7, 2_147_483_647].map((code) => `(call $fail ${i32(code, 600, 26)})`),
  `(call $fail ${i32(1, 16, 0)})`,
  `(call $fail ${i32(1, 4_096, 1_024)})`,
  `(call $fail ${i32(1, 4_095, 3_000)})`,
  `(call $fail ${i32(1, END, 1)})`,
  `(call $fail ${i32(1, 0, MAX)})`,
  `(call $abort ${i32(704, 804, 12, 5)})`,
  ...[0, 3, MAX, END, END - 2].map((ptr) => `(call $abort ${i32(ptr, ptr, 12, 5)})`),
  `(call $abort ${i32(704, 0, -1, -1)})`,
];

/** Letters, controls, bytes that are not UTF-8, from right to left; then two bytes of é again and again. */
const TEXTS = [
  data(600, concatBytes(new TextEncoder().encode("a\n\t\u001b[2J\u007f\u0085é\u202ev🚀"), fromHex("ffc3eda080"))),
  data(4_095, `a${"é".repeat(5_000)}`),
  data(700, concatBytes(fromHex("24000000"), utf16("Index out of range"))),
  data(800, concatBytes(fromHex("08000000"), utf16("x\ud800\ny"))),
].join(" ");

function utf16(text: string): Uint8Array {
  const bytes = new Uint8Array(2 * text.length);
  for (let i = 0; i < text.length; i++) new DataView(bytes.buffer).setUint16(2 * i, text.charCodeAt(i), true);
  return bytes;
}

export function addImportGuests(to: Collection): void {
  const more = `${KEYS} ${TEXTS}`;
  const calls = [...READS, ...SCANS, ...WRITES].map((call) => [call, shown(call)] as const);
  for (const [label, body] of [...calls, ...REPORTS.map((call) => [call, call] as const)]) {
    // A call before it and one after it: what was done, and whether the run went on.
    const run = `(drop (call $set ${i32(0, 48, 1, 16, 1)})) ${body} (call $progress (i64.const 1) (i64.const 1)) (i32.const 0)`;
    const cuts = label.includes("$scan") || label.includes("$set") ? 3 : 2;
    addGuest(to, { label: `handler_run: ${label}`, parts: { run, more }, stores: STORED, cuts });
  }
  addWritesElsewhere(to, more);
  addSeen(to, more);
}

/** Writes belong to handler_run and handler_batch. */
function addWritesElsewhere(to: Collection, more: string): void {
  const writes = [
    `$set ${i32(0, 16, 2, 0, 0)}`,
    `$delete ${i32(0, 16, 2)}`,
    `$write ${i32(OUT, 12)}`,
    `$write ${i32(0, 0)}`,
  ];
  const frame = data(OUT, fromHex("020000000200000001020304"));
  for (const write of writes) {
    const body = `(drop (call ${write}))`;
    const each = { manifest: { stores: STORES }, stores: STORED };
    const all = `${more} ${frame}`;
    addGuest(to, { ...each, label: `handler_check: ${write}`, parts: { check: `${body} (i32.const 0)`, more: all } });
    addGuest(to, { ...each, label: `handler_in: ${write}`, parts: { in: `${body} (i32.const 65536)`, more: all } });
    addGuest(to, { ...each, label: `handler_out: ${write}`, parts: { out: `${body} (i32.const 262144)`, more: all } });
    const initialize = `(func (export "_initialize") ${body})`;
    addGuest(to, { ...each, label: `_initialize: ${write}`, parts: { more: `${all} ${initialize}` } });
    addGuest(to, {
      ...each,
      label: `handler_run: ${write}, framed`,
      parts: { run: `${body} (i32.const 0)`, more: all },
      cuts: 3,
    });
  }
}

/** What the run wrote is what it reads. */
function addSeen(to: Collection, more: string): void {
  const set = (key: number, length: number, bytes: number) => `(drop (call $set ${i32(0, key, length, 16, bytes)}))`;
  const remove = (key: number, length: number) => `(drop (call $delete ${i32(0, key, length)}))`;
  const get = (key: number, length: number) => shown(`$get ${i32(0, key, length, 512, 0)}`);
  const scan = (cap: number) => shown(`$scan ${i32(0, 0, 0, 0, 0, 4_096, cap)}`);
  const bodies = {
    "a put over a pair": `${set(16, 2, 1)} ${get(16, 2)} ${scan(99)}`,
    "the same value again": `${set(16, 2, 0)} ${set(16, 2, 0)} ${get(16, 2)}`,
    "a put, then a deletion": `${set(17, 1, 2)} ${remove(17, 1)} ${get(17, 1)} ${scan(99)}`,
    "a deletion, then a put": `${remove(16, 2)} ${get(16, 2)} ${set(16, 2, 2)} ${get(16, 2)} ${scan(99)}`,
    "a deletion of what is absent": `${remove(17, 1)} ${scan(99)} ${scan(0)}`,
    "deletions of all": `${remove(16, 1)} ${remove(16, 2)} ${scan(0)} ${scan(99)} ${remove(32, 3)} ${remove(48, 2)} ${scan(99)}`,
    "a value that is read and written to another key": `(drop (call $get ${i32(0, 16, 2, 512, 9)})) (drop (call $set ${i32(0, 17, 1, 512, 3)}))`,
    "a scan that is written as a value": `(drop (call $scan ${i32(0, 0, 0, 0, 0, 4_096, 99)})) (drop (call $set ${i32(0, 17, 1, 4_096, 99)}))`,
  };
  for (const [label, body] of Object.entries(bodies)) {
    addGuest(to, { label, parts: { run: `${body} (i32.const 0)`, more }, stores: STORED, cuts: 8 });
  }
}
