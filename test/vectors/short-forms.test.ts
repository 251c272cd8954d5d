import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fromHex, toHex, utf8 } from "../../host/base/text/bytes.js";
import { expectBytes, expectEqual, expectText, loadVectors, type VectorCase } from "./harness.js";
import { SOURCE_RUNNERS } from "./runners.js";
import { hexBytes, isShortForm, isText, readAs, strictTextOf, textBytes, textOf } from "./short-forms.js";

const digestOf = (text: string) => ({
  len: utf8(text).length,
  sha256: createHash("sha256").update(text, "utf8").digest("hex"),
});

test("textBytes(), textOf() and hexBytes() read plain texts and each form that can be written out", () => {
  expect(textOf("a")).toBe("a");
  expect(textOf({ repeat: "ab", times: 3 })).toBe("ababab");
  expect(textOf({ hex: "61ff62" })).toBe("a\ufffdb");
  expect(textBytes({ hex: "61ff62" })).toEqual(Uint8Array.of(0x61, 0xff, 0x62));
  expect(strictTextOf({ hex: "61ff62" })).toBeUndefined();
  expect(strictTextOf({ hex: "efbbbf61" })).toBe("\ufeffa");
  expect(hexBytes("00ff")).toEqual(hexBytes({ hex: "00ff" }));
  expect(hexBytes({ repeat: "00ff", times: 2 })).toEqual(fromHex("00ff00ff"));
  expect(() => textOf({ len: 1, sha256: "00" })).toThrow("known by its SHA-256 alone");
});

test("isShortForm() takes the three forms and nothing else", () => {
  for (const form of [{ hex: "" }, { repeat: "", times: 0 }, { len: 0, sha256: "" }]) {
    expect(isShortForm(form)).toBe(true);
  }
  for (const other of ["", null, [], {}, { hex: "", more: 1 }, { repeat: "" }, { len: 0 }, new Map()]) {
    expect(isShortForm(other)).toBe(false);
  }
});

test("isText() holds for every form of a text, and for none of another's", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (text, other) => {
      const forms = (of: string) => [of, { hex: toHex(utf8(of)) }, { repeat: of, times: 1 }, digestOf(of)];
      for (const form of forms(text)) {
        expect(isText(text, form)).toBe(true);
        expect(readAs({ a: [form] }, { a: [text] })).toEqual({ a: [text] });
        expect(() => expectText(text, form, "text")).not.toThrow();
        expect(() => expectEqual({ a: [text, 1n] }, { a: [form, "1"] }, "nested")).not.toThrow();
      }
      if (text === other) return;
      for (const form of forms(other)) {
        expect(isText(text, form)).toBe(false);
        expect(() => expectText(text, form, "text")).toThrow();
        expect(() => expectEqual({ a: [text] }, { a: [form] }, "nested")).toThrow();
      }
    }),
  );
});

test("isText() with bytes that are not UTF-8: a run counts as one U+FFFD, the bytes around it as they are", () => {
  expect(isText("a\ufffdb", { hex: "61f0908062" })).toBe(true);
  expect(isText("a\ufffd\ufffd\ufffdb", { hex: "61f0908062" })).toBe(true);
  expect(isText("ab", { hex: "61ff62" })).toBe(false);
  expect(isText("a\ufffdc", { hex: "61ff62" })).toBe(false);
});

test("expectBytes() with a digest, a repetition and hex, each right and wrong", () => {
  const bytes = Uint8Array.of(1, 1);
  const digest = { len: 2, sha256: createHash("sha256").update(bytes).digest("hex") };
  for (const right of ["0101", { repeat: "01", times: 2 }, { hex: "0101" }, digest]) {
    expect(() => expectBytes(bytes, right, "bytes")).not.toThrow();
  }
  for (const wrong of ["0102", { repeat: "01", times: 3 }, { hex: "01" }, { ...digest, len: 3 }]) {
    expect(() => expectBytes(bytes, wrong, "bytes")).toThrow("bytes: expected");
  }
});

