// A copy of the repository in a temporary folder, where a fault is planted and tests are run: the sources stay as they are.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { isProgramTest } from "./nearest.mjs";

const ROOT = join(import.meta.dirname, "../..");
/** What a build makes of the sources, which git ignores. */
const BUILT = [
  ...["build", "dist", "host/upgrade/core/core-wasm.ts", "host/upgrade/handler/check/check-wasm.ts"],
  ...["host/upgrade/handler/check/check-hash.ts", "host/state/commitment/hash-wasm.ts", "host/serve/api/page-bytes.ts"],
];
const NOT_COPIED = new Set(["build/run", "build/engines", "build/rust", "build/rust-client", "dist/types"]);

/** A run that takes longer hangs, if the same tests end without the fault: the caller makes sure. */
const RUN_SECONDS_MAX = 600;
/** Of tests that call functions, besides what each file may take: a fault that makes an endless loop is to cost minutes. */
const START_SECONDS = 60;
const FILE_SECONDS_MAX = 60;

const git = (cwd, ...args) => execFileSync("git", args, { cwd, encoding: "utf8", maxBuffer: 64 << 20 });

function secondsMax(tests) {
  return tests.some(isProgramTest)
    ? RUN_SECONDS_MAX
    : Math.min(START_SECONDS + tests.length * FILE_SECONDS_MAX, RUN_SECONDS_MAX);
}

export class Copy {
  #root = mkdtempSync(join(tmpdir(), "chain-upgrade-mutants-"));
  #children = new Set();

  constructor() {
    // The working tree as it is: the file of a new test too, but none that was removed.
    const own = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0").filter(Boolean);
    for (const path of [...own, ...BUILT]) if (existsSync(join(ROOT, path))) this.#take(path);
    // Some tests ask git which files there are.
    git(this.#root, "init", "--quiet");
    git(this.#root, "add", "--all");
    symlinkSync(join(ROOT, "node_modules"), join(this.#root, "node_modules"));
  }

  #take(path) {
    const filter = (from) => !NOT_COPIED.has(relative(ROOT, from).replaceAll("\\", "/"));
    cpSync(join(ROOT, path), join(this.#root, path), { recursive: true, filter });
  }

  remove() {
    for (const child of this.#children) killAll(child);
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Plants a fault; the function that it returns puts the file back, and what was built of it. */
  plant({ file, start, end, from, to }) {
    const path = join(this.#root, file);
    const text = readFileSync(path, "utf8");
    if (text.slice(start, end) !== from)
      throw new Error(`${file} was changed while the faults were drawn: start again`);
    writeFileSync(path, text.slice(0, start) + to + text.slice(end));
    return () => {
      writeFileSync(path, text);
      if (file.startsWith("assembly/")) for (const built of BUILT) this.#take(built);
    };
  }

  /** Builds with the fault: all, or dist/ alone. False when it is refused. */
  async build(...flags) {
    return (await this.#run(["scripts/build.mjs", "--quiet", "--no-types", ...flags])) === 0;
  }

  /** The first test file that fails; undefined when all pass. */
  async failing(tests) {
    const results = join(this.#root, "build/mutants.json");
    rmSync(results, { force: true });
    const args = ["run", ...tests, "--bail", "1", "--reporter", "json", "--outputFile", results];
    const status = await this.#run(["node_modules/vitest/vitest.mjs", ...args, "--maxWorkers", "2"], secondsMax(tests));
    if (status === 0) return undefined;
    try {
      const { testResults } = JSON.parse(readFileSync(results, "utf8"));
      const failed = testResults.find((file) => file.status === "failed");
      if (failed) return relative(this.#root, failed.name).replaceAll("\\", "/");
    } catch {
      // No results: the run was killed or broke.
    }
    return tests.length === 1 ? tests[0] : this.#failingAlone(tests);
  }

  /** Any of them may be the reason: they are run one by one. */
  async #failingAlone(tests) {
    for (const test of tests) if (await this.failing([test])) return test;
    return undefined;
  }

  /** Exit status; `undefined` when it took too long and was killed. */
  #run(args, seconds = RUN_SECONDS_MAX) {
    return new Promise((done) => {
      // In a group of its own: a worker of the test runner that loops for ever outlives the runner.
      const child = spawn(process.execPath, args, { cwd: this.#root, stdio: "ignore", detached: true });
      this.#children.add(child);
      const timer = setTimeout(() => killAll(child), seconds * 1_000);
      child.once("close", (status) => {
        clearTimeout(timer);
        this.#children.delete(child);
        done(status ?? undefined);
      });
    });
  }
}

/** A process and all that it has started. */
function killAll({ pid }) {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
