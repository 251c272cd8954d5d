// `npm test`: every test that this machine can run. The last line counts; each skipped test is named, and its name says why.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";

const RESULTS = "build/test-results.json";

mkdirSync("build", { recursive: true });
rmSync(RESULTS, { force: true });
const args = ["node_modules/vitest/vitest.mjs", "run", "--reporter=dot", "--reporter=json", `--outputFile=${RESULTS}`];
// Colours are for a terminal; in a log each dot would be ten characters.
const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined };
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
const failed = count("failed") + broken.length;
process.stdout.write(`${count("passed")} passed, ${failed} failed, ${skipped.length} skipped\n`);
process.exit(failed > 0 || status !== 0 ? 1 : 0);
