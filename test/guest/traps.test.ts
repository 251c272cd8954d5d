/** Guests that break their interface while they run: each ends with UPG_HANDLER_TRAP, and none can go on. */
import { describe, expect, test } from "vitest";
import { concatBytes, fromHex } from "../../host/base/text/bytes.js";
import { data, OUT } from "./build.js";
import { failure, IMPORTS, runGuest, STORES } from "./running.js";

/** 16 pages; the last byte. */
const END = 1_048_576;
const MAX = -1;

/** Calls import and then goes on, to show that it cannot. */
const then = (call: string) => `${call} (call $progress (i64.const 1) (i64.const 1)) (i32.const 0)`;
const drop = (call: string) => then(`(drop (call ${call}))`);
const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");

/** Keys at 16: 01 02 at 16, 02 ff 00 at 32, ff ff at 48. */
const KEYS = `${data(16, fromHex("0102"))} ${data(32, fromHex("02ff00"))} ${data(48, fromHex("ffff"))}`;

function ends(run: string, message: string, more = ""): void {
  const steps: string[] = [];
  const input = { progress: (done: bigint, total: bigint) => steps.push(`${done}/${total}`) };
  expect(() => runGuest({ run, more: `${KEYS} ${more}` }, { input })).toThrow(failure("UPG_HANDLER_TRAP", message));
  expect(steps).toEqual([]);
}

describe("pointers", () => {
  test.each<[call: string, message: string]>([
    [
      drop(`$get ${i32(0, END - 1, 2, 0, 0)}`),
      "a key: bytes 1048575 to 1048577 lie outside the memory of 1048576 bytes",
    ],
    [drop(`$get ${i32(0, MAX, 2, 0, 0)}`), "a key: bytes 4294967295 to 4294967297 lie outside"],
    [drop(`$get ${i32(0, 16, 2, END, 1)}`), "out of store_get: bytes 1048576 to 1048577 lie outside"],
    [drop(`$get ${i32(0, 16, 2, 0, MAX)}`), "out of store_get: bytes 0 to 4294967295 lie outside"],
    [drop(`$get ${i32(0, 16, 2, MAX, MAX)}`), "out of store_get: bytes 4294967295 to 8589934590 lie outside"],
    [drop(`$get ${i32(0, 16, 0, 0, 0)}`), "an empty key"],
    [drop(`$get ${i32(0, 16, 65_536, 0, 0)}`), "a key of 65536 bytes, at most 65535 are allowed"],
    [drop(`$get ${i32(0, 16, MAX, 0, 0)}`), "a key of 4294967295 bytes"],
    [drop(`$set ${i32(0, END, 1, 0, 0)}`), "a key: bytes 1048576"],
    [drop(`$set ${i32(0, 16, 2, END - 1, 2)}`), "a value: bytes 1048575"],
    [drop(`$set ${i32(0, 16, 2, 0, 1_048_577)}`), "a value of 1048577 bytes, at most 1048576 are allowed"],
    [drop(`$set ${i32(0, 16, 2, 0, MAX)}`), "a value of 4294967295 bytes"],
    [drop(`$set ${i32(0, 16, 0, 0, 0)}`), "an empty key"],
    [drop(`$delete ${i32(0, END, 1)}`), "a key: bytes 1048576"],
    [drop(`$delete ${i32(0, 16, 0)}`), "an empty key"],
    [drop(`$write ${i32(END, 1)}`), "ops of store_write: bytes 1048576"],
    [drop(`$write ${i32(1, MAX)}`), "ops of store_write: bytes 1 to 4294967296 lie outside"],
    [drop(`$scan ${i32(0, END, 1, 0, 0, 0, 9)}`), "the start of a scan: bytes 1048576"],
    [drop(`$scan ${i32(0, 0, 65_537, 0, 0, 0, 9)}`), "the start of a scan of 65537 bytes"],
    [drop(`$scan ${i32(0, 0, 0, END, 1, 0, 9)}`), "the end of a scan: bytes 1048576"],
    [drop(`$scan ${i32(0, 0, 0, 0, MAX, 0, 9)}`), "the end of a scan of 4294967295 bytes"],
    [drop(`$scan ${i32(0, 0, 0, 0, 0, END - 8, 9)}`), "out of store_scan: bytes 1048568"],
    [then(`(call $log ${i32(1, END, 1)})`), "a log line: bytes 1048576"],
    [then(`(call $log ${i32(1, 0, MAX)})`), "a log line: bytes 0 to 4294967295"],
    [then(`(call $fail ${i32(1, END, 1)})`), "the message of fail: bytes 1048576"],
  ])("%s → ends the run", (run, message) => {
    ends(run, message);
  });
});

