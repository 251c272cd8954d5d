/**
 * Times of blocks: RFC 3339 texts with nanoseconds, years 1 to 9999, exact. `Date`
 * knows only milliseconds and is not used. The calendar is the proleptic Gregorian one, without leap seconds.
 */
import { UpgradeError } from "../errors/errors.js";
import type { Timestamp } from "../types/types.js";

/** Year 1, the zero of Go's `time.Time`; what a message without its time field holds. */
export const ZERO_TIME: Timestamp = Object.freeze({ seconds: -62_135_596_800n, nanos: 0 });
/** 9999-12-31T23:59:59Z */
const SECONDS_MAX = 253_402_300_799n;
const NANOS_MAX = 999_999_999;
const DAY_SECONDS = 86_400;
/** Days from 0000-03-01, where the arithmetic below begins its years, to 1970-01-01. */
const EPOCH_DAYS = 719_468;
/** Days of 400 years, after which the calendar repeats. */
const ERA_DAYS = 146_097;

const invalid = (what: string) => new UpgradeError("UPG_INVALID_ARGUMENT", what);

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/**
 * `2024-05-06T07:08:09.123456789Z`: capital T and Z, up to nine digits of a second, `Z` or an offset `±hh:mm`.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT when the text is not of that form, no such moment exists, or it lies
 * outside the years 1 to 9999 (UTC).
 */
export function parseTime(text: string): Timestamp {
  const match = RFC_3339.exec(text);
  if (!match) throw invalid(`not a time of RFC 3339: "${text.slice(0, 60)}"`);
  const part = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!exists || hour > 23 || minute > 59 || second > 59 || part(9) > 23 || part(10) > 59) {
    throw invalid(`there is no such time: "${text}"`);
  }
  const offset = (match[8] === "-" ? -1 : 1) * (part(9) * 3_600 + part(10) * 60);
  const seconds = daysFromCivil(year, month, day) * DAY_SECONDS + hour * 3_600 + minute * 60 + second - offset;
  return checkTime({ seconds: BigInt(seconds), nanos: Number((match[7] ?? "").padEnd(9, "0")) });
}

/**
 * The text in UTC, with as many digits of a second as are needed.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT when the time is outside years 1 to 9999.
 */
export function formatTime(time: Timestamp): string {
  const { seconds, nanos } = checkTime(time);
  const days = Math.floor(Number(seconds) / DAY_SECONDS);
  const rest = Number(seconds) - days * DAY_SECONDS;
  const [year, month, day] = civilFromDays(days);
  const two = (value: number): string => String(value).padStart(2, "0");
  const clock = `${two(Math.floor(rest / 3_600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
  const fraction = nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${clock}${fraction}Z`;
}

/** Below zero when `a` is earlier, 0 when equal. */
export function compareTimes(a: Timestamp, b: Timestamp): number {
  return a.seconds === b.seconds ? a.nanos - b.nanos : a.seconds < b.seconds ? -1 : 1;
}

/** That much later. @throws UpgradeError UPG_INVALID_ARGUMENT after the year 9999 */
export function addTime(time: Timestamp, period: Timestamp): Timestamp {
  const nanos = time.nanos + period.nanos;
  const carry = Math.floor(nanos / (NANOS_MAX + 1));
  return checkTime({
    seconds: time.seconds + period.seconds + BigInt(carry),
    nanos: nanos - carry * (NANOS_MAX + 1),
  });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT when the time is out of range */
export function checkTime(time: Timestamp): Timestamp {
  const { seconds, nanos } = time ?? {};
  if (typeof seconds !== "bigint") throw invalid(`a time has its seconds as a bigint, got ${typeof seconds}`);
  if (seconds < ZERO_TIME.seconds || seconds > SECONDS_MAX) {
    throw invalid(`a time lies outside years 1 to 9999: ${seconds} seconds since 1970`);
  }
  if (!Number.isInteger(nanos) || nanos < 0 || nanos > NANOS_MAX) throw invalid(`nanoseconds out of range: ${nanos}`);
  return time;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * Days since 1970-01-01. Years are counted from March, so that the leap day is a year's last: the months from March
 * on then begin on day floor((153 m + 2) / 5).
 */
function daysFromCivil(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const marchMonth = (month + 9) % 12;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((153 * marchMonth + 2) / 5) + day - 1 - EPOCH_DAYS;
}

function civilFromDays(days: number): [year: number, month: number, day: number] {
  const since = days + EPOCH_DAYS;
  const era = Math.floor(since / ERA_DAYS);
  const dayOfEra = since - era * ERA_DAYS;
  const leaps = Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  return [era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day];
}

const SECOND_NANOS = 1_000_000_000n;

const UNITS: readonly (readonly [name: string, nanos: bigint])[] = [
  ["d", 86_400n * SECOND_NANOS],
  ["h", 3_600n * SECOND_NANOS],
  ["min", 60n * SECOND_NANOS],
  ["s", SECOND_NANOS],
];

/** `3 d 4 h`, the two largest units. */
export function durationText(nanos: bigint): string {
  const first = UNITS.findIndex(([, unit]) => nanos >= unit);
  if (first < 0) return nanos === 0n ? "0 s" : "less than 1 s";
  let rest = nanos;
  const parts = UNITS.slice(first, first + 2).map(([name, unit]) => {
    const count = rest / unit;
    rest %= unit;
    return count === 0n ? "" : `${count} ${name}`;
  });
  return parts.filter(Boolean).join(" ");
}
