/**
 * Times and dates in events and searches, in the forms that Go's `time.Parse` reads for RFC 3339: an hour of one digit,
 * a comma before the fraction, digits after the ninth and an offset of 24:60 are taken too.
 */
import { isUpgradeError } from "../../base/errors/errors.js";
import { parseTime } from "../../base/time/time.js";

const TIME =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$/;
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const OFFSET_HOURS_MAX = 24;
const OFFSET_MINUTES_MAX = 60;
const MINUTE_NANOS = 60_000_000_000n;

/** Nanoseconds from 1970 on; undefined: the text is no time. */
export function readEventTime(text: string): bigint | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [, day, hour = "", minute, second, fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = match;
  if (Number(offsetHours) > OFFSET_HOURS_MAX || Number(offsetMinutes) > OFFSET_MINUTES_MAX) return undefined;
  const there = nanosOf(`${day}T${hour.padStart(2, "0")}:${minute}:${second}.${fraction.slice(0, 9).padEnd(1, "0")}Z`);
  const offset = BigInt(Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE_NANOS;
  return there === undefined ? undefined : there - (sign === "-" ? -offset : offset);
}

/** The beginning of the day in UTC, as {@link readEventTime}; undefined: the text is no date. */
export function readEventDate(text: string): bigint | undefined {
  return DATE.test(text) ? nanosOf(`${text}T00:00:00Z`) : undefined;
}

function nanosOf(text: string): bigint | undefined {
  try {
    const { seconds, nanos } = parseTime(text);
    return seconds * 1_000_000_000n + BigInt(nanos);
  } catch (error) {
    if (isUpgradeError(error)) return undefined;
    throw error;
  }
}
