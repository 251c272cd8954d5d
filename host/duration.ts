/** Durations for people. */

const NANOS = 1_000_000_000n;

const UNITS: readonly (readonly [name: string, nanos: bigint])[] = [
  ["d", 86_400n * NANOS],
  ["h", 3_600n * NANOS],
  ["min", 60n * NANOS],
  ["s", NANOS],
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
