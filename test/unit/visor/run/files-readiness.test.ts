/** Files of a home that the switch cannot use: of the wrong kind, or closed to the user as whom the node runs. */
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import type { Files } from "../../../../host/base/files/files.js";
import { returnedHeights } from "../../../../host/visor/decide/decision/returned.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { filesReadiness } from "../../../../host/visor/stage/files-readiness.js";
import { planText, ScriptsHome } from "../scripts-home.js";

const USER = 65_534;

function homeWithProgram() {
  const home = new ScriptsHome();
  home.program("genesis", "exit 0");
  return { home, program: home.program("upgrades/v2", "exit 0") };
}

describe("filesReadiness()", () => {
  test.each([
    "data/halt.json",
    "data/upgrade-info.json",
    "data/priv_validator_state.json",
    "cosmovisor/upgrades/v2/upgrade-info.json",
    "cosmovisor/queue.json",
    "cosmovisor/previous",
  ])("%s is a folder → wrong, with the command that moves it away", (name) => {
    const { home, program } = homeWithProgram();
    expect(filesReadiness(diskFiles, home.settings(), program)).toEqual([]);
    mkdirSync(home.file(name));
    const next = `mv ${home.file(name)} ${home.file(name)}.wrong`;
    expect(filesReadiness(diskFiles, home.settings(), program)).toMatchObject([
      { what: "files", state: "wrong", detail: expect.stringContaining("and is a folder"), next },
    ]);
  });

  test("files and a link in their places → nothing", () => {
    const { home, program } = homeWithProgram();
    for (const name of ["data/halt.json", "cosmovisor/upgrades/v2/upgrade-info.json"]) home.write(name, "{}");
    symlinkSync("genesis", home.file("cosmovisor/previous"));
    expect(filesReadiness(diskFiles, home.settings(), program)).toEqual([]);
  });

  test("a folder that is root's, 0700, in a home of another user → wrong, with the owner and the mode; 0755 → a program may be run", () => {
    const { home, program } = homeWithProgram();
    const upgrades = home.file("cosmovisor/upgrades");
    const facts =
      (mode: number): Files["facts"] =>
      (path) => {
        const found = diskFiles.facts(path);
        return found && { ...found, ...(path === upgrades ? { uid: 0, gid: 0, mode } : { uid: USER, gid: USER }) };
      };
    const found = (mode: number) => filesReadiness({ ...diskFiles, facts: facts(mode) }, home.settings(), program);
    expect(found(0o700)).toMatchObject([
      {
        what: "files",
        state: "wrong",
        detail: `user ${USER}, as whom the node runs, cannot read, enter or run ${upgrades} (owner 0, mode 0700)`,
        next: expect.stringMatching(new RegExp(`^chown -R ${USER}:${USER} `)),
      },
    ]);
    expect(found(0o755)).toEqual([]);
  });
});

describe("filesReadiness() records", () => {
  test.each(["returned.json", "passed.json", "queue.json"])(
    "%s is damaged → wrong, with the command that moves it away",
    (name) => {
      const { home, program } = homeWithProgram();
      for (const text of ["junk", "", "[]", '{"v":2}', '{"v":1,"heights":["x"],"plans":[{}]}']) {
        const file = home.write(`cosmovisor/${name}`, text);
        expect(filesReadiness(diskFiles, home.settings(), program)).toMatchObject([
          {
            what: "files",
            state: "wrong",
            detail: expect.stringContaining(`${file} is no list of`),
            next: `mv ${file} ${file}.wrong`,
          },
        ]);
      }
    },
  );

  test("a start with a damaged returned.json → an error with its code, the file and the command", () => {
    const { home } = homeWithProgram();
    const file = home.write("cosmovisor/returned.json", "junk");
    expect(() => returnedHeights(diskFiles, file)).toThrow(expect.objectContaining({ code: "UPG_STORE_CORRUPT" }));
    expect(() => returnedHeights(diskFiles, file)).toThrow(`move it away with \`mv ${file} ${file}.wrong\``);
  });
});

