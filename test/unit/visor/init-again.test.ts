/** `chainvisor init` where a program is in its place: another one than the given one is reported, and replaced with --force alone. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../host/base/files/disk-files.js";
import { digestOf } from "../../../host/visor/stage/home-readiness.js";
import { initialize } from "../../../host/visor/stage/layout/init.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-init-again-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\necho ${name}\n`);
  chmodSync(file, 0o755);
  return file;
}

const [OLD, NEW] = [program("old"), program("new")];
const init = (root: string, file: string, isForced = false) =>
  initialize(file, { files: diskFiles, settings: { root, name: "chaind" }, isForced, log: () => undefined });

describe("initialize() a home again", () => {
  test("with another program → the one in place stays, with both checksums; the same one → nothing is kept", async () => {
    const root = join(folder, "again");
    expect(await init(root, OLD)).toMatchObject({ kept: undefined });
    const { genesis, kept } = await init(root, NEW);
    expect(kept).toEqual({ sha256: digestOf(diskFiles, OLD), given_sha256: digestOf(diskFiles, NEW) });
    expect(readFileSync(genesis)).toEqual(readFileSync(OLD));
    expect(await init(root, OLD)).toMatchObject({ kept: undefined });
  });

  test("with --force → replaced", async () => {
    const root = join(folder, "forced");
    await init(root, OLD);
    const { genesis, kept } = await init(root, NEW, true);
    expect(kept).toBeUndefined();
    expect(readFileSync(genesis)).toEqual(readFileSync(NEW));
  });

  test("after an upgrade → the program of genesis is not the one that runs, and no warning is due", async () => {
    const root = join(folder, "upgraded");
    await init(root, OLD);
    diskFiles.makeFolder(join(root, "upgrades", "v2", "bin"), 0o755);
    writeFileSync(join(root, "upgrades", "v2", "bin", "chaind"), readFileSync(NEW));
    unlinkSync(join(root, "current"));
    symlinkSync("upgrades/v2", join(root, "current"));
    expect(await init(root, NEW)).toMatchObject({ kept: undefined });
  });
});
