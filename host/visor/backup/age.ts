/** How long ago a backup was made, for people. */

const UNITS = [
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60],
  ["seconds", 1],
] as const;

/** @param time of a manifest @param now in milliseconds */
export function ageInWords(time: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(time)) / 1_000);
  if (!Number.isFinite(seconds)) return "at an unknown time";
  // A clock that was set back.
  if (seconds < 0) return `at ${time}, which is ahead of this machine's clock`;
  // Below two of a unit the smaller one says more.
  const [unit, length] = UNITS.find(([, each]) => seconds >= 2 * each) ?? (["seconds", 1] as const);
  return `at ${time}, ${Math.floor(seconds / length)} ${unit} ago`;
}
