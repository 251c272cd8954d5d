// CPU time of tests, with the processes that they start, and what all of them together may take.
import { readFileSync } from "node:fs";

/** CPU minutes that `npm test` should take: ten minutes on two cores. Above it a run warns. */
export const CPU_MINUTES = 22;
/**
 * CPU minutes above which a run of CI fails. Temporary: tests still start programs where calls would do, and a slow machine takes
 * twice the time of a fast one. Once the suite is within the budget this becomes 33, one and a half times the budget.
 */
export const CPU_MINUTES_MAX = 120;

/** Clock ticks of a second in /proc, on every Linux that Node.js runs on. */
const TICKS = 100;
/** Fields of /proc/self/stat after the name of the program, which is in parentheses. */
const [USER, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM] = [11, 12, 13, 14];

/** CPU seconds of this process, and of its children that have exited, with theirs; undefined where the system has no /proc. */
export function cpuSeconds() {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .map(Number);
    return {
      own: (fields[USER] + fields[SYSTEM]) / TICKS,
      children: (fields[CHILDREN_USER] + fields[CHILDREN_SYSTEM]) / TICKS,
    };
  } catch {
    return undefined;
  }
}

/** What a run took, as lines; the slowest files first. @param files `{ file, seconds }`, a line of JSON each */
export function cpuReport(minutes, files, count = 10) {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
  const rows = slowest.map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`);
  const over =
    minutes > CPU_MINUTES ? [`warning: ${minutes.toFixed(1)} CPU minutes are above the budget of ${CPU_MINUTES}`] : [];
  return [`CPU time: ${minutes.toFixed(1)} minutes of ${CPU_MINUTES}; the files that took most:`, ...rows, ...over];
}
