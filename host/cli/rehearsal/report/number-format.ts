/** Numbers for people. */
const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;
const KIB = 1_024;

/** `12.3 MiB`, rounded to a tenth. */
export function bytesText(bytes: number): string {
  let unit = 0;
  let value = bytes;
  for (; value >= KIB && unit < UNITS.length - 1; unit++) value /= KIB;
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `1,234,567`: digits in groups, of any length. */
export function countText(count: string | number | bigint): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** `850 ms`, `12.3 s`. */
export function timeText(millis: number): string {
  return millis < 10_000 ? `${Math.round(millis)} ms` : `${(millis / 1_000).toFixed(1)} s`;
}

/** `1 store`, `2 stores`. */
export function many(count: number, one: string, more = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : more}`;
}
