/** A data folder that cannot be moved aside: refused before anything is written, and a rollback that began on it is canceled. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { isMountPoint } from "../../../../host/base/files/mount-point.js";
import { cancelRestore, endRestore, Unmovable } from "../../../../host/visor/backup/restoring.js";
import { mountOver } from "../../../small-disk.js";
import type { ScriptsHome } from "../scripts-home.js";
import { back, files, filled, make, signed } from "./filled-home.js";

const unmounts: (() => void)[] = [];
afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount();
});

const KINDS = ["a file system of its own", "a bind mount of the same file system"] as const;

/** @returns false: this user may not mount anything */
function mountData(home: ScriptsHome, kind: (typeof KINDS)[number]): boolean {
  const [data, before] = [home.file("data"), home.file("before mount")];
  renameSync(data, before);
  mkdirSync(data);
  const options = kind === KINDS[0] ? ["-t", "tmpfs", "-o", "size=4m", "tmpfs"] : ["--bind", before];
  const unmount = mountOver(data, ...options);
  if (!unmount) return false;
  unmounts.push(unmount);
  if (kind === KINDS[0]) cpSync(before, data, { recursive: true, verbatimSymlinks: true });
  return true;
}

/** After the upgrade: the backup's program is the one before it. */
async function upgraded() {
  const home = filled();
  home.program("upgrades/v2", "");
  symlinkSync("upgrades/v2", home.file("cosmovisor", "current"));
  return { home, ...(await make(home)) };
}

test.each(KINDS)(
  "%s (needs root) → UPG_INVALID_CONFIG, nothing is written; its commands restore the backup",
  async (kind) => {
    const { home, folder } = await upgraded();
    if (!mountData(home, kind)) return;
    home.write("data/application.db/CURRENT", "9");
    home.write("data/priv_validator_state.json", '{"height":"50","round":0,"step":1}');
    const before = readdirSync(home.path);
    const error = await back(home, folder).catch((cause) => cause);
    expect(error).toMatchObject({ code: "UPG_INVALID_CONFIG", message: expect.stringContaining("is a mount point") });
    expect([readdirSync(home.path), existsSync(home.file("cosmovisor/rollback.json"))]).toEqual([before, false]);
    const [, command = ""] = /`(mkdir .*)`/.exec(error.message) ?? [];
    execFileSync("sh", ["-c", command]);
    expect([signed(home), home.read("data/application.db/CURRENT"), home.current]).toEqual(["50", "1", "genesis"]);
    expect(home.read("data-before-rollback-1/application.db/CURRENT")).toBe("9");
    expect(readdirSync(home.file("data")).sort()).toEqual(["application.db", "priv_validator_state.json"]);
  },
);

test.each(["EBUSY", "EXDEV", "EACCES"])(
  "the system refuses to move it with %s → data and program as they were, nothing is left",
  async (code) => {
    const { home, folder } = await upgraded();
    home.write("data/application.db/CURRENT", "9");
    const refuse = (from: string, to: string) => {
      if (from === home.file("data")) throw Object.assign(new Error(`${code}: rename`), { code });
      files.rename(from, to);
    };
    const before = readdirSync(home.path);
    const wanted = code === "EACCES" ? "UPG_STORE_IO" : "UPG_INVALID_CONFIG";
    await expect(back(home, folder, { files: { ...files, rename: refuse } })).rejects.toMatchObject({ code: wanted });
    expect([readdirSync(home.path), existsSync(home.file("cosmovisor/rollback.json"))]).toEqual([before, false]);
    expect([home.read("data/application.db/CURRENT"), home.current]).toEqual(["9", "upgrades/v2"]);
  },
);

test("a rollback that began on a mount point (needs root) → its end is refused with a code; canceled → as before", async () => {
  const { home, folder } = await upgraded();
  if (!mountData(home, KINDS[1])) return;
  home.write("cosmovisor/rollback.json", JSON.stringify({ v: 1, folder, program: "genesis" }));
  home.write("data.restoring/of", "the backup");
  const place = { files, home: home.path, root: home.settings().root };
  expect(() => endRestore(place)).toThrow(Unmovable);
  const run = home.run(["start"]);
  expect(await run).not.toBe(0);
  expect(home.lines.join("\n")).toMatch(/cannot be moved to .*\[UPG_INVALID_CONFIG\]/);
  expect(home.board.current).toMatchObject({
    phase: "failed",
    next: [expect.stringMatching(/chainvisor .*rollback$/)],
  });
  cancelRestore(place);
  expect([endRestore(place), existsSync(home.file("data.restoring"))]).toEqual([undefined, false]);
  expect([home.read("data/application.db/CURRENT"), home.current]).toEqual(["1", "upgrades/v2"]);
});

test("a mount below a name with spaces and letters of other scripts (needs root), reached by a link → found; its parent, none, a file → not", () => {
  const home = filled();
  const folder = home.file("a b\\ü");
  mkdirSync(`${folder}/data`, { recursive: true });
  symlinkSync(folder, home.file("link"));
  const unmount = mountOver(`${folder}/data`, "--bind", folder);
  if (unmount) unmounts.push(unmount);
  expect(isMountPoint(home.file("link/data"))).toBe(unmount !== undefined);
  expect(["link", "none", "data/application.db/CURRENT"].map((name) => isMountPoint(home.file(name)))).toEqual([
    false,
    false,
    false,
  ]);
});
