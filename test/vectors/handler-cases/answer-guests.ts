/** What guests return: versions, checks, numbers below 0 with and without a record, floods of lines. */
import { concatBytes, fromHex } from "../../../host/base/text/bytes.js";
import { writeU32 } from "../../../host/base/wire/u32.js";
import { WireWriter } from "../../../host/base/wire/wire.js";
import { encodeVersionMap } from "../../../host/upgrade/core/version-map.js";
import { data, IN, OUT } from "../../guest/build.js";
import { STORES } from "../../guest/running.js";
import type { Collection } from "./collection.js";
import { addGuest } from "./guest-runs.js";

const NO = "(i32.const -80)";

export function addAnswerGuests(to: Collection): void {
  addFailures(to);
  addVersions(to);
  addChecks(to);
  addFloods(to);
  addContexts(to);
}

function record(code: number, length: number, text: Uint8Array | string): string {
  const head = new Uint8Array(8);
  writeU32(head, 0, code);
  writeU32(head, 4, length);
  return data(1_024, concatBytes(head, typeof text === "string" ? new TextEncoder().encode(text) : text));
}

function addFailures(to: Collection): void {
  const err = "(i32.const 1024)";
  const errors: Readonly<Record<string, readonly [err: string, more: string]>> = {
    "a record": [err, record(7, 5, "money")],
    "a record of no text": [err, record(7, 0, "money")],
    "the greatest code": [err, record(0xffff_ffff, 4, "odd!x")],
    "a text of 1,024 bytes": [err, record(7, 1_024, "é".repeat(600))],
    "a text of 3,000 bytes": [err, record(7, 3_000, `a${"é".repeat(1_600)}`)],
    "a text that is not UTF-8": [
      err,
      record(7, 9, concatBytes(fromHex("ff61eda080c3"), new Uint8Array([10, 27, 0x7f]))),
    ],
    "a record outside": ["(i32.const 1048570)", ""],
    "a record at -1": ["(i32.const -1)", ""],
    "a text past the memory": [err, record(1, 0xffff_ffff, "x")],
    "a text up to the end": ["(i32.const 1048568)", data(1_048_568, fromHex("0700000000000000"))],
    "a trap": ["unreachable", ""],
    "a fail": ["(call $fail (i32.const 1) (i32.const 0) (i32.const 0)) (i32.const 0)", ""],
    "a loop without end": ["(loop $l (br $l)) (i32.const 0)", ""],
    "a read": [
      `(drop (call $get (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 0) (i32.const 0))) ${err}`,
      record(7, 5, "money"),
    ],
    "a write": [
      `(drop (call $set (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 0) (i32.const 0))) ${err}`,
      record(7, 5, "money"),
    ],
  };
  for (const [what, [body, more]] of Object.entries(errors)) {
    addGuest(to, {
      label: `handler_run returns -80, handler_err: ${what}`,
      parts: { run: NO, err: body, more },
      cuts: 3,
    });
    addGuest(to, { label: `handler_check returns -80, handler_err: ${what}`, parts: { check: NO, err: body, more } });
  }
  for (const value of ["-1", "-80", "-2147483648", "1", "262144", "262145", "2147483647"]) {
    addGuest(to, { label: `handler_run returns ${value}`, parts: { run: `(i32.const ${value})` } });
    addGuest(to, { label: `handler_check returns ${value}`, parts: { check: `(i32.const ${value})` } });
  }
  for (const place of ["run", "check", "in", "out"] as const) {
    const body = "(call $fail (i32.const -7) (i32.const 1032) (i32.const 5)) (i32.const 65536)";
    addGuest(to, { label: `fails in handler_${place}`, parts: { [place]: body, more: record(0, 0, "money") } });
    addGuest(to, { label: `traps in handler_${place}`, parts: { [place]: "unreachable" } });
  }
  for (const body of [
    "unreachable",
    "(call $fail (i32.const 1) (i32.const 0) (i32.const 3))",
    "(call $abort (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 2))",
    "(loop $l (br $l))",
    "(drop (memory.grow (i32.const 2)))",
    "(call $log (i32.const 1) (i32.const 0) (i32.const 3))",
  ]) {
    addGuest(to, { label: `_initialize: ${body}`, parts: { more: `(func (export "_initialize") ${body})` }, cuts: 3 });
  }
}