/** By file: names of fields that hold texts which are given, and of those that hold texts which are compared. */
const TEXTS: Readonly<Record<string, { readonly given: string; readonly compared: string }>> = {
  plan: {
    given: "name info type_url",
    compared:
      "validate string due_at proto_json proto_json_error go_json cli_json cli_json_error cli_yaml cli_yaml_error",
  },
  histories: { given: "name info authority", compared: "text info_file current_plan authority" },
  iavl: { given: "", compared: "" },
  multistore: { given: "path", compared: "" },
  comet: { given: "chain_id codespace info log", compared: "" },
  "plan-info": { given: "info", compared: "" },
  tx: { given: "mnemonic text chain_id", compared: "memo log error" },
  "gov-tally": { given: "title summary metadata", compared: "text" },
  "event-query": { given: "", compared: "" },
};

/** Every text of these fields in another form; a text in a list or an object of texts stays. */
function rewritten(value: unknown, names: ReadonlySet<string>, form: (text: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => rewritten(part, names, form));
  if (typeof value !== "object" || value === null || isShortForm(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => {
    const isChanged = typeof part === "string" && names.has(name);
    return [name, isChanged ? form(part) : rewritten(part, names, form)];
  });
  return Object.fromEntries(entries);
}

const hexForm = (text: string) => ({ hex: toHex(utf8(text)) });
const repeatForm = (text: string) => ({ repeat: text, times: 1 });
const CASES_TRIED = 12;

/** Some cases of each kind, from the end, where the larger ones are. */
function someCases(file: string): VectorCase[] {
  const kinds = new Map<string, VectorCase[]>();
  for (const vector of loadVectors(file)) {
    const kind = String(vector["kind"]);
    kinds.set(kind, [...(kinds.get(kind) ?? []), vector]);
  }
  return [...kinds.values()].flatMap((cases) => cases.slice(-CASES_TRIED));
}

for (const [file, runner] of Object.entries(SOURCE_RUNNERS)) {
  test(`runVectors() of ${file} with its texts in short forms → the same answers`, () => {
    const { given, compared } = TEXTS[file] ?? { given: "", compared: "" };
    const fields = (names: string) => new Set(names.split(" ").filter((name) => name !== ""));
    const all = fields(`${given} ${compared}`);
    for (const vector of someCases(file)) {
      const tags = [...runner(vector)];
      for (const form of [hexForm, repeatForm])
        expect([...runner(rewritten(vector, all, form) as VectorCase)]).toEqual(tags);
    }
  });
}

test("runPlan() with texts of the source that are not UTF-8 → compared, whatever the form", () => {
  const runPlan = SOURCE_RUNNERS["plan"] as (typeof SOURCE_RUNNERS)[string];
  const vector = loadVectors("plan").findLast(
    ({ kind, plan }) => kind === "decode" && plan?.upgraded_client_state?.type_url.length > 2,
  ) as VectorCase;
  const typeUrl: string = vector["plan"].upgraded_client_state.type_url;
  const wrong = toHex(Uint8Array.of(0xff, ...utf8(typeUrl).subarray(1)));
  const changed = JSON.parse(JSON.stringify(vector).replaceAll(toHex(utf8(typeUrl)), wrong)) as VectorCase;
  changed["plan"].upgraded_client_state.type_url = { hex: wrong };
  changed["strict_error"] = { hex: `${toHex(utf8("unable to resolve type URL "))}${wrong}` };
  expect(() => runPlan(changed)).not.toThrow();
  expect(() => runPlan({ ...changed, strict_error: { hex: "ff" } })).toThrow("strict decoder");
});

test("runTxVectors() with a log that is not UTF-8 → compared with ours, which has U+FFFD there", () => {
  const runTx = SOURCE_RUNNERS["tx"] as (typeof SOURCE_RUNNERS)[string];
  const vector = loadVectors("tx").find(({ label }) => label === "control: nothing wrong") as VectorCase;
  const flipped = (text: string) => text.replaceAll(toHex(utf8("/cosmos.bank")), `2f63ef${toHex(utf8("smos.bank"))}`);
  const log = (words: string) => ({
    accepted: false,
    code: 2,
    codespace: "sdk",
    log: { hex: flipped(toHex(utf8(words))) },
  });
  const changed = { ...vector, tx_raw: flipped(vector["tx_raw"]) };
  const said = "unable to resolve type URL /cosmos.bank.v1beta1.MsgSend: tx parse error: tx parse error";
  expect(() => runTx({ ...changed, verdict: log(said) })).not.toThrow();
  expect(() => runTx({ ...changed, verdict: log(`${said}!`) })).toThrow("verdict");
  expect(() => runTx({ ...changed, verdict: { ...log(said), log: digestOf(said) } })).toThrow("verdict");
});
