/** embed/rust: the crate's own tests, which read the vectors of test/vectors too. */
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../house/sources.js";

const CRATE = join(ROOT, "embed/rust");
const ENV = { ...process.env, CARGO_TARGET_DIR: process.env["CARGO_TARGET_DIR"] ?? join(ROOT, "build/rust") };
/** Everything is compiled before the tests run, when nobody did it before; on two cores that nobody else uses 3 minutes. */
const COMPILED_MS = 1_200_000;

const reason = whyNot();
const NAME = "embed/rust → cargo test";

test.skipIf(reason)(
  reason ? `${NAME} (skipped: ${reason})` : NAME,
  () => {
    const { status, stdout, stderr } = cargo(["test", "--locked"]);
    expect(status, `${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`).toBe(0);
    expect(stdout).toMatch(/core_calls_of_the_vectors_give_their_results_and_stores \.\.\. ok/);
  },
  COMPILED_MS,
);

test.skipIf(reason)(
  "embed/rust → the package has core.wasm, the license and no tests",
  () => {
    const { status, stdout, stderr } = cargo(["package", "--list", "--locked", "--allow-dirty", "--offline"]);
    expect(status, stderr).toBe(0);
    const files = stdout.trimEnd().split("\n");
    expect(files).toEqual(expect.arrayContaining(["Cargo.toml", "LICENSE", "README.md", "core.wasm", "examples/host.rs"]));
    expect(files.filter((file) => file.startsWith("tests/"))).toEqual([]);
  },
  COMPILED_MS,
);

function cargo(args: readonly string[]) {
  return spawnSync("cargo", args, { cwd: CRATE, env: ENV, encoding: "utf8", maxBuffer: 1 << 26 });
}

function whyNot(): string | undefined {
  try {
    execFileSync("cargo", ["fetch", "--locked"], { cwd: CRATE, env: ENV, stdio: "ignore", timeout: 240_000 });
    return undefined;
  } catch {
    return "cargo, or its package registry, is not here";
  }
}
