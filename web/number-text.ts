/** Numbers, times and sizes as texts: the same for every reader, whatever the language of the browser. */

const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1_024;

/** `1,234,567` */
export function count(value: bigint | number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 block`, `12 blocks` */
export function counted(value: bigint | number, one: string): string {
  return `${count(value)} ${one}${BigInt(value) === 1n ? "" : "s"}`;
}

/** `2 d 3 h`, `2 h 14 min`, `3 min 20 s`, `12 s`: the two largest units. @param seconds at least 0 */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (large: number, largeUnit: string, small: number, smallUnit: string) => {
    // Rounded to the smaller unit first, so that no `1 h 60 min` comes out.
    const units = Math.round(whole / small);
    const rest = units % (large / small);
    return `${count(Math.floor((units * small) / large))} ${largeUnit}${rest === 0 ? "" : ` ${rest} ${smallUnit}`}`;
  };
  if (Math.round(whole / MINUTE) * MINUTE >= DAY) return two(DAY, "d", HOUR, "h");
  if (whole >= HOUR) return two(HOUR, "h", MINUTE, "min");
  if (whole >= MINUTE) return two(MINUTE, "min", SECOND, "s");
  return `${whole} s`;
}

/** The value of `<time datetime>` for a span: `P2DT3H4M5S`. */
export function isoDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const days = Math.floor(whole / DAY);
  const clock = `${Math.floor((whole % DAY) / HOUR)}H${Math.floor((whole % HOUR) / MINUTE)}M${whole % MINUTE}S`;
  return `P${days}DT${clock}`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** `2026-11-23 14:05:09 UTC` */
export function utc(millis: number): string {
  const [day = "", clock = ""] = new Date(millis).toISOString().split("T");
  return `${day} ${clock.slice(0, 8)} UTC`;
}

/** `2026-11-23` */
export const day = (millis: number): string => utc(millis).slice(0, 10);

/** `15:05 (UTC+01:00)` of the reader's own clock; "" where that is UTC. */
export function readersTime(millis: number): string {
  const date = new Date(millis);
  const offset = -date.getTimezoneOffset();
  if (offset === 0) return "";
  const ahead = Math.abs(offset);
  const zone = `UTC${offset < 0 ? "−" : "+"}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
  return `${two(date.getHours())}:${two(date.getMinutes())} (${zone})`;
}

/** `268 KB`, `17.8 MB`: what a transfer costs. */
export function size(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  if (bytes < KIB * KIB) return `${Math.ceil(bytes / KIB)} KiB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MiB`;
}

/** Milliseconds since 1970 of a time of RFC 3339, of which nanoseconds are cut; undefined: it is none. */
export function millisOf(time: unknown): number | undefined {
  if (typeof time !== "string") return undefined;
  const millis = Date.parse(time.replace(/(\.\d{3})\d+/, "$1"));
  return Number.isNaN(millis) ? undefined : millis;
}

/** `84002E4E…0B31` of upper-case hex. */
export function shortHash(hex: string): string {
  return hex.length <= 16 ? hex : `${hex.slice(0, 8)}…${hex.slice(-4)}`;
}

/** Upper-case hex, as CometBFT writes hashes. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
}
