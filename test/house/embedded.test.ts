/** Packages below embed/ and guests/: what they carry of the repository is what the repository has, and they name its version. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../host/base/terminal/version.js";
import { withMetered } from "../../host/upgrade/handler/metered-section.js";
import { ROOT } from "./sources.js";

/** Committed ones, and those that are about to be: a build leaves copies of its own. */
const FILES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "embed", "guests"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter(Boolean);

const named = (name: string) => FILES.filter((path) => path.endsWith(`/${name}`));
const bytes = (path: string) => readFileSync(join(ROOT, path));
const text = (path: string) => readFileSync(join(ROOT, path), "utf8");

describe("packages below embed/ and guests/", () => {
  test("each core.wasm and check.wasm → that of dist/ (npm run embed:core)", () => {
    expect(named("core.wasm")).toContain("embed/python/src/chain_upgrade/core.wasm");
    for (const name of ["core.wasm", "check.wasm"]) {
      const built = bytes(`dist/${name}`);
      expect(named(name).filter((path) => !bytes(path).equals(built))).toEqual([]);
    }
  });

  test("split-balances.wasm of embed/go → that of dist/ with its metered module", () => {
    const metered = withMetered(bytes("dist/handlers/split-balances.wasm"));
    expect(bytes("embed/go/testdata/split-balances.wasm").equals(metered)).toBe(true);
  });

  test("each LICENSE → that of the repository", () => {
    expect(named("LICENSE")).toContain("embed/python/LICENSE");
    expect(named("LICENSE").filter((path) => !bytes(path).equals(bytes("LICENSE")))).toEqual([]);
  });

  test("versions of packages → that of package.json", () => {
    const declared = named("pyproject.toml").concat(named("Cargo.toml"));
    const versions = declared.map((path) => /^version = "([^"]+)"$/m.exec(text(path))?.[1]);
    expect(new Set(versions)).toEqual(new Set([VERSION]));
    expect(text("embed/python/src/chain_upgrade/__init__.py")).toContain(`__version__ = "${VERSION}"`);
  });

  test("wasmtime of embed/python → all patches of the version on which the tests compare gas", () => {
    const pinned = /^wasmtime==(\d+\.\d+)\.\d+$/m.exec(text("test/engines/python/requirements.txt"))?.[1];
    expect(text("embed/python/pyproject.toml")).toContain(`dependencies = ["wasmtime~=${pinned}"]`);
  });

  test("dependencies of embed/rust → all patches of what Cargo.lock pins", () => {
    const [, declared = ""] = /\[dependencies\]\n(.*?)\n\n/s.exec(text("embed/rust/Cargo.toml")) ?? [];
    const ranges = [...declared.matchAll(/^(\w+) = (?:\{ version = )?"([^"]+)"/gm)];
    expect(ranges.map(([, name]) => name)).toEqual(["sha2", "wasmtime"]);
    const lock = text("embed/rust/Cargo.lock");
    for (const [, name, range] of ranges) {
      expect(range).toMatch(/^\d+\.\d+$/);
      expect(lock).toContain(`name = "${name}"\nversion = "${range}.`);
    }
  });
});