describe("capabilities", () => {
  test.each<[call: string, message: string]>([
    [drop(`$get ${i32(4, 16, 2, 0, 0)}`), "there is no store 4: the manifest lists 4"],
    [drop(`$get ${i32(MAX, 16, 2, 0, 0)}`), "there is no store 4294967295"],
    [drop(`$scan ${i32(99, 0, 0, 0, 0, 0, 9)}`), "there is no store 99"],
    [drop(`$set ${i32(63, 16, 2, 0, 0)}`), "there is no store 63"],
    [drop(`$set ${i32(1, 16, 2, 0, 0)}`), 'a write to store "read", which the manifest gives for reading'],
    [drop(`$delete ${i32(1, 16, 2)}`), 'a write to store "read", which the manifest gives for reading'],
    [drop(`$get ${i32(2, 48, 2, 0, 0)}`), 'key ffff lies outside the prefixes that the manifest gives of store "part"'],
    [drop(`$get ${i32(2, 32, 1, 0, 0)}`), "key 02 lies outside the prefixes"],
    [drop(`$set ${i32(2, 48, 2, 0, 0)}`), "key ffff lies outside the prefixes"],
    [drop(`$delete ${i32(2, 48, 2)}`), "key ffff lies outside the prefixes"],
    [drop(`$get ${i32(2, 48, 1_000, 0, 0)}`), `key ffff${"00".repeat(14)}… lies outside`],
    [drop(`$scan ${i32(2, 0, 0, 0, 0, 0, 99)}`), "key  lies outside the prefixes"],
    [drop(`$scan ${i32(2, 16, 1, 0, 0, 0, 99)}`), 'a scan of store "part" runs past the prefix 01: end it at 02'],
    [drop(`$scan ${i32(2, 16, 1, 32, 2, 0, 99)}`), "runs past the prefix 01: end it at 02"],
    [drop(`$scan ${i32(2, 32, 3, 48, 1, 0, 99)}`), "runs past the prefix 02ff: end it at 03"],
    [drop(`$scan ${i32(3, 16, 1, 0, 0, 0, 99)}`), "key 01 lies outside the prefixes"],
  ])("%s → ends the run", (run, message) => {
    ends(run, message);
  });

  const put = (head: number, key: string, value: string) => {
    const header = new DataView(new ArrayBuffer(8));
    header.setUint32(0, head, true);
    header.setUint32(4, value.length / 2, true);
    return concatBytes(new Uint8Array(header.buffer), fromHex(key), fromHex(value));
  };
  const good = put(2, "0102", "aa");

  test.each<[what: string, frames: Uint8Array, message: string]>([
    ["of a store that is not listed", put((9 << 24) | 2, "0102", "aa"), "there is no store 9"],
    ["of a store that is only read", put((1 << 24) | 2, "0102", "aa"), 'a write to store "read"'],
    ["outside the prefixes", put((2 << 24) | 2, "0302", "aa"), "key 0302 lies outside"],
    ["with an unknown operation", put(0x8000_0002, "0102", "aa"), "malformed frame at byte 11: unknown operation 2"],
    ["without a key", put(0, "", "aa"), "key of 0 bytes"],
    ["with a key of 65,536 bytes", put(65_536, "0102", "aa"), "key of 65536 bytes"],
    ["with a value past its buffer", put(2, "0102", "aa").slice(0, -1), "frame is longer than its buffer"],
    [
      "with a value of over 1 MiB",
      concatBytes(put(2, "01", "").subarray(0, 4), fromHex("01001000"), fromHex("0102")),
      "value of 1048577 bytes",
    ],
    ["of three bytes", fromHex("020000"), "header cut short"],
    ["of a put without its second word", fromHex("02000000aabb"), "header cut short"],
  ])("a frame %s, after a good one → ends the run, in store_write and in handler_batch", (_, frames, message) => {
    const ops = concatBytes(good, frames);
    const more = `${data(512, ops)} ${data(OUT, concatBytes(new Uint8Array(4), ops))}`;
    ends(drop(`$write ${i32(512, ops.length)}`), message, more);
    const batch = `(i32.const ${4 + ops.length})`;
    const manifest = { stores: STORES, scans: [{ store: "read" }] };
    expect(() => runGuest({ batch, more }, { manifest })).toThrow(failure("UPG_HANDLER_TRAP", message));
  });
});

describe("handler_check and the calls around", () => {
  const writes = [
    `(drop (call $set ${i32(0, 16, 2, 0, 0)}))`,
    `(drop (call $delete ${i32(0, 16, 2)}))`,
    `(drop (call $write ${i32(512, 12)}))`,
  ];
  const more = `${KEYS} ${data(512, fromHex("020000000200000001020304"))}`;
  const message = 'a write to store "all" outside handler_run and handler_batch';

  test.each(writes)("%s in handler_check, _initialize, handler_in or handler_out → ends the run", (write) => {
    const trap = failure("UPG_HANDLER_TRAP", message);
    expect(() => runGuest({ check: `${write} (i32.const 0)`, more })).toThrow(trap);
    expect(() => runGuest({ in: `${write} (i32.const 65536)`, more })).toThrow(trap);
    expect(() => runGuest({ out: `${write} (i32.const 65536)`, more })).toThrow(trap);
    const initialize = `(func (export "_initialize") ${write})`;
    expect(() => runGuest({ more: `${more} ${initialize}` })).toThrow(trap);
    runGuest({ run: `${write} (i32.const 0)`, more });
  });

  test("a store_write of no bytes in handler_check → nothing was written, so nothing is broken", () => {
    runGuest({ check: `(drop (call $write ${i32(0, 0)})) (i32.const 0)`, imports: IMPORTS });
  });
});
