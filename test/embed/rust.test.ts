/** embed/rust: the crate's own tests, which read the vectors of test/vectors too; what its package carries. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../house/sources.js";
import { readVectors } from "./vector-counts.js";

const CRATE = join(ROOT, "embed/rust");
/** `npm run embed:rust` runs all of them. */
const HANDLER_CASES_STRIDE = 8;
const ENV = {
  ...process.env,
  // Not beside the sources; .ci/run builds there before the tests.
  CARGO_TARGET_DIR: join(ROOT, "build/rust"),
  HANDLER_CASES_STRIDE: String(HANDLER_CASES_STRIDE),
};
/** wasmtime is compiled first, when nobody did it before: some two minutes of one core. */
const COMPILED_MS = 1_200_000;

const missing = whyNot();
const named = (name: string) => (missing ? `${name} (skipped: ${missing})` : name);

function cargo(args: readonly string[], cwd = CRATE) {
  return spawnSync("cargo", args, { cwd, env: ENV, encoding: "utf8", maxBuffer: 1 << 26 });
}

function whyNot(): string | undefined {
  if (cargo(["fetch", "--locked"]).status !== 0) return "cargo, or its package registry, is not here";
  const due = /^rust-version = "1\.(\d+)"$/m.exec(readFileSync(join(CRATE, "Cargo.toml"), "utf8"))?.[1];
  const minor = /^cargo 1\.(\d+)\./.exec(cargo(["--version"]).stdout)?.[1];
  return Number(minor) >= Number(due) ? undefined : `Rust 1.${due} or newer is not here`;
}

describe("embed/rust", () => {
  test.skipIf(missing)(
    named("cargo test → every recorded call, and a sample of handler cases, are as the node's"),
    () => {
      const { status, stdout, stderr } = cargo(["test", "--locked", "--", "--show-output"]);
      expect(status, `${stdout.slice(-8_000)}\n${stderr.slice(-4_000)}`).toBe(0);
      const { coreCalls, handlerCases } = readVectors();
      expect(stdout).toContain(`core-calls: ${coreCalls} calls as they are\n`);
      expect(stdout).toContain(`handler-cases: ${Math.ceil(handlerCases / HANDLER_CASES_STRIDE)} as the node's\n`);
    },
    COMPILED_MS,
  );

  // Its tests on these are `npm run embed:rust -- --newest`: another wasmtime to compile.
  test.skipIf(missing)(named("cargo update in a copy → takes the newest patches that Cargo.toml allows"), () => {
    const copy = mkdtempSync(join(tmpdir(), "chain-upgrade-rust-"));
    try {
      for (const name of ["Cargo.toml", "Cargo.lock"]) cpSync(join(CRATE, name), join(copy, name));
      mkdirSync(join(copy, "src"));
      writeFileSync(join(copy, "src/lib.rs"), "");
      const { status, stderr } = cargo(["update"], copy);
      expect(status, stderr).toBe(0);
      const patch = (folder: string) =>
        Number(
          /name = "wasmtime"\nversion = "48\.0\.(\d+)"/.exec(readFileSync(join(folder, "Cargo.lock"), "utf8"))?.[1],
        );
      expect(patch(copy)).toBeGreaterThan(patch(CRATE));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });

  test.skipIf(missing)(
    named("cargo package → core.wasm, check.wasm, the licence and the example, and no tests"),
    () => {
      const { status, stdout, stderr } = cargo(["package", "--list", "--locked", "--allow-dirty"]);
      expect(status, stderr).toBe(0);
      const files = stdout.trimEnd().split("\n");
      const due = ["LICENSE", "README.md", "check.wasm", "core.wasm", "examples/host.rs"];
      expect(files).toEqual(expect.arrayContaining(due));
      expect(files.filter((file) => /^tests|rustfmt/.test(file))).toEqual([]);
    },
  );
});
