// `npm test`: every test that this machine can run. The last line counts; each skipped test is named, and its name says why.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { budgetMinutes, CPU_MINUTES_MAX, cpuReport, cpuSeconds, emptyScriptSeconds } from "./cpu.mjs";

const RESULTS = "build/test-results.json";
const CPU_FILE = resolve("build/test-cpu.jsonl");

mkdirSync("build", { recursive: true });
for (const file of [RESULTS, CPU_FILE]) rmSync(file, { force: true });
const args = ["node_modules/vitest/vitest.mjs", "run", "--reporter=dot", "--reporter=json", `--outputFile=${RESULTS}`];
// Colours are for a terminal; in a log each dot would be ten characters.
const colours = process.stdout.isTTY ? {} : { NO_COLOR: "1", FORCE_COLOR: undefined };
const emptyScript = emptyScriptSeconds();
const env = { ...process.env, ...colours, ...(emptyScript === undefined ? {} : { CPU_FILE }) };
const childrenBefore = cpuSeconds()?.children ?? 0;
const { status, signal } = spawnSync(process.execPath, [...args, ...process.argv.slice(2)], { stdio: "inherit", env });

let results;
try {
  results = JSON.parse(readFileSync(RESULTS, "utf8"));
} catch {
  process.stderr.write(`the tests did not finish (${signal ?? status})\n`);
  process.stdout.write("0 passed, 1 failed, 0 skipped\n");
  process.exit(1);
}

const tests = results.testResults.flatMap((file) => file.assertionResults);
const count = (...wanted) => tests.filter((test) => wanted.includes(test.status)).length;
// A file that cannot even be loaded fails without a test of its own.
const broken = results.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
for (const file of broken) process.stdout.write(`failed to load: ${file.name}\n${file.message}\n`);
const skipped = tests.filter((test) => ["pending", "skipped", "todo"].includes(test.status));
for (const test of skipped) process.stdout.write(`skipped: ${test.fullName.trim()}\n`);
const minutes = ((cpuSeconds()?.children ?? 0) - childrenBefore) / 60;
if (emptyScript !== undefined && existsSync(CPU_FILE)) {
  const files = readFileSync(CPU_FILE, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const line of cpuReport(minutes, emptyScript, files)) process.stdout.write(`${line}\n`);
}
// CI sets it: on a machine that is shared, or for a choice of tests, the figure says little.
const isTooMuch =
  process.env.JUDGE_CPU === "1" && emptyScript !== undefined && budgetMinutes(minutes, emptyScript) > CPU_MINUTES_MAX;
if (isTooMuch)
  process.stdout.write(
    `failed: more than ${CPU_MINUTES_MAX} CPU minutes on the machine of the budget (scripts/cpu.mjs)\n`,
  );
const failed = count("failed") + broken.length;
process.stdout.write(`${count("passed")} passed, ${failed} failed, ${skipped.length} skipped\n`);
process.exit(failed > 0 || status !== 0 || isTooMuch ? 1 : 0);
