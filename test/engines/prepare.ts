/**
 * Other engines, made ready in build/engines: wazero's runner is built by Go, wasmtime is installed by pip, versions are
 * pinned beside their sources. What a machine does not have is named, and its test skipped.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../house/sources.js";

const FOLDER = join(ROOT, "build/engines");
const SOURCES = join(ROOT, "test/engines");
/** The name changes with the runner's sources: one that was built before is no longer it. */
export const WAZERO = join(FOLDER, "wazero-runner");
export const PYTHON = join(FOLDER, "venv/bin/python");
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
  return attempt(join(FOLDER, "venv/ready"), "Python, or its package registry, is not here", () => {
    run("python3", ["-m", "venv", join(FOLDER, "venv")], ROOT);
    const requirements = join(SOURCES, "python/requirements.txt");
    run(PYTHON, ["-m", "pip", "install", "-q", "--retries", "1", "--timeout", "10", "-r", requirements], ROOT);
    run("touch", [join(FOLDER, "venv/ready")], ROOT);
  });
}

export function prepareChromium(): string | undefined {
  return existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}`;
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
