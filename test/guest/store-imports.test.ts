/** What a guest gets from the stores: reads, writes and scans by its imports, and how they are counted. */
import { describe, expect, test } from "vitest";
import { concatBytes, fromHex, toHex } from "../../host/base/text/bytes.js";
import { data } from "./build.js";
import { pairFrame } from "./memory-stores.js";
import { pairsOf, runGuest } from "./running.js";

const set = (store: number, key: string, value: string) => `(drop (call $set (i32.const ${store}) ${key} ${value}))`;
/** `ptr len` of bytes that a data segment holds. */
const at = (ptr: number, len: number) => `(i32.const ${ptr}) (i32.const ${len})`;
/** Gives the host a number. */
const tell = (value: string) => `(call $progress (i64.extend_i32_s ${value}) (i64.const 0))`;

describe("store_get(), store_set(), store_delete(), store_write()", () => {
  const stores = {
    all: [
      ["61", "76616c7565"],
      ["62", ""],
    ],
    part: [["01aa", "01"]],
  } as const;
  const keys = `${data(16, "abc")} ${data(32, fromHex("01aa"))}`;
  const get = (key: string, out: string) => `(call $get (i32.const 0) ${key} ${out})`;

  test("store_get() returns the length, and writes only what fits", () => {
    const run = `${tell(get(at(16, 1), at(512, 4)))} ${tell("(i32.load (i32.const 512))")}
      ${tell(get(at(16, 1), at(512, 5)))} ${tell("(i32.load8_u (i32.const 516))")}
      ${tell(get(at(17, 1), at(512, 5)))} ${tell(get(at(18, 1), at(512, 5)))} (i32.const 0)`;
    expect(runGuest({ run, more: keys }, { stores }).steps).toEqual(["5/0", "0/0", "5/0", "101/0", "0/0", "-1/0"]);
  });

  test("store_set() and store_delete() are seen by store_get(), and counted", () => {
    const run = `${set(0, at(18, 1), at(16, 3))} ${tell(get(at(18, 1), at(0, 0)))}
      ${tell(`(call $delete (i32.const 0) ${at(18, 1)})`)} ${tell(get(at(18, 1), at(0, 0)))}
      (drop (call $delete (i32.const 0) ${at(18, 1)}))
      ${tell(`(call $set (i32.const 2) ${at(32, 2)} ${at(0, 0)})`)} (i32.const 0)`;
    const ran = runGuest({ run, more: keys }, { stores });
    expect(ran.steps).toEqual(["3/0", "0/0", "-1/0", "0/0"]);
    expect(ran.report.stores.get("all")).toEqual({ written: 1, deleted: 2, bytes: 1 + 3 + 1 + 1 });
    expect(ran.report.stores.get("part")).toEqual({ written: 1, deleted: 0, bytes: 2 });
    expect(pairsOf(ran.stores, "part")).toEqual([["01aa", ""]]);
    expect(pairsOf(ran.base, "part")).toEqual([["01aa", "01"]]);
  });

  test("store_write() applies frames in order, runs of one store together", () => {
    const head = (word: number) =>
      fromHex(
        [word, word >>> 8, word >>> 16, word >>> 24].map((byte) => (byte & 255).toString(16).padStart(2, "0")).join(""),
      );
    const put = (store: number, key: string, value: string) =>
      concatBytes(head((store << 24) | (key.length / 2)), head(value.length / 2), fromHex(key), fromHex(value));
    const del = (store: number, key: string) =>
      concatBytes(head((1 << 30) | (store << 24) | (key.length / 2)), fromHex(key));
    const ops = concatBytes(
      put(0, "61", "01"),
      del(0, "62"),
      put(0, "63", ""),
      put(2, "01", "0203"),
      put(3, "ffff", "04"),
      put(0, "61", "05"),
    );
    const ran = runGuest(
      { run: `${tell(`(call $write ${at(512, ops.length)})`)} (i32.const 0)`, more: data(512, ops) },
      { stores },
    );
    expect(ran.steps).toEqual(["0/0"]);
    expect(pairsOf(ran.stores, "all")).toEqual([
      ["61", "05"],
      ["63", ""],
    ]);
    expect(pairsOf(ran.stores, "part")).toEqual([
      ["01", "0203"],
      ["01aa", "01"],
    ]);
    expect(pairsOf(ran.stores, "top")).toEqual([["ffff", "04"]]);
    expect(ran.stores.store("all").frameWrites).toBe(2);
    expect(ran.report.stores.get("all")).toEqual({ written: 3, deleted: 1, bytes: 2 + 1 + 1 + 2 });
    expect(ran.report.stores.get("top")).toEqual({ written: 1, deleted: 0, bytes: 3 });
  });
});

