/** core.wasm over a kv that breaks its rules: a trap that says so, never a wrong answer and never a walk without end. */
import { describe, expect, test } from "vitest";
import { ERROR_KINDS } from "../../host/base/errors/errors.js";
import { concatBytes, fromHex } from "../../host/base/text/bytes.js";
import { entry } from "./applying.js";
import { describeCores, keyHex, storeOf, u64Hex } from "./cores.js";
import { PLAN } from "./outputs.js";
import { frame, type RawCore } from "./raw-core.js";

const TRAP = ERROR_KINDS.UPG_BUG_CORE_TRAP.number;
const BELOW = "the host's kv answered below -1; a failure must trap at assembly/core/kv.ts:";
const OUTSIDE = "the host's kv.seek answered with a pair outside of the range at assembly/core/records.ts:";

type Call = (core: RawCore) => unknown;
const GETS: readonly (readonly [name: string, call: Call])[] = [
  ["plan_get", (core) => core.call("plan_get", 0, 0)],
  ["pre_block", (core) => core.call("pre_block", 1n, 0)],
  ["plan_schedule", (core) => core.send("plan_schedule", 1n, PLAN)],
  ["apply", (core) => core.send("apply", 1n, PLAN, "", "")],
  ["done_height", (core) => core.send("done_height", "v1")],
  ["version_get", (core) => core.send("version_get", "bank", 0, 0)],
  ["protocol_version", (core) => core.call("protocol_version", 0, 0)],
  ["receipt_get", (core) => core.send("receipt_get", "v1", 0, 0)],
];
const SEEKS: readonly (readonly [name: string, prefix: string, call: Call])[] = [
  ["last_done", "01", (core) => core.call("last_done", 0, 0)],
  ["pre_block", "01", (core) => core.call("pre_block", 1n, 8)],
  ["version_map_get", "02", (core) => core.call("version_map_get", 0, 0)],
  ["version_map_set", "02", (core) => core.send("version_map_set", "")],
];

describeCores((_core, raw) => {
  const expectTrap = (core: RawCore, call: Call, message: string) => {
    expect(() => call(core)).toThrow(WebAssembly.RuntimeError);
    expect(core.error).toEqual({ code: TRAP, message: expect.stringContaining(message) });
    expect(core.calls).toMatchObject({ set: 0, delete: 0 });
  };

  test.each(GETS)("%s over a kv.get that returns below -1 → a trap", (_, call) => {
    for (const answer of [-2, -110, -(2 ** 31)]) expectTrap(raw.fresh({ get: () => answer }), call, BELOW);
  });

  test.each(SEEKS)("%s over a kv.seek that returns below -1 → a trap", (_, _prefix, call) => {
    for (const answer of [-2, -110, -(2 ** 31)]) expectTrap(raw.fresh({ seek: () => answer }), call, BELOW);
  });

  describe("kv.seek", () => {
    /** A core whose seek always answers these bytes, whatever it was asked. */
    const answering = (bytes: Uint8Array, size = bytes.length) => {
      const core: RawCore = raw.fresh({
        seek: (_start, _startLen, _end, _endLen, out = 0) => {
          core.bytes.set(bytes, out);
          return size;
        },
      });
      return core;
    };
    const pair = (key: string) => frame(fromHex(key), fromHex(u64Hex(1n)));

    test.each(SEEKS)("%s, which always answers the same pair → a trap at the second", (_, prefix, call) => {
      expectTrap(answering(pair(keyHex(prefix, "v1"))), call, OUTSIDE);
    });

    test.each(SEEKS)("%s with a key before its start or after its end → a trap", (_, prefix, call) => {
      const next = (Number.parseInt(prefix, 16) + 1).toString(16).padStart(2, "0");
      for (const key of ["", "00", "0061", next, `${next}61`, "ff"]) expectTrap(answering(pair(key)), call, OUTSIDE);
    });

    test.each(SEEKS)("%s with lengths that do not add up → a trap", (_, prefix, call) => {
      const whole = pair(keyHex(prefix, "v1"));
      const lengths = (key: number, value: number) => {
        const bytes = whole.slice();
        new DataView(bytes.buffer).setUint32(0, key, true);
        new DataView(bytes.buffer).setUint32(4, value, true);
        return bytes;
      };
      for (const bytes of [
        lengths(4, 8),
        lengths(2, 8),
        lengths(3, 9),
        lengths(2 ** 32 - 1, 12),
        lengths(3, 2 ** 32 - 8),
        lengths(2 ** 32 - 8, 19),
      ]) {
        expectTrap(answering(bytes), call, OUTSIDE);
      }
      for (const size of [0, 7, whole.length - 1, whole.length + 1]) expectTrap(answering(whole, size), call, OUTSIDE);
    });
  });

  test("a kv that throws → the error comes through, nothing was written", () => {
    const error = new Error("disk");
    const failing = () => {
      throw error;
    };
    for (const [, call] of GETS) expect(() => call(raw.fresh({ get: failing }))).toThrow(error);
    for (const [, , call] of SEEKS) expect(() => call(raw.fresh({ seek: failing }))).toThrow(error);
  });

  describe("core_err", () => {
    const long = (byte: number, length = 140) => new Uint8Array(length).fill(byte);
    const failures: readonly (readonly [what: string, call: Call, message: RegExp])[] = [
      ["a literal", (core) => core.send("plan_validate", ""), /^name cannot be empty: invalid request$/],
      [
        "numbers",
        (core) => core.send("key_done", long(0x61, 300), 0, 0),
        /^name expected at most 140 bytes, got 300: /,
      ],
      [
        "the longest name",
        (core) => {
          core.store = storeOf({ [`01${"c3a9".repeat(70)}`]: u64Hex(1n) });
          return core.send(
            "plan_schedule",
            1n,
            concatBytes(fromHex("0a8c01"), fromHex("c3a9".repeat(70)), fromHex("1801")),
          );
        },
        /^upgrade with name é{70} has already been completed: invalid request$/,
      ],
      [
        "the longest key",
        (core) => {
          core.store = storeOf({ [`01${"61".repeat(65_534)}`]: u64Hex(1n) });
          return core.call("last_done", 0, 0);
        },
        /^store "upgrade": key 01(61){140}\.\.\. has 65535 bytes, expected 2 to 141 with a name in UTF-8$/,
      ],
      [
        "names of two entries",
        (core) => core.send("version_map_set", concatBytes(entry(long(0x62), 1n), entry(long(0x61), 1n))),
        /^version map: names must ascend strictly, at a{140}$/,
      ],
    ];

    test.each(failures)("after a message with %s → code and UTF-8 text, as long as it says", (_, call, message) => {
      const core = raw.fresh();
      const code = -Number(call(core));
      expect(code).toBeGreaterThan(1);
      expect(core.error).toEqual({ code, message: expect.stringMatching(message) });
      expect(core.error.message.length).toBeLessThan(1_017);
    });

    test("stays where it is, keeps the last failure over successes and core_reset", () => {
      raw.reset();
      const at = raw.call("core_err");
      expect(raw.send("plan_validate", fromHex("ff"))).toBe(-16);
      const { error } = raw;
      raw.reset();
      expect(raw.send("plan_validate", PLAN)).toBe(0);
      expect([raw.call("core_err"), raw.error]).toEqual([at, error]);
    });
  });
});
