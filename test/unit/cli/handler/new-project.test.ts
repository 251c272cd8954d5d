/** Where a new handler project gets chain-upgrade from: what its program was installed from. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { VERSION } from "../../../../host/base/terminal/version.js";
import { projectFiles } from "../../../../host/cli/author/new-project.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-new-project-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The dependency of a project whose program is installed in `node_modules`, with this text in npm's lockfile there. */
function dependency(lockfile: string | undefined): unknown {
  const root = mkdtempSync(join(folder, "root-"));
  const packageRoot = join(root, "node_modules/chain-upgrade");
  mkdirSync(packageRoot, { recursive: true });
  if (lockfile !== undefined) writeFileSync(join(root, "node_modules/.package-lock.json"), lockfile);
  const text = projectFiles({ name: "mine", plan: "v3", packageRoot }).get("package.json") ?? "";
  return (JSON.parse(text) as { dependencies: Record<string, unknown> }).dependencies["chain-upgrade"];
}

const resolved = (from: string) =>
  dependency(JSON.stringify({ packages: { "node_modules/chain-upgrade": { resolved: from } } }));

describe("projectFiles() of an installed program", () => {
  test("from a registry → its version", () => {
    expect(resolved("https://registry.example/chain-upgrade/-/chain-upgrade-9.9.9.tgz")).toBe(VERSION);
  });

  test("from a tarball → that tarball, wherever the project is", () => {
    const tarball = join(folder, "chain-upgrade-0.1.0.tgz");
    writeFileSync(tarball, "");
    expect(resolved("file:../chain-upgrade-0.1.0.tgz")).toBe(`file:${tarball}`);
  });

  test("from a tarball that is gone → its version", () => {
    expect(resolved("file:../gone.tgz")).toBe(VERSION);
  });

  test("from git → the same commit", () => {
    const commit = "git+ssh://git@example.com/chain-upgrade.git#0123456789abcdef0123456789abcdef01234567";
    expect(resolved(commit)).toBe(commit);
  });

  test.each([
    ["no lockfile", undefined],
    ["a lockfile that is not JSON", "{"],
    ["a lockfile without the package", '{"packages":{}}'],
    ["a lockfile of another shape", '{"packages":{"node_modules/chain-upgrade":{"resolved":5}}}'],
    ["null", "null"],
  ])("with %s → its version", (_, lockfile) => {
    expect(dependency(lockfile)).toBe(VERSION);
  });
});
