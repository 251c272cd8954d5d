// `npm run embed:python`: the Python package as others get it. Its source distribution and wheel are built, the wheel is
// installed into an environment of its own, every test runs on it, with all vectors, and changed files are
// loaded and run. Asks the package registry.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const BUILD = "1.6.1"; // of the package `build`, which makes both; the backend is pinned in pyproject.toml
const FOLDER = resolve("build/embed-python");
const SOURCES = join(FOLDER, "sources");
const PYTHON = join(FOLDER, "venv/bin/python");

function run(command, args, options = {}) {
  process.stdout.write(`${command} ${args.join(" ")}\n`);
  const { status, error } = spawnSync(command, args, { stdio: "inherit", ...options });
  if (status !== 0) throw error ?? new Error(`${command} ended with ${status}`);
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
// The tools leave files beside the sources.
cpSync("embed/python", SOURCES, { recursive: true, filter: (path) => !/__pycache__|\.egg-info/.test(path) });
run("python3", ["-m", "venv", join(FOLDER, "venv")]);
run(PYTHON, ["-m", "pip", "install", "-q", `build==${BUILD}`]);
run(PYTHON, ["-m", "build", "--outdir", join(FOLDER, "dist"), SOURCES], { stdio: ["ignore", "ignore", "inherit"] });
const [wheel] = readdirSync(join(FOLDER, "dist")).filter((name) => name.endsWith(".whl"));
run(PYTHON, ["-m", "pip", "install", "-q", join(FOLDER, "dist", wheel)]);
const cwd = resolve("embed/python");
run(PYTHON, ["-m", "unittest", "discover", "-t", ".", "-s", "tests"], { cwd });
run(PYTHON, ["-m", "tests.fuzz_files", "1", "5000"], { cwd });