function addVersions(to: Collection): void {
  const entry = (name: string | Uint8Array, version?: bigint) => {
    const bytes = typeof name === "string" ? new TextEncoder().encode(name) : name;
    const writer = new WireWriter().message(1, bytes);
    if (version !== undefined) writer.tag(2, 0).varint(version);
    return new WireWriter().message(1, writer.finish()).finish();
  };
  const many = (count: number) => encodeVersionMap(new Map(Array.from({ length: count }, (_, i) => [`m${i}`, 1n])));
  const maps: Readonly<Record<string, Uint8Array>> = {
    "what is declared": encodeVersionMap(
      new Map([
        ["auth", 2n],
        ["bank", 5n],
      ]),
    ),
    "another version": encodeVersionMap(
      new Map([
        ["auth", 3n],
        ["bank", 5n],
      ]),
    ),
    "a module less": encodeVersionMap(new Map([["auth", 2n]])),
    "a module more": encodeVersionMap(
      new Map([
        ["auth", 2n],
        ["bank", 5n],
        ["gov", 1n],
      ]),
    ),
    "not ascending": concatBytes(entry("bank", 5n), entry("auth", 2n)),
    "a module twice": concatBytes(entry("auth", 2n), entry("auth", 2n), entry("bank", 5n)),
    "an empty name": concatBytes(entry("", 1n), entry("auth", 2n), entry("bank", 5n)),
    "a name of 141 bytes": entry("n".repeat(141), 1n),
    "a control character": entry("a\u001b", 1n),
    "a name that is not UTF-8": entry(fromHex("ff"), 1n),
    "a version of 0 that is written": concatBytes(entry("auth", 2n), entry("bank", 0n)),
    "a version of 65 bits": concatBytes(fromHex("0a11"), fromHex("0a0461757468"), fromHex("10ffffffffffffffffff02")),
    "an unknown field": concatBytes(entry("auth", 2n), entry("bank", 5n), fromHex("1001")),
    "half of it": fromHex("0a05ff"),
    "1,025 modules": many(1_025),
  };
  const manifest = { stores: STORES, versions: { auth: { from: [1], to: 2 } } };
  for (const [what, bytes] of Object.entries(maps)) {
    const parts = { run: `(i32.const ${bytes.length})`, more: data(OUT, bytes) };
    addGuest(to, {
      label: `returns versions: ${what}`,
      parts,
      manifest,
      input: { versions: { auth: "1", bank: "5" } },
    });
  }
  const layouts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    none: {},
    "as declared": { auth: "1" },
    "another version": { auth: "2" },
    "with others": { auth: "1", zeta: "18446744073709551615", bank: "0" },
    "others alone": { bank: "1" },
  };
  for (const [what, versions] of Object.entries(layouts)) {
    addGuest(to, { label: `stored versions: ${what}`, parts: {}, manifest, input: { versions } });
    const both = { stores: STORES, versions: { auth: { from: [1, 2], to: 3 }, fresh: { to: 1 } }, removes: ["bank"] };
    addGuest(to, {
      label: `stored versions: ${what}, a new module, one removed`,
      parts: {},
      manifest: both,
      input: { versions },
    });
  }
  addGuest(to, {
    label: "a store that is absent",
    parts: {},
    manifest: { stores: [...STORES, { name: "absent", access: "r" }] },
  });
}

