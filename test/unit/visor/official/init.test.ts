/** Cosmovisor's own cases for `init` (init_test.go, facts 10.12 no. 9): what it refuses, what it finds in place, what it makes. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { readSettings } from "../../../../host/visor/decide/settings/read.js";
import type { VisorTools } from "../../../../host/visor/run/tools.js";
import { settingsWithoutFolders } from "../../../../host/visor/run/without-folders.js";
import { initialize, requireInitProgram } from "../../../../host/visor/stage/layout/init.js";
import { thrownBy } from "../../../thrown-by.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-visor-init-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;

function script(mode: number): string {
  const file = join(root, `hello-${mode}`);
  writeFileSync(file, "#!/bin/sh\necho 'HELLO WORLD'\n");
  chmodSync(file, mode);
  return file;
}

/** What the command does, in its order. */
async function init(home: string, name: string, args: readonly string[], log: (line: string) => void): Promise<void> {
  const file = requireInitProgram(diskFiles, args[0]);
  const env = { DAEMON_HOME: home, DAEMON_NAME: name };
  const tools = { readSettings: (options: object) => readSettings(env, undefined, {}, options) } as VisorTools;
  await initialize(file, { files: diskFiles, settings: settingsWithoutFolders(tools).settings, log });
}

describe("what is refused", () => {
  const exe = script(0o755);
  test.each([
    ["no arguments", "/example", "foo", [], "no <path to executable> provided"],
    ["an empty argument", "/example", "foo", [""], "no <path to executable> provided"],
    ["no such program", "/example", "foo", [join(root, "not-gonna-find-me")], "executable file not found: stat"],
    ["a folder", "/example", "foo", [root], "invalid path to executable: must not be a directory"],
    ["no name", "/example", "", [exe], "DAEMON_NAME is not set"],
    ["no home", "", "foo", [exe], "DAEMON_HOME is not set"],
    ["a relative home", "./home", "foo", [exe], "DAEMON_HOME must be an absolute path"],
    ["neither", "", "", [exe], "DAEMON_NAME is not set\nDAEMON_HOME is not set"],
  ])("%s → Cosmovisor's words, no line of the log, nothing written", async (_case, home, name, args, words) => {
    const lines: string[] = [];
    await expect(init(home, name, args, (line) => lines.push(line))).rejects.toThrow(words);
    expect(lines).toEqual([]);
    expect(existsSync("/example")).toBe(false);
  });

  test("a missing program → UPG_INVALID_ARGUMENT", () => {
    const error = thrownBy(() => requireInitProgram(diskFiles, "/no/such"));
    expect(isUpgradeError(error) && error.code).toBe("UPG_INVALID_ARGUMENT");
  });
});

describe("what is in place already", () => {
  const exe = script(0o755);
  const place = (name: string) => {
    const home = join(root, `in-place-${homes++}`);
    const cosmovisor = join(home, "cosmovisor");
    mkdirSync(cosmovisor, { recursive: true });
    return { home, name, cosmovisor, bin: join(cosmovisor, "genesis", "bin") };
  };

  test("genesis/bin is a file → it is named", async () => {
    const { home, name, cosmovisor, bin } = place("pear");
    mkdirSync(join(cosmovisor, "genesis"));
    writeFileSync(bin, "");
    const words = `the path "${bin}" already exists but is not a directory`;
    await expect(init(home, name, [exe], () => undefined)).rejects.toThrow(words);
  });

  test("genesis/bin/<name> is a folder → no regular file, after three steps", async () => {
    const { home, name, bin } = place("grapes");
    mkdirSync(join(bin, name), { recursive: true });
    const lines: string[] = [];
    await expect(init(home, name, [exe], (line) => lines.push(line))).rejects.toThrow("grapes is not a regular file");
    expect(lines).toEqual([
      "checking on the genesis/bin directory",
      `the "${bin}" directory already exists`,
      "checking on the genesis/bin executable",
      `the "${join(bin, name)}" file already exists`,
      `making sure "${join(bin, name)}" is executable`,
    ]);
  });

  test("current is a file → file exists", async () => {
    const { home, name, cosmovisor } = place("orange");
    writeFileSync(join(cosmovisor, "current"), "");
    const lines: string[] = [];
    const made = init(home, name, [exe], (line) => lines.push(line));
    await expect(made).rejects.toThrow("symlink genesis current: file exists");
    expect(lines).toContain("checking on the current symlink and creating it if needed");
  });
});

describe("what is made", () => {
  test("a blank slate, a program that may not be executed → folders, an executable copy, the link", async () => {
    const home = join(root, "blank");
    const bin = join(home, "cosmovisor/genesis/bin");
    const lines: string[] = [];
    await init(home, "blank", [script(0o644)], (line) => lines.push(line));
    expect(statSync(join(bin, "blank")).mode & 0o111).toBe(0o111);
    expect(readlinkSync(join(home, "cosmovisor/current"))).toBe("genesis");
    expect(lines).toEqual([
      "checking on the genesis/bin directory",
      `creating directory (and any parents): "${bin}"`,
      "checking on the genesis/bin executable",
      `copying executable into place: "${bin}/blank"`,
      `making sure "${bin}/blank" is executable`,
      "checking on the current symlink and creating it if needed",
      `the current symlink points to: "${bin}/blank"`,
    ]);
  });

  test("genesis and upgrades without current → the link alone", async () => {
    const home = join(root, "nocur");
    for (const folder of ["genesis", ...[1, 2, 3, 4, 5].map((at) => `upgrades/upgrade-0${at}`)]) {
      mkdirSync(join(home, "cosmovisor", folder, "bin"), { recursive: true });
      writeFileSync(join(home, "cosmovisor", folder, "bin/nocur"), "#!/bin/sh\n", { mode: 0o755 });
    }
    const lines: string[] = [];
    await init(home, "nocur", [script(0o755)], (line) => lines.push(line));
    const exe = join(home, "cosmovisor/genesis/bin/nocur");
    expect(lines).toContain(`the "${exe}" file already exists`);
    expect(lines).toContain(`the current symlink points to: "${exe}"`);
    expect(readlinkSync(join(home, "cosmovisor/current"))).toBe("genesis");
  });

  test("an empty genesis/bin → the copy and the link", async () => {
    const home = join(root, "emptygen");
    mkdirSync(join(home, "cosmovisor/genesis/bin"), { recursive: true });
    const lines: string[] = [];
    await init(home, "emptygen", [script(0o755)], (line) => lines.push(line));
    expect(lines).toContain(`copying executable into place: "${join(home, "cosmovisor/genesis/bin/emptygen")}"`);
    expect(existsSync(join(home, "cosmovisor/current/bin/emptygen"))).toBe(true);
  });
});