describe("filesReadiness() tries what it needs to write", () => {
  /** The system refuses below this path. */
  const refusing = (at: string, code: string): Files => ({
    ...diskFiles,
    tryWrite: (path, what) => {
      if (path === at || path.startsWith(`${at}/`)) throw Object.assign(new Error(`${code}: refused`), { code });
      diskFiles.tryWrite(path, what);
    },
  });

  test.each([
    ["data", "EROFS", "findmnt -T DIR"],
    ["data", "ENOSPC", "df -h DIR && df -i DIR"],
    ["data", "EDQUOT", "quota -v"],
    ["cosmovisor", "EROFS", "findmnt -T DIR"],
    ["cosmovisor/upgrades/v2", "EPERM", "chattr -ia DIR"],
  ])("%s refuses with %s → wrong, once, with the folder and a command", (name, code, next) => {
    const { home, program } = homeWithProgram();
    home.write("data/halt.json", "{}");
    const at = home.file(name);
    expect(filesReadiness(refusing(at, code), home.settings(), program)).toEqual([
      {
        what: "files",
        state: "wrong",
        detail: `${at} cannot be written, and the upgrade writes there: ${code}: refused`,
        next: next.replaceAll("DIR", at),
      },
    ]);
  });

  test.each(["data/upgrade-info.json", "data/halt.json", "cosmovisor/last-start.json"])(
    "%s is immutable → wrong",
    (name) => {
      const { home, program } = homeWithProgram();
      home.write(name, "{}");
      const found = filesReadiness(refusing(home.file(name), "EPERM"), home.settings(), program);
      expect(found).toMatchObject([{ state: "wrong", next: `chattr -ia ${home.file(name)}` }]);
    },
  );

  test("a user without rights asks → unknown, with the user to ask as; for the node's own user the permissions decide", () => {
    const { home, program } = homeWithProgram();
    const owned = (uid: number, refused: Files): Files => ({
      ...refused,
      facts: (path) => {
        const found = diskFiles.facts(path);
        return found && { ...found, uid, gid: uid };
      },
    });
    const getuid = vi.spyOn(process as { getuid: () => number }, "getuid").mockReturnValue(1_234);
    try {
      const refused = refusing(home.file("data"), "EACCES");
      expect(filesReadiness(owned(USER, refused), home.settings(), program)).toMatchObject([
        { what: "files", state: "unknown", detail: expect.stringContaining(`ask as user ${USER}, `) },
      ]);
      expect(filesReadiness(owned(1_234, refused), home.settings(), program)).toEqual([]);
    } finally {
      getuid.mockRestore();
    }
  });

  test("nothing is left behind, and what a killed process left is removed", () => {
    const { home, program } = homeWithProgram();
    home.write("data/.write-probe.tmp", "");
    home.write("data/halt.json", "{}");
    const before = [statSync(home.file("data/halt.json")).mode, readdirSync(home.file("cosmovisor"))];
    expect(filesReadiness(diskFiles, home.settings(), program)).toEqual([]);
    expect(readdirSync(home.file("data"))).toEqual(["halt.json"]);
    expect([statSync(home.file("data/halt.json")).mode, readdirSync(home.file("cosmovisor"))]).toEqual(before);
  });

  test("tryWrite() where a pipe or a link has the probe's name → an error or a file, and no other file is written to", () => {
    const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-probe-"));
    const other = join(folder, "other");
    writeFileSync(other, "kept");
    symlinkSync(other, join(folder, ".write-probe.tmp"));
    diskFiles.tryWrite(folder);
    diskFiles.tryWrite(folder, "link");
    expect([readFileSync(other, "utf8"), readdirSync(folder)]).toEqual(["kept", ["other"]]);
    rmSync(folder, { recursive: true });
  });
});

test.skipIf(process.getuid?.() !== 0)(
  "root writes into a home of another user → files, folders and copies are that user's",
  async () => {
    const home = mkdtempSync(join(tmpdir(), "chain-upgrade-owner-"));
    const umask = process.umask(0o077);
    try {
      chownSync(home, USER, USER);
      const folder = join(home, "a", "b");
      diskFiles.makeFolder(folder, 0o755);
      const file = diskFiles.open(join(folder, "f"), "new", 0o644);
      file.close();
      await diskFiles.copy(join(folder, "f"), join(folder, "g"));
      const owners = [join(home, "a"), folder, join(folder, "f"), join(folder, "g")].map((path) => lstatSync(path).uid);
      expect(owners).toEqual([USER, USER, USER, USER]);
    } finally {
      process.umask(umask);
      rmSync(home, { recursive: true });
    }
  },
);

test("exit 10 with the plan's file, and no record that can be written → the switch is made", async () => {
  const home = new ScriptsHome();
  home.write("data/chain.mdb", "");
  mkdirSync(home.file("data/halt.json"));
  home.program("genesis", `printf '%s' '${planText("v2", 40)}' > ${home.planFile}; exit 10`);
  home.program("upgrades/v2", "echo new >> $OUT; exit 0");
  chmodSync(home.file("data"), 0o755);
  expect(await home.run(["start"], {}, { machine: realMachine })).toBe(0);
  expect([home.current, home.out.includes("new")]).toEqual(["upgrades/v2", true]);
});
