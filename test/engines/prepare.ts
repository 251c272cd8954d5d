/**
 * Other engines, made ready in build/engines: wazero's runner is built by Go, wasmtime is installed by pip, versions are
 * pinned beside their sources. What a machine does not have is named, and its test skipped.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../house/sources.js";

const FOLDER = join(ROOT, "build/engines");
const SOURCES = join(ROOT, "test/engines");
/** The name changes with the runner's sources: one that was built before is no longer it. */
export const WAZERO = join(FOLDER, "wazero-runner");
export const PYTHON = join(FOLDER, "venv/bin/python");
/** With the newest wasmtime that embed/python allows. */
export const NEWEST_PYTHON = join(FOLDER, "newest/bin/python");
/** The JavaScript engine of React Native: `linux64-bin/hermes` of the package hermes-engine-cli, which CI unpacks. */
export const HERMES = process.env["HERMES"] ?? join(FOLDER, "hermes");
/** Versions of Node.js that are newer than the oldest supported one, on which the tests run. CI unpacks them. */
export const newerNode = (major: string) => join(FOLDER, `node-${major}`);
export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Undefined: ready. Else why not. */
export function prepareWazero(): string | undefined {
  return attempt(WAZERO, "Go, or its module proxy, is not here", () => {
    run("go", ["build", "-trimpath", "-o", WAZERO, "."], join(SOURCES, "go"));
  });
}

/** Go, and the dependencies of a module of it. */
export function prepareGo(module: string): string | undefined {
  return attempt("", "Go, or its module proxy, is not here", () => run("go", ["mod", "download"], module));
}

export function prepareWasmtime(): string | undefined {
  return prepareVenv("venv", ["-r", join(SOURCES, "python/requirements.txt")]);
}

/** The newest patch of the range in embed/python/pyproject.toml, in a second venv. */
export function prepareNewestWasmtime(): string | undefined {
  const range = /wasmtime~=[\d.]+/.exec(readFileSync(join(ROOT, "embed/python/pyproject.toml"), "utf8"))?.[0];
  return range ? prepareVenv("newest", ["--upgrade", range]) : "embed/python/pyproject.toml has no range of wasmtime";
}

function prepareVenv(name: string, packages: readonly string[]): string | undefined {
  const venv = join(FOLDER, name);
  return attempt(join(venv, "ready"), "Python, or its package registry, is not here", () => {
    run("python3", ["-m", "venv", venv], ROOT);
    const pip = ["-m", "pip", "install", "-q", "--retries", "1", "--timeout", "10"];
    run(join(venv, "bin/python"), [...pip, ...packages], ROOT);
    run("touch", [join(venv, "ready")], ROOT);
  });
}

export function prepareChromium(): string | undefined {
  return existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}`;
}

export function prepareNode(major: string): string | undefined {
  return existsSync(newerNode(major)) ? undefined : `there is no build/engines/node-${major}: .ci/run fetches it`;
}

function attempt(product: string, reason: string, make: () => void): string | undefined {
  if (existsSync(product)) return undefined;
  try {
    mkdirSync(FOLDER, { recursive: true });
    make();
    return undefined;
  } catch {
    return reason;
  }
}

function run(program: string, args: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: "ignore", timeout: 240_000 });
}
