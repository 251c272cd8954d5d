/** haltText(), upgradeInfo(), cancellableHeight(): what operators, sidecars and proposers read. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromHex } from "../../host/base/text/bytes.js";
import { INT64_MAX, UINT64_MAX } from "../../host/base/types/limits.js";
import { codeOf, describeCores, refusal } from "./cores.js";
import { canonicalPlan, TIME_ZERO, wirePlan } from "./plan-wire.js";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

describeCores((core, raw) => {
  describe("haltText()", () => {
    const plan = canonicalPlan("v2", 1_234n, '{"binaries":{}}');

    test("word for word", () => {
      expect(core.haltText("HaltUpgradeNeeded", 1_240n, 7n, plan)).toBe(
        'UPGRADE "v2" NEEDED at height: 1234: {"binaries":{}}',
      );
      expect(core.haltText("HaltBinaryTooEarly", 1_000n, 7n, plan)).toBe(
        'BINARY UPDATED BEFORE TRIGGER! UPGRADE "v2" - in binary but not executed on chain. Downgrade your binary',
      );
      expect(core.haltText("Skip", 1_234n, 7n, plan)).toBe('UPGRADE "v2" SKIPPED at 1234: {"binaries":{}}');
      expect(core.haltText("HaltHandlerMissing", 1_234n, 7n, "v2")).toBe(
        "wrong app version 7, upgrade handler is missing for v2 upgrade plan",
      );
    });

    test("without an info → the colon and the blank stay, as in the Cosmos SDK", () => {
      const bare = canonicalPlan("test", 11n);
      expect(core.haltText("HaltUpgradeNeeded", 11n, 0n, bare)).toBe('UPGRADE "test" NEEDED at height: 11: ');
      expect(core.haltText("Skip", 11n, 0n, bare)).toBe('UPGRADE "test" SKIPPED at 11: ');
    });

    test("texts are kept as they are: quotes, line feeds in the info, the longest ones, the greatest height", () => {
      const name = `"${"é".repeat(69)}`;
      const info = `\n"\\<&>${"🚀".repeat(16_382)}`;
      const text = core.haltText("HaltUpgradeNeeded", 1n, 0n, canonicalPlan(name, INT64_MAX, info));
      expect(text).toBe(`UPGRADE "${name}" NEEDED at height: 9223372036854775807: ${info}`);
    });

    test.each([0n, 9n, 10n, 99n, 100n, 10n ** 18n, 10n ** 19n, INT64_MAX, INT64_MAX + 1n, UINT64_MAX])(
      "app version %s → its decimal digits",
      (version) => {
        const text = core.haltText("HaltHandlerMissing", 1n, version, "é");
        expect(text).toBe(`wrong app version ${version}, upgrade handler is missing for é upgrade plan`);
      },
    );

    test.each(["Idle", "Pending", "Apply"] as const)("of %s → UPG_INVALID_ARGUMENT: it has no message", (decision) => {
      const message = "halt_text: this decision has no sentence";
      for (const subject of [plan, fromHex("ff"), "v2"]) {
        expect(() => core.haltText(decision, 1n, 0n, subject)).toThrow(refusal("UPG_INVALID_ARGUMENT", message));
      }
    });

    test.each([-1, 7, 2 ** 31 - 1])("of the decision %i, which is none → UPG_INVALID_ARGUMENT", (decision) => {
      raw.reset();
      expect(raw.send("halt_text", decision, 1n, 0n, plan, 0, 0)).toBe(-19);
    });

    test("of a plan that is malformed or not valid → what is wrong with it", () => {
      const cases = [
        [fromHex("ff"), "UPG_INVALID_PLAN_BYTES"],
        [canonicalPlan("", 5n), "UPG_INVALID_PLAN_NAME"],
        [wirePlan({ name: "v2", height: 5n, info: fromHex("ff") }), "UPG_INVALID_PLAN_INFO"],
        [canonicalPlan("v2", 0n), "UPG_INVALID_PLAN_HEIGHT"],
      ] as const;
      for (const [bytes, code] of cases) {
        expect(() => core.haltText("HaltUpgradeNeeded", 5n, 0n, bytes)).toThrow(refusal(code));
      }
    });

    test.each(["", "n".repeat(141), "\ud800", "a\u0000"])(
      "of the last upgrade %j, which is no name → refused",
      (name) => {
        expect(() => core.haltText("HaltHandlerMissing", 5n, 0n, name)).toThrow(refusal("UPG_INVALID_PLAN_NAME"));
      },
    );

    test("at a height past 64 bits → UPG_INVALID_HEIGHT", () => {
      expect(() => core.haltText("Skip", INT64_MAX + 1n, 0n, plan)).toThrow(refusal("UPG_INVALID_HEIGHT"));
    });
  });

  describe("upgradeInfo()", () => {
    const fileOf = (name: string, info: string, height = 11n) =>
      decoder.decode(core.upgradeInfo(height, canonicalPlan(name, 11n, info)));
    const head = (name: string) => `{"name":${name},"time":"0001-01-01T00:00:00Z","height":11`;

    test.each([
      ["nothing", "", ""],
      ["a text", "some text here", ',"info":"some text here"'],
      ["JSON", '{"binaries":{"linux/amd64":"u"}}', String.raw`,"info":"{\"binaries\":{\"linux/amd64\":\"u\"}}"`],
      ["backslashes", "\\ \\\\n", String.raw`,"info":"\\ \\\\n"`],
      ["the short escapes", "\b\t\n\f\r", String.raw`,"info":"\b\t\n\f\r"`],
      ["other control characters", "\u0000\u0001\u000b\u001f", String.raw`,"info":"\u0000\u0001\u000b\u001f"`],
      ["control characters above", "\u007f\u0080\u009f", ',"info":"\u007f\u0080\u009f"'],
      ["HTML", "<a href='x'>&amp;</a>", String.raw`,"info":"\u003ca href='x'\u003e\u0026amp;\u003c/a\u003e"`],
      ["line separators", "\u2027\u2028\u2029\u202a", ',"info":"\u2027\\u2028\\u2029\u202a"'],
      ["neighbours in bytes", "\u2068\u30a8\u20a8", ',"info":"\u2068\u30a8\u20a8"'],
      ["emoji", "🚀👩‍🚀", ',"info":"🚀👩‍🚀"'],
      ["a byte order mark", "\ufeffx\ufffd", ',"info":"\ufeffx\ufffd"'],
    ])("of an info with %s → the bytes that the Cosmos SDK writes", (_, info, expected) => {
      expect(fileOf("v2", info)).toBe(`${head('"v2"')}${expected}}`);
    });

    test("escapes in the name", () => {
      expect(fileOf('<"v\\2"> & \u2028', "")).toBe(`${head(String.raw`"\u003c\"v\\2\"\u003e \u0026 \u2028"`)}}`);
    });

    test("the height is the block's, a number, at most 2^63 - 1", () => {
      expect(fileOf("v2", "", 1n)).toContain('"height":1}');
      expect(fileOf("v2", "", INT64_MAX)).toContain('"height":9223372036854775807}');
    });

    test("of any texts → JSON that reads back the same, without < > & and line separators", () => {
      const text = fc.string({
        unit: fc.oneof(
          fc.constantFrom(...'"\\/<>&\u2028\u2029\u0000\u001f\u007f\n'),
          fc.string({ unit: "binary", maxLength: 1 }),
        ),
      });
      fc.assert(
        fc.property(text, (info) => {
          const file = fileOf("v2", info);
          expect(JSON.parse(file)).toEqual({
            name: "v2",
            time: "0001-01-01T00:00:00Z",
            height: 11,
            ...(info !== "" && { info }),
          });
          expect(file).not.toMatch(/[<>&\u2028\u2029\u0000-\u001f]/);
        }),
        { numRuns: 500 },
      );
    });

    test("of 65,536 control characters → six bytes each", () => {
      const file = core.upgradeInfo(11n, canonicalPlan("v2", 11n, "\u0001".repeat(65_536)));
      expect(file.length).toBe(head('"v2"').length + ',"info":""}'.length + 6 * 65_536);
      expect(JSON.parse(decoder.decode(file)).info).toBe("\u0001".repeat(65_536));
    });

    test("of a plan that is not valid → what is wrong with it; at no height → UPG_INVALID_HEIGHT", () => {
      const invalid = wirePlan({ name: "v2", height: 11n, time: { ...TIME_ZERO, nanos: 1 } });
      expect(() => core.upgradeInfo(11n, invalid)).toThrow(refusal("UPG_INVALID_PLAN_DEPRECATED"));
      expect(() => core.upgradeInfo(0n, invalid)).toThrow(refusal("UPG_INVALID_PLAN_DEPRECATED"));
      for (const height of [0n, -1n, INT64_MAX + 1n]) {
        expect(() => core.upgradeInfo(height, canonicalPlan("v2", 11n))).toThrow(refusal("UPG_INVALID_HEIGHT"));
      }
    });
  });

  describe("cancellableHeight()", () => {
    const expected = (start: bigint, voting: bigint, deposit: bigint, safety: bigint, block: bigint) =>
      start + (2n * (voting + deposit) + safety + block - 1n) / block;

    test("of two days each and a day, at six seconds a block", () => {
      const day = 86_400_000_000_000n;
      expect(core.cancellableHeight(1_000n, 2n * day, 2n * day, day, 6_000_000_000n)).toBe(130_600n);
    });

    test.each([
      ["no time at all", [7n, 0n, 0n, 0n, 1n], 7n],
      ["one nanosecond, rounded up", [7n, 0n, 0n, 1n, INT64_MAX], 8n],
      ["a whole number of blocks", [0n, 3n, 2n, 0n, 5n], 2n],
      ["one nanosecond more", [0n, 3n, 2n, 1n, 5n], 3n],
      ["a sum past 64 bits", [0n, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX], 5n],
      ["the greatest answer", [INT64_MAX - 5n, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX], INT64_MAX],
      ["the greatest start", [INT64_MAX, 0n, 0n, 0n, 1n], INT64_MAX],
    ] as const)("of %s", (_, [start, voting, deposit, safety, block], height) => {
      expect(expected(start, voting, deposit, safety, block)).toBe(height);
      expect(core.cancellableHeight(start, voting, deposit, safety, block)).toBe(height);
    });

    test("of anything → what BigInt says, or UPG_INVALID_HEIGHT where that is past 64 bits", () => {
      const edge = fc.constantFrom(0n, 1n, 2n, 2n ** 31n, 2n ** 32n, 2n ** 62n, INT64_MAX - 1n, INT64_MAX);
      const number = fc.oneof(edge, fc.bigInt(0n, INT64_MAX), fc.bigInt(0n, 10n ** 15n));
      fc.assert(
        fc.property(
          number,
          number,
          number,
          number,
          number.map((n) => n || 1n),
          (...numbers) => {
            const height = expected(...numbers);
            if (height <= INT64_MAX) expect(core.cancellableHeight(...numbers)).toBe(height);
            else expect(codeOf(() => core.cancellableHeight(...numbers))).toBe("UPG_INVALID_HEIGHT");
          },
        ),
        { numRuns: 3_000 },
      );
    });

    test("past 64 bits → UPG_INVALID_HEIGHT, and the next call is as good as any", () => {
      const message = "the height does not fit in 64 bits";
      for (let i = 0; i < 2_000; i++) {
        const work = () => core.cancellableHeight(INT64_MAX, 0n, 0n, 1n, 1n);
        expect(work).toThrow(refusal("UPG_INVALID_HEIGHT", message));
      }
      expect(core.cancellableHeight(1n, 1n, 1n, 1n, 1n)).toBe(6n);
    });

    test.each([0, 1, 2, 3, 4])("with argument %i negative → UPG_INVALID_ARGUMENT", (index) => {
      const message = "start and durations must not be negative, the block time must be positive";
      for (const value of index === 4 ? [0n, -1n, -INT64_MAX - 1n] : [-1n, -INT64_MAX - 1n]) {
        const [start, voting, deposit, safety, block] = [1n, 1n, 1n, 1n, 1n].with(index, value) as [
          bigint,
          bigint,
          bigint,
          bigint,
          bigint,
        ];
        const work = () => core.cancellableHeight(start, voting, deposit, safety, block);
        expect(work).toThrow(refusal("UPG_INVALID_ARGUMENT", message));
      }
    });

    test("with numbers past 64 bits → UPG_INVALID_HEIGHT for the start, UPG_INVALID_ARGUMENT for a duration", () => {
      const past = INT64_MAX + 1n;
      expect(() => core.cancellableHeight(past, 1n, 1n, 1n, 1n)).toThrow(refusal("UPG_INVALID_HEIGHT"));
      expect(() => core.cancellableHeight(1n, past, 1n, 1n, 1n)).toThrow(refusal("UPG_INVALID_ARGUMENT"));
      expect(() => core.cancellableHeight(1n, 1n, 1n, 1n, past)).toThrow(refusal("UPG_INVALID_ARGUMENT"));
    });
  });
});
