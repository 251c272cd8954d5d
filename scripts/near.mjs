// `npm run near`: the tests that are nearest to what differs from main, uncommitted and new files included.
// `-- --all` runs every test that a changed file reaches, and those that start programs; `-- --list` only names them.
import { execFileSync, spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { testsNear } from "./near/tests.mjs";

/** Test files of one run. A change in a file that everything imports reaches hundreds, which CI runs. */
const FILES_MAX = 40;

const { values } = parseArgs({
  options: { all: { type: "boolean", default: false }, list: { type: "boolean", default: false } },
});
const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).trim();
const paths = (text) => text.split("\0").filter(Boolean);
const print = (line) => process.stdout.write(`${line}\n`);

/** Where this branch left main; the last commit where there is no main. */
function base() {
  for (const main of ["main", "origin/main"]) {
    try {
      return git("merge-base", "HEAD", main);
    } catch {
      // No such branch here.
    }
  }
  return git("rev-parse", "HEAD");
}

function run(args) {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const from = base();
const changed = [
  ...paths(git("diff", "--name-only", "-z", "--no-renames", from)),
  ...paths(git("ls-files", "-z", "--others", "--exclude-standard")),
];
const where = `main (${from.slice(0, 8)})`;
if (changed.length === 0) {
  print(`Nothing differs from ${where}: no test is affected.`);
  process.exit(0);
}
const { quick, slow, unknown, needsBuild } = testsNear(changed);
const chosen = values.all ? [...quick, ...slow] : quick.slice(0, FILES_MAX);
print(
  `${changed.length} files differ from ${where}. Running ${chosen.length} of ${quick.length + slow.length} test files that they reach.`,
);
for (const path of unknown) print(`no test reads ${path}`);
const far = quick.length - chosen.length;
if (!values.all && far > 0) print(`left out: ${far} that are further away`);
if (!values.all && slow.length > 0) print(`left out: ${slow.length} that start programs`);
if (!values.all && far + slow.length > 0) print("They run with: npm run near -- --all");
if (changed.some((path) => path.startsWith("embed/")))
  print("embed/ has tests of its own: npm run embed:rust, embed:go, embed:python");
if (values.list) for (const test of chosen) print(test);
else if (chosen.length === 0) print("No test is affected.");
else {
  if (needsBuild || values.all) run(["scripts/build.mjs", "--quiet", "--no-types"]);
  run(["node_modules/vitest/vitest.mjs", "run", ...chosen]);
}