function addChecks(to: Collection): void {
  const check = (name: string | Uint8Array, ok: number, message: string | Uint8Array) => {
    const [n, m] = [name, message].map((text) => (typeof text === "string" ? new TextEncoder().encode(text) : text));
    return new WireWriter()
      .message(
        1,
        new WireWriter()
          .bytes(1, n as Uint8Array)
          .int(2, ok)
          .bytes(3, m as Uint8Array)
          .finish(),
      )
      .finish();
  };
  const many = (count: number) => concatBytes(...Array.from({ length: count }, (_, i) => check(`c${i}`, 1, "")));
  const results: Readonly<Record<string, Uint8Array>> = {
    none: new Uint8Array(0),
    "one that holds": check("supply", 1, "fine"),
    "one that holds, without a message": check("supply", 1, ""),
    "ok of 2": check("supply", 2, ""),
    "one that does not hold": check("supply", 0, "12 became 11"),
    "two of three do not hold": concatBytes(
      check("order", 1, ""),
      check("supply", 0, "12 became 11"),
      check("names", 0, ""),
    ),
    "a name twice": concatBytes(check("a", 1, ""), check("a", 1, "")),
    "an empty name": check("", 1, ""),
    "a name of 140 bytes": check("n".repeat(140), 1, ""),
    "a name of 141 bytes": check("n".repeat(141), 1, ""),
    "a control character in a name": check("a\u001b", 1, ""),
    "a name that is not UTF-8": check(fromHex("ff"), 1, ""),
    "a control character in a message": check("a", 1, "b\u001b[2J\nc\u202e"),
    "a message that is not UTF-8": check("a", 1, fromHex("61ff62eda080")),
    "a message of 3,000 bytes": check("a", 1, `a${"é".repeat(1_500)}`),
    "256 checks": many(256),
    "257 checks": many(257),
    "an unknown field": concatBytes(check("a", 1, ""), fromHex("1001")),
    "half of it": fromHex("0a05ff"),
    "a field twice": fromHex("0a060a01610a0162"),
  };
  for (const [what, bytes] of Object.entries(results)) {
    const parts = { check: `(i32.const ${bytes.length})`, more: data(OUT, bytes) };
    addGuest(to, { label: `checks: ${what}`, parts, cuts: 2 });
  }
}

function addFloods(to: Collection): void {
  const logs = (count: number, bytes: number) => `(local $i i32) (local.set $i (i32.const ${count}))
    (loop $l (call $log (i32.const 1) (i32.const 4096) (i32.const ${bytes}))
      (br_if $l (local.tee $i (i32.sub (local.get $i) (i32.const 1))))) (i32.const 0)`;
  for (const [count, bytes] of [
    [31, 3],
    [32, 3],
    [33, 3],
    [10_000, 0],
    [10_001, 0],
    [10_500, 9],
  ] as const) {
    const parts = { run: logs(count, bytes), more: data(4_096, "lines ") };
    addGuest(to, { label: `${count} log lines of ${bytes} bytes`, parts, gasLimit: "1000000000" });
  }
  addGuest(to, {
    label: "log lines for ever",
    parts: { run: `(loop $l (call $log (i32.const 1) (i32.const 4096) (i32.const 64)) (br $l)) (i32.const 0)` },
  });
}

/** The bytes of the UpgradeContext, as a value. */
function addContexts(to: Collection): void {
  const keep = `(drop (call $set (i32.const 0) (i32.const 16) (i32.const 1) (i32.const ${IN}) (local.get $len)))`;
  const inputs = {
    "all of it": {
      chain_id: "test-1",
      height: "9",
      time: { seconds: "5", nanos: 6 },
      plan: "0a027632",
      versions: { bank: "3", auth: "1", é: "7", z: "0" },
    },
    "nothing that is not zero": { chain_id: "", height: "0", time: { seconds: "0", nanos: 0 } },
    "before 1970": { time: { seconds: "-62135596800", nanos: 999_999_999 }, height: "-1" },
    "the greatest numbers": {
      height: "9223372036854775807",
      time: { seconds: "253402300799", nanos: 999_999_999 },
      versions: { a: "18446744073709551615" },
    },
  };
  for (const [what, input] of Object.entries(inputs)) {
    addGuest(to, {
      label: `the context, ${what}`,
      parts: { run: `${keep} (i32.const 0)`, more: data(16, "k") },
      input,
      cuts: 3,
    });
  }
}