describe("store_scan()", () => {
  const pairs = [
    ["61", "0a"],
    ["6162", "0b0c"],
    ["62", ""],
    ["63", "0d"],
  ] as const;
  const stores = {
    all: pairs,
    part: [
      ["01", "01"],
      ["02fe", "02"],
      ["02ff", "03"],
      ["02ff01", "04"],
    ],
    top: [
      ["fe", ""],
      ["ff", "05"],
      ["ffff", "06"],
    ],
  } as const;
  const keys = `${data(16, "abcd")} ${data(32, fromHex("010202ff0300"))} ${data(48, fromHex("ffff"))}`;
  const frames = (list: readonly (readonly [string, string])[]) =>
    concatBytes(...list.map(([key, value]) => pairFrame(fromHex(key), fromHex(value))));
  const scan = (store: number, start: string, end: string, cap = 4_096) =>
    `(call $scan (i32.const ${store}) ${start} ${end} ${at(4_096, cap)})`;

  /** What a scan answers, and the bytes at its out, up to what was untouched. */
  function scanned(call: string): { answer: string; bytes: Uint8Array } {
    const run = `${tell(call)} ${set(0, at(16, 4), at(4_096, 4_096))} (i32.const 0)`;
    const ran = runGuest({ run, more: keys }, { stores });
    const value = new Map(pairsOf(ran.stores, "all")).get("61626364") ?? "";
    return { answer: ran.steps[0] ?? "", bytes: fromHex(value.replace(/(00)+$/, "")) };
  }

  test.each<[what: string, call: string, expected: readonly (readonly [string, string])[]]>([
    ["everything", scan(0, at(0, 0), at(0, 0)), pairs],
    ["from a key on", scan(0, at(17, 1), at(0, 0)), pairs.slice(2)],
    ["a range", scan(0, at(16, 1), at(17, 1)), pairs.slice(0, 2)],
    ["a prefix", scan(2, at(32, 1), at(33, 1)), stores.part.slice(0, 1)],
    ["a prefix of two bytes", scan(2, at(34, 2), at(36, 1)), stores.part.slice(2)],
    ["part of a prefix", scan(2, at(34, 2), at(34, 3)), stores.part.slice(2)],
    ["the last prefix, open", scan(3, at(48, 1), at(0, 0)), stores.top.slice(1)],
  ])("store_scan() of %s gives whole frames", (_, call, expected) => {
    const { answer, bytes } = scanned(call);
    const due = frames(expected);
    expect(answer).toBe(`${due.length}/0`);
    expect(toHex(bytes)).toBe(toHex(due).replace(/(00)+$/, ""));
  });

  test("store_scan() gives as many frames as fit, the size of the first when none does, 0 at the end", () => {
    const [first, second] = [frames(pairs.slice(0, 1)), frames(pairs.slice(0, 2))];
    const one = scanned(scan(0, at(0, 0), at(0, 0), second.length - 1));
    expect(one).toEqual({ answer: `${first.length}/0`, bytes: first });
    expect(scanned(scan(0, at(0, 0), at(0, 0), first.length - 1))).toEqual({
      answer: `${first.length}/0`,
      bytes: new Uint8Array(0),
    });
    expect(scanned(scan(0, at(0, 0), at(0, 0), 0)).answer).toBe(`${first.length}/0`);
    expect(scanned(scan(0, at(19, 1), at(0, 0))).answer).toBe("0/0");
    expect(scanned(scan(0, at(18, 1), at(16, 1))).answer).toBe("0/0");
  });

  test("store_scan() sees the handler's own writes", () => {
    const run = `(drop (call $delete (i32.const 0) ${at(16, 1)})) ${set(0, at(18, 2), at(0, 1))}
      ${tell(scan(0, at(0, 0), at(0, 0)))} (i32.const 0)`;
    const due = frames([
      ["6162", "0b0c"],
      ["62", ""],
      ["63", "0d"],
      ["6364", "00"],
    ]);
    expect(runGuest({ run, more: keys }, { stores }).steps).toEqual([`${due.length}/0`]);
  });
});
