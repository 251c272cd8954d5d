/** A setting's text as its value. Where Cosmovisor has words for what is wrong, they are the same: operators search for them. */
import { InvalidArgumentError } from "commander";
import { messageOf } from "../../../base/errors/errors.js";
import { parseHeight } from "../../../base/terminal/options.js";
import { goQuote } from "../../../upgrade/plan-info/go-quote.js";
import type { SettingSource } from "../settings.js";
import { parseGrpcAddress, parseRpcAddress, parseStatusAddress } from "./addresses.js";
import { millisOf, parseGoDuration } from "./go-duration.js";
import { isTimeFormat, TIME_FORMATS } from "./time-formats.js";
import type { SettingKind, Variable } from "./variables.js";

/** Where a text is from. `name`: as people know it there. */
export interface Place {
  readonly source: SettingSource;
  readonly name: string;
}

export type SettingValue = string | number | boolean | bigint | undefined;

/** Timers of the platform count milliseconds in 31 bits. */
const DAYS_MAX = 24;
const MILLIS_MAX = DAYS_MAX * 24 * 3_600_000;
const INT64_DIGITS = /^[-+]?[0-9]{1,18}$/;
const BYTES = /^([0-9]{1,15})\s*(|B|KiB|MiB|GiB|TiB)$/i;
const BYTE_UNITS = ["b", "kib", "mib", "gib", "tib"];

/** @throws Error: what is wrong, naming the place */
export function parseValue({ kind, field }: Variable, text: string, place: Place): SettingValue {
  switch (kind) {
    case "text":
      return parseText(text, field, place);
    case "switch":
      return parseSwitch(text, place);
    case "duration":
      return parseDuration(text, place, field === "restartDelay" || field === "shutdownGrace");
    case "count":
      return parseCount(text, place);
    case "time format":
      return parseTimeFormat(text, place);
    case "bytes":
      return parseBytes(text, place);
    case "height":
      return parsePositiveHeight(text, place);
    default:
      return parseChoice(text, kind, place);
  }
}

function parseText(text: string, field: Variable["field"], place: Place): string {
  if (field === "rpcAddress") return parseRpcAddress(text, named(place));
  if (field === "statusAddress" && text !== "") parseStatusAddress(text, named(place));
  if (field === "grpcAddress") return parseGrpcAddress(text, named(place));
  return text;
}

/** `env variable "DAEMON_HOME"`, `setting "daemon_home" of /h/cosmovisor/config.toml` */
function named({ source, name }: Place): string {
  return source === "env" ? `env variable ${goQuote(name)}` : name;
}

function parseSwitch(text: string, place: Place): boolean {
  const lower = text.toLowerCase();
  if (lower === "true" || lower === "false") return lower === "true";
  throw new Error(`${named(place)} must have a boolean value ("true" or "false"), got ${goQuote(text)}`);
}

/** Cosmovisor takes no 0 from the environment; a file that it wrote has it where nothing was set. */
function parseDuration(text: string, place: Place, isZeroKept: boolean): number {
  const millis = millisOf(durationNanos(text, place));
  const least = isZeroKept && place.source !== "env" ? 0 : Number.MIN_VALUE;
  if (millis < least) throw new Error(`invalid: ${place.name}: must be greater than 0`);
  if (millis > MILLIS_MAX) throw new Error(`invalid: ${place.name}: must be at most ${DAYS_MAX * 24}h`);
  return millis;
}

function durationNanos(text: string, { source, name }: Place): bigint {
  // Cosmovisor writes config.toml with nanoseconds.
  if (source === "file" && INT64_DIGITS.test(text)) return BigInt(text);
  try {
    return parseGoDuration(text);
  } catch (error) {
    throw new Error(`invalid: ${name}: could not parse '${text}' into a duration: ${messageOf(error)}`);
  }
}

function parseCount(text: string, { name }: Place): number {
  const parsing = `${name} could not be parsed to int: strconv.Atoi: parsing ${goQuote(text)}`;
  if (!/^[-+]?[0-9]+$/.test(text)) throw new Error(`${parsing}: invalid syntax`);
  const count = Number(text);
  if (!INT64_DIGITS.test(text) || !Number.isSafeInteger(count)) throw new Error(`${parsing}: value out of range`);
  if (count < 0) throw new Error(`${name} must not be negative, got ${text}`);
  return count;
}

function parseTimeFormat(text: string, place: Place): string {
  if (text === "" || isTimeFormat(text)) return text;
  const names = Object.keys(TIME_FORMATS).join("|");
  throw new Error(`${named(place)} must have a timeformat value ("${names}"), got ${goQuote(text)}`);
}

function parseBytes(text: string, place: Place): number {
  const [, count, unit = ""] = BYTES.exec(text) ?? [];
  const bytes = Number(count) * 1024 ** Math.max(0, BYTE_UNITS.indexOf(unit.toLowerCase()));
  if (count !== undefined && bytes > 0 && Number.isSafeInteger(bytes)) return bytes;
  throw new Error(`${named(place)} must be a number of bytes ("500000000", "500MiB", "2GiB"), got ${goQuote(text)}`);
}

function parsePositiveHeight(text: string, place: Place): bigint {
  try {
    const height = parseHeight(text);
    if (height > 0n) return height;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
  }
  throw new Error(`${named(place)} must be a block height, got ${goQuote(text)}`);
}

function parseChoice(text: string, { choices }: Exclude<SettingKind, string>, place: Place): string {
  if (choices.includes(text)) return text;
  throw new Error(`${named(place)} must be one of "${choices.join("|")}", got ${goQuote(text)}`);
}
