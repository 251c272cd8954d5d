import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromHex, toHex } from "../../../../../host/base/text/bytes.js";
import { compareTimes, formatTime, parseTime, ZERO_TIME } from "../../../../../host/base/time/time.js";
import { decodeTime, encodeTime } from "../../../../../host/chain/comet-types/wire-time.js";
import { time } from "./arbitraries.js";

const REFUSED = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
const SECONDS_MAX = 253_402_300_799n;

describe("parseTime()", () => {
  test("reads nanoseconds exactly, and fewer digits as what they mean", () => {
    expect(parseTime("2024-05-06T07:08:09.123456789Z")).toEqual({ seconds: 1_714_979_289n, nanos: 123_456_789 });
    expect(parseTime("2024-05-06T07:08:09.1Z")).toEqual({ seconds: 1_714_979_289n, nanos: 100_000_000 });
    expect(parseTime("2024-05-06T07:08:09.000000001Z")).toEqual({ seconds: 1_714_979_289n, nanos: 1 });
    expect(parseTime("1970-01-01T00:00:00Z")).toEqual({ seconds: 0n, nanos: 0 });
    expect(parseTime("1969-12-31T23:59:59.999999999Z")).toEqual({ seconds: -1n, nanos: 999_999_999 });
  });

  test("takes the first and the last moment, and nothing beyond", () => {
    expect(parseTime("0001-01-01T00:00:00Z")).toEqual(ZERO_TIME);
    expect(parseTime("9999-12-31T23:59:59.999999999Z")).toEqual({ seconds: SECONDS_MAX, nanos: 999_999_999 });
    expect(() => parseTime("0000-12-31T23:59:59Z")).toThrow(REFUSED);
    expect(() => parseTime("0001-01-01T00:59:59+01:00")).toThrow(REFUSED);
    expect(() => parseTime("9999-12-31T23:30:00-00:30")).toThrow(REFUSED);
    expect(parseTime("0000-12-31T23:00:00-01:00")).toEqual(ZERO_TIME);
  });

  test("turns offsets into UTC", () => {
    expect(formatTime(parseTime("2024-03-01T01:30:00+05:45"))).toBe("2024-02-29T19:45:00Z");
    expect(formatTime(parseTime("2023-12-31T22:00:00.5-03:30"))).toBe("2024-01-01T01:30:00.5Z");
    expect(formatTime(parseTime("2024-01-01T23:59:59+23:59"))).toBe("2024-01-01T00:00:59Z");
    expect(parseTime("2024-01-01T00:00:00-00:00")).toEqual(parseTime("2024-01-01T00:00:00Z"));
  });

  test("knows leap years", () => {
    for (const year of ["2000", "2024", "0004", "2400"]) expect(parseTime(`${year}-02-29T00:00:00Z`).nanos).toBe(0);
    for (const year of ["1900", "2023", "2100", "0001"]) {
      expect(() => parseTime(`${year}-02-29T00:00:00Z`), year).toThrow(REFUSED);
    }
  });

  test("knows the last day of every month", () => {
    for (const [at, days] of [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].entries()) {
      const month = String(at + 1).padStart(2, "0");
      expect(parseTime(`2023-${month}-${days}T00:00:00Z`).nanos).toBe(0);
      expect(() => parseTime(`2023-${month}-${days + 1}T00:00:00Z`), month).toThrow(REFUSED);
    }
  });

  test.each([
    ["", "nothing"],
    ["2024-05-06", "a date"],
    ["2024-05-06T07:08:09", "no zone"],
    ["2024-05-06 07:08:09Z", "a blank for T"],
    ["2024-05-06t07:08:09Z", "a small t"],
    ["2024-05-06T07:08:09z", "a small z"],
    ["2024-05-06T07:08Z", "no seconds"],
    ["2024-05-06T07:08:09.Z", "a point without digits"],
    ["2024-05-06T07:08:09,5Z", "a comma"],
    ["2024-05-06T07:08:09.1234567890Z", "ten digits of a second"],
    ["2024-5-06T07:08:09Z", "a month of one digit"],
    ["02024-05-06T07:08:09Z", "a year of five digits"],
    ["+2024-05-06T07:08:09Z", "a sign"],
    ["2024-05-06T07:08:09Z\n", "a line end"],
    ["2024-05-06T07:08:09+0100", "an offset without colon"],
    ["٢٠٢٤-05-06T07:08:09Z", "other digits"],
    ["2024-00-06T07:08:09Z", "month 0"],
    ["2024-13-06T07:08:09Z", "month 13"],
    ["2024-05-00T07:08:09Z", "day 0"],
    ["2024-04-31T07:08:09Z", "day 31 of April"],
    ["2024-05-06T24:00:00Z", "hour 24"],
    ["2024-05-06T07:60:09Z", "minute 60"],
    ["2024-12-31T23:59:60Z", "a leap second"],
    ["2024-05-06T07:08:09+24:00", "offset hour 24"],
    ["2024-05-06T07:08:09+01:60", "offset minute 60"],
  ])("with %j (%s) → UPG_INVALID_ARGUMENT", (text) => {
    expect(() => parseTime(text)).toThrow(REFUSED);
  });
});

