// CPU time of tests, with the processes that they start, and what all of them together may take.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * CPU minutes that `npm test` should take on the machine for which they were chosen: ten minutes on two cores. Above it a run warns.
 * Machines differ, so a run's minutes are converted by what an empty Node.js script takes on both.
 */
export const CPU_MINUTES = 22;
/**
 * The same minutes, above which a run of CI fails. Temporary, twice the budget: tests still start programs where calls would do. Once
 * the suite is within the budget this becomes 33, one and a half times the budget.
 */
export const CPU_MINUTES_MAX = 44;
/** CPU seconds of an empty Node.js script on the machine of the budget. */
export const EMPTY_SCRIPT_SECONDS = 0.04;

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

/**
 * CPU seconds of an empty Node.js script on this machine; undefined where the system has no /proc. Measure it while nothing else
 * runs: two programs on one core slow each other down.
 */
export function emptyScriptSeconds() {
  const [groups, starts] = [5, 6];
  if (!cpuSeconds()) return undefined;
  // The system counts in hundredths of a second: too coarse for one start.
  const seconds = Array.from({ length: groups }, () => {
    const before = cpuSeconds().children;
    for (let i = 0; i < starts; i++) spawnSync(process.execPath, ["--eval", ""]);
    return (cpuSeconds().children - before) / starts;
  });
  return seconds.toSorted((a, b) => a - b)[Math.floor(groups / 2)];
}

/** A run's CPU minutes as the machine of the budget would count them. @param emptyScript CPU seconds of an empty script here */
export const budgetMinutes = (minutes, emptyScript) => (minutes * EMPTY_SCRIPT_SECONDS) / emptyScript;

/**
 * What a run took, as lines; the slowest files first.
 *
 * @param minutes CPU minutes on this machine
 * @param emptyScript CPU seconds of an empty script on this machine
 * @param files `{ file, seconds }`, a line of JSON each
 */
export function cpuReport(minutes, emptyScript, files, count = 10) {
  const converted = budgetMinutes(minutes, emptyScript);
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
  const rows = slowest.map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`);
  const over =
    converted > CPU_MINUTES
      ? [`warning: ${converted.toFixed(1)} CPU minutes on the machine of the budget are above its ${CPU_MINUTES}`]
      : [];
  const scripts = `an empty Node.js script takes ${emptyScript.toFixed(3)} s here and ${EMPTY_SCRIPT_SECONDS} s there`;
  return [
    `CPU time: ${minutes.toFixed(1)} minutes here, which are ${converted.toFixed(1)} of the budget's ${CPU_MINUTES} minutes on its machine (${scripts})`,
    "The files that took most:",
    ...rows,
    ...over,
  ];
}
