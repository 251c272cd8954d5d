/** Amounts of 128 bits, held to BigInt. */
import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { bytes, runScene, type WasmHandler } from "../../../host/upgrade/test-kit/index.js";
import { handlerOf } from "./author.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const LIMIT = 1n << 128n;
const OPS = ["add", "sub", "mul", "div", "compare", "parse"] as const;
type Op = (typeof OPS)[number];

/** 01 | op | a | b → 02 | op | a | b = answer, amount */
const SOURCE = `
plan("amounts", 1_000_000_000_000);
const sums = store("sums");
const a = new Amount();
const b = new Amount();
const text = new Bytes();
const key = new Writer();
const value = new Writer();
scan(sums, "01", calculate);
function calculate(question: Bytes, given: Bytes): void {
  const op = question.u8At(1);
  a.set(question.le64At(2), question.le64At(10));
  b.set(question.le64At(18), question.le64At(26));
  let answer: i64 = 0;
  if (op == 0) answer = <i64>a.tryAdd(b);
  else if (op == 1) answer = <i64>a.trySub(b);
  else if (op == 2) answer = <i64>a.tryMul(b.lo);
  else if (op == 3) answer = <i64>a.div(b.lo);
  else if (op == 4) answer = a.compare(b);
  else answer = <i64>a.tryParse(text.part(given, 0));
  value.clear().le64(<u64>answer).amount(a);
  sums.set(key.clear().u8(2).slice(question, 1), value);
}`;

const little = (value: bigint, length: number) =>
  Uint8Array.from({ length }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));

function expected(op: Op, a: bigint, b: bigint, text: string): { answer: bigint; amount: bigint } {
  const low = b % (1n << 64n);
  const within = (value: bigint) =>
    value >= 0n && value < LIMIT ? { answer: 1n, amount: value } : { answer: 0n, amount: a };
  switch (op) {
    case "add":
      return within(a + b);
    case "sub":
      return within(a - b);
    case "mul":
      return within(a * low);
    case "div":
      return { answer: a % low, amount: a / low };
    case "compare":
      return { answer: a < b ? -1n : a > b ? 1n : 0n, amount: a };
    case "parse":
      return /^[0-9]{1,39}$/.test(text) && BigInt(text) < LIMIT
        ? { answer: 1n, amount: BigInt(text) }
        : { answer: 0n, amount: a };
  }
}

const edges = [0n, 1n, 9n, 10n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n - 1n, 2n ** 64n - 1n, 2n ** 64n, LIMIT - 1n];
const number = fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: 0n, max: LIMIT - 1n }));
const digits = fc.oneof(
  fc.bigInt({ min: 0n, max: LIMIT + 1_000n }).map(String),
  fc.constantFrom("", "0", "00", "-1", "1a", "1 ", String(LIMIT - 1n), String(LIMIT), "9".repeat(39), "0".repeat(40)),
);
const question = fc.record({ op: fc.constantFrom(...OPS), a: number, b: number, text: digits });

/** The same without a look at the result: 01 | op | a | b → 02 | op | a | b = amount */
const UNREAD = SOURCE.replace(
  /let answer[\s\S]*?value\.clear\(\)\.le64\(<u64>answer\)/,
  `
  if (op == 0) a.add(b);
  else if (op == 1) a.sub(b);
  else if (op == 2) a.mul(b.lo);
  else a.parse(text.part(given, 0));
  value.clear()`,
);

const WORDS: Readonly<Partial<Record<Op, readonly [code: string, message: string]>>> = {
  add: ["-8", "Amount.add: more than 128 bits"],
  sub: ["-8", "Amount.sub: below 0"],
  mul: ["-8", "Amount.mul: more than 128 bits"],
  parse: ["-9", "Amount.parse: not a decimal number of at most 128 bits"],
};

describe("Amount", () => {
  let handler: WasmHandler;
  let unread: WasmHandler;
  beforeAll(async () => {
    handler = await handlerOf(SOURCE);
    unread = await handlerOf(UNREAD);
  });

  test("add, sub, mul, parse of any amounts, nobody looks at what they return → as BigInt has them, or the run fails and nothing is written", () => {
    fc.assert(
      fc.property(
        question.filter(({ op }) => op in WORDS),
        ({ op, a, b, text }) => {
          const body = bytes(OPS.indexOf(op) === 5 ? 3 : OPS.indexOf(op), little(a, 16), little(b, 16));
          const run = runScene(unread, { stores: { sums: [[bytes(1, body), text]] } });
          const due = expected(op, a, b, text);
          if (due.answer === 1n) {
            expect(run.error).toBeUndefined();
            expect(run.stores.store("sums").get(bytes(2, body))).toEqual(bytes(String(due.amount)));
            return;
          }
          const [code, message] = WORDS[op] ?? [];
          expect(run.error).toMatchObject({ code: "UPG_MIGRATION_FAILED", details: { code, message } });
          expect(run.diff).toEqual({});
        },
      ),
      { numRuns: 60 },
    );
  });

  test("tryAdd, trySub, tryMul, div, compare, tryParse and decimal text of any amounts → as BigInt has them", () => {
    fc.assert(
      fc.property(fc.array(question, { maxLength: 40 }), (asked) => {
        const questions = asked.filter(
          ({ op, b }) => op !== "div" || (b % 2n ** 64n > 0n && b % 2n ** 64n < 2n ** 63n),
        );
        const body = ({ op, a, b }: (typeof questions)[number]) => bytes(OPS.indexOf(op), little(a, 16), little(b, 16));
        const run = runScene(handler, {
          stores: { sums: questions.map((each) => [bytes(1, body(each)), each.text] as const) },
        });
        expect(run.error).toBeUndefined();
        // Questions that differ in their text alone share a key: the last one counts.
        const last = new Map(questions.map((each) => [body(each).join(), each]));
        for (const each of last.values()) {
          const { answer, amount } = expected(each.op, each.a, each.b, each.text);
          const due = bytes(little(BigInt.asUintN(64, answer), 8), String(amount));
          expect(run.stores.store("sums").get(bytes(2, body(each)))).toEqual(due);
        }
      }),
      { numRuns: 60 },
    );
  });
});