describe("formatTime()", () => {
  test("is undone by parseTime()", () => {
    fc.assert(
      fc.property(time, (moment) => {
        expect(parseTime(formatTime(moment))).toEqual(moment);
      }),
      { numRuns: 1_000 },
    );
  });

  test("prints the days around the calendar's seams", () => {
    for (const year of ["0004", "0400", "1600", "1900", "2000", "2024", "2100", "9996"]) {
      for (const day of ["01-01", "02-28", "03-01", "12-31"]) {
        expect(formatTime(parseTime(`${year}-${day}T00:00:00Z`))).toBe(`${year}-${day}T00:00:00Z`);
      }
    }
    for (const day of ["0400-02-29", "2000-02-29", "2024-02-29"]) {
      expect(formatTime(parseTime(`${day}T23:59:59Z`))).toBe(`${day}T23:59:59Z`);
    }
  });

  test("agrees with the platform's calendar wherever that is exact", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -62_135_596_800n, max: SECONDS_MAX }), (seconds) => {
        const platform = new Date(Number(seconds) * 1_000).toISOString().replace(".000Z", "Z");
        expect(formatTime({ seconds, nanos: 0 })).toBe(platform);
      }),
      { numRuns: 2_000 },
    );
  });

  test("with a time outside years 1 to 9999 → UPG_INVALID_ARGUMENT", () => {
    for (const seconds of [ZERO_TIME.seconds - 1n, SECONDS_MAX + 1n]) {
      expect(() => formatTime({ seconds, nanos: 0 })).toThrow(REFUSED);
      expect(() => encodeTime({ seconds, nanos: 0 })).toThrow(REFUSED);
    }
  });

  test.each([-1, 1_000_000_000, 0.5, Number.NaN])("with %d nanoseconds → UPG_INVALID_ARGUMENT", (nanos) => {
    expect(() => formatTime({ seconds: 0n, nanos })).toThrow(REFUSED);
  });
});

describe("decodeTime()", () => {
  test("undoes encodeTime()", () => {
    fc.assert(
      fc.property(time, (moment) => {
        expect(decodeTime(encodeTime(moment))).toEqual(moment);
      }),
    );
  });

  test("reads 1970 from nothing, and year 1 from its eleven bytes", () => {
    expect(decodeTime(new Uint8Array(0))).toEqual({ seconds: 0n, nanos: 0 });
    expect(toHex(encodeTime(ZERO_TIME))).toBe("088092b8c398feffffff01");
    expect(decodeTime(fromHex("088092b8c398feffffff01"))).toEqual(ZERO_TIME);
  });

  test.each([
    ["08ff91b8c398feffffff01", "a second before year 1"],
    ["088092b8c3ee07", "year 10000"],
    ["108094ebdc03", "1,000,000,000 nanoseconds"],
    ["10ffffffffffffffffff01", "minus one nanosecond"],
    ["1080808080108000", "nanoseconds that are no int32"],
    ["08010801", "seconds twice"],
    ["0d01000000", "a fixed32"],
    ["0a0101", "bytes for seconds"],
    ["1801", "an unknown field"],
    ["08", "a truncated field"],
  ])("with %s (%s) → UPG_INVALID_ARGUMENT", (hex) => {
    expect(() => decodeTime(fromHex(hex))).toThrow(REFUSED);
  });
});

describe("compareTimes()", () => {
  test("orders by seconds, then nanoseconds", () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        const nanos = ({ seconds, nanos: rest }: typeof a): bigint => seconds * 1_000_000_000n + BigInt(rest);
        const order = nanos(a) < nanos(b) ? -1 : nanos(a) > nanos(b) ? 1 : 0;
        expect(Math.sign(compareTimes(a, b))).toBe(order);
        expect(compareTimes(a, { ...a })).toBe(0);
      }),
    );
  });
});
