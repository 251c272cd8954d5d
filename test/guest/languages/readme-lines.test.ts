/** The lines of the guests' READMEs that test a handler: they work as they are typed. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ROOT } from "../../house/sources.js";

vi.setConfig({ testTimeout: 60_000 });

/** Where the README says to be, and the file that its lines before have made. */
test.each([
  ["guests/c/README.md", ".", "re-key.wasm"],
  ["guests/rust/README.md", "examples/re-key-rust", "target/wasm32-unknown-unknown/release/re_key.wasm"],
])("%s → its line of `chaind handler test`, in a shell, tries every fixture that it names", (page, folder, made) => {
  const text = readFileSync(join(ROOT, page), "utf8").replaceAll(/\\\n */g, "");
  const line = /^chaind (handler test .*)$/m.exec(text)?.[1] ?? "";
  expect(line).toContain(` ${made} `);
  const temporary = mkdtempSync(join(tmpdir(), "chain-upgrade-readme-"));
  try {
    const handler = join(temporary, "handler.wasm");
    writeFileSync(handler, readFileSync(join(ROOT, "build/examples/re-key.wasm")));
    const typed = `"${process.execPath}" "${join(ROOT, "dist/chaind.js")}" ${line.replace(made, handler)}`;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", typed], { cwd: join(ROOT, folder), encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    for (const fixture of ["three-names", "no-owner"]) expect(stdout).toContain(fixture);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
});
