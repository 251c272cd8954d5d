/** The data of a backup in its place again: whole or not at all, its own home and program, no signature set back. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Files } from "../../../../host/base/files/files.js";
import { endRestore, restoreNote } from "../../../../host/visor/backup/restoring.js";
import { signedBeyond } from "../../../../host/visor/backup/signed-beyond.js";
import type { ScriptsHome } from "../scripts-home.js";
import { back, files, filled, make, signed } from "./filled-home.js";

describe("signedBeyond()", () => {
  const beyond = async (home: ScriptsHome, last: bigint | undefined) => {
    const { folder, manifest } = await make(home);
    return { look: () => signedBeyond({ files, home: home.path, folder, manifest }, last) };
  };

  test("the embedded engine, and the key has signed beyond the backup, by any record of the home → the height and the records", async () => {
    const home = filled();
    home.write("data/chain.mdb", "blocks");
    const { look } = await beyond(home, 60n);
    expect(look()).toBeUndefined();
    home.write("data/priv_validator_state.json", '{"height":"61","round":0,"step":1}');
    home.write("data-before-rollback-1/priv_validator_state.json", '{"height":"70","round":0,"step":2}');
    const records = ["data", "data-before-rollback-1"].map((name) => home.file(name, "priv_validator_state.json"));
    expect(look()).toEqual({ height: 70n, records });
  });

  test("the upgrade's block was signed and not committed → it is made again; committed, or unknown → it would be signed twice", async () => {
    for (const [last, is] of [[48n, undefined] as const, [49n, 49n] as const, [undefined, 49n] as const]) {
      const home = filled();
      home.write("data/chain.mdb", "blocks");
      const { look } = await beyond(home, last);
      home.write("data/priv_validator_state.json", '{"height":"49","round":0,"step":1}');
      expect(look()?.height).toBe(is);
    }
  });

  test("under CometBFT, or with another database → others have the blocks", async () => {
    for (const name of ["data/cs.wal/wal", "data/application.db/x"]) {
      const home = filled();
      if (name.includes("wal")) home.write("data/chain.mdb", "state");
      home.write(name, "");
      const { look } = await beyond(home, 60n);
      home.write("data/priv_validator_state.json", '{"height":"61","round":0,"step":1}');
      expect(look()).toBeUndefined();
    }
  });
});

describe("restore()", () => {
  test("a backup → its data and its program; the data before stays beside; a later signature is kept", async () => {
    const home = filled();
    home.program("genesis", "");
    home.program("upgrades/v2", "");
    symlinkSync("upgrades/v2", home.file("cosmovisor", "current"));
    const { folder } = await make(home);
    home.write("data/application.db/000001.ldb", "broken");
    home.write("data/priv_validator_state.json", '{"height":"50","round":0,"step":1}');
    const done = await back(home, folder);
    const known = { signed: "the present one", signedHeight: 50n };
    expect(done).toEqual({ kept: home.file("data-before-rollback-1"), program: "genesis", ...known });
    expect(home.read("data/application.db/000001.ldb")).toBe("state ".repeat(1_000));
    expect([signed(home), home.current, existsSync(home.file("data", "backup.json"))]).toEqual([
      "50",
      "genesis",
      false,
    ]);
    expect(home.read("data-before-rollback-1/application.db/000001.ldb")).toBe("broken");
  });

  test("a program that is not the present one, `previous` of a later switch, or of this one → there is none before it", async () => {
    for (const previous of ["upgrades/v2", "genesis"]) {
      const home = filled();
      for (const folder of ["genesis", "upgrades/v2", "upgrades/v3"]) home.program(folder, "");
      const { folder } = await make(home);
      symlinkSync("upgrades/v3", home.file("cosmovisor", "current"));
      symlinkSync(previous, home.file("cosmovisor", "previous"));
      await back(home, folder);
      expect([home.current, readdirSync(home.file("cosmovisor")).includes("previous")]).toEqual(["genesis", false]);
    }
  });

  test("the present record is the earlier one, or there is none → the backup's", async () => {
    const home = filled();
    const { folder } = await make(home);
    home.write("data/priv_validator_state.json", '{"height":"47","round":0,"step":2}');
    expect([(await back(home, folder)).signed, signed(home)]).toEqual(["the backup's", "48"]);
    const bare = filled();
    const backup = await make(bare);
    rmSync(bare.file("data"), { recursive: true });
    expect(await back(bare, backup.folder)).toMatchObject({ signed: "the backup's", kept: undefined });
  });

  test("a record in data of an earlier rollback is later than that of the data → it is kept", async () => {
    const home = filled();
    const { folder } = await make(home);
    home.write("data-before-rollback-1/priv_validator_state.json", '{"height":"70","round":0,"step":2}');
    home.write("data-before-rollback-2/priv_validator_state.json", "torn");
    home.write("data/priv_validator_state.json", '{"height":"3","round":0,"step":1}');
    expect([(await back(home, folder)).signed, signed(home)]).toEqual(["the present one", "70"]);
    rmSync(home.file("data", "priv_validator_state.json"));
    expect([(await back(home, folder)).signed, signed(home)]).toEqual(["the present one", "70"]);
  });

  test.each(["torn", "", "null", '{"height":1.5}'])(
    "a present record %j → UPG_STORE_CORRUPT: what was signed is not known, and the data is as it was",
    async (record) => {
      const home = filled();
      const { folder } = await make(home);
      home.write("data/application.db/CURRENT", "3");
      home.write("data/priv_validator_state.json", record);
      const words = "cannot be read, so it is not known what the consensus key signed last";
      await expect(back(home, folder)).rejects.toMatchObject({
        code: "UPG_STORE_CORRUPT",
        message: expect.stringContaining(words),
      });
      expect([home.read("data/application.db/CURRENT"), home.read("data/priv_validator_state.json")]).toEqual([
        "3",
        record,
      ]);
    },
  );

  test.each([
    ["another home's", { data: "/srv/other/data" }],
    ["of a program that is not here", { program: "upgrades/gone" }],
    ["of a program elsewhere", { program: "../../../etc" }],
    ["of a program above", { program: "upgrades/.." }],
  ])("a backup %s → UPG_INVALID_ARGUMENT, data and link are as they were", async (_, change) => {
    const home = filled();
    const { folder, manifest } = await make(home);
    home.write("data/application.db/CURRENT", "3");
    const other = back(home, folder, { manifest: { ...manifest, ...change } });
    await expect(other).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect([home.read("data/application.db/CURRENT"), existsSync(home.file("data-before-rollback-1"))]).toEqual([
      "3",
      false,
    ]);
  });

  test("too little room, or a disk that fills up → UPG_STORE_FULL or what it says, nothing left of the copy, the data as it was", async () => {
    const home = filled();
    const { folder } = await make(home);
    const full = { ...files, freeBytes: () => 1_000 };
    await expect(back(home, folder, { files: full })).rejects.toMatchObject({ code: "UPG_STORE_FULL" });
    const filling = { ...files, copy: () => Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })) };
    await expect(back(home, folder, { files: filling })).rejects.toThrow("ENOSPC");
    expect([existsSync(home.file("data.restoring")), signed(home)]).toEqual([false, "48"]);
    chmodSync(home.file("data"), 0o750);
    await back(home, folder);
    expect(statSync(home.file("data")).mode & 0o777).toBe(0o750);
  });

  test("data is a link to another disk → UPG_INVALID_CONFIG names both places, and the link stays", async () => {
    const home = filled();
    const { folder } = await make(home);
    const target = home.file("disk2");
    renameSync(home.file("data"), target);
    symlinkSync("disk2", home.file("data"));
    await expect(back(home, folder)).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringMatching(new RegExp(`${home.file("data")} is a link to ${target}: `)),
    });
    expect(readlinkSync(home.file("data"))).toBe("disk2");
  });

  test("a backup that is damaged → UPG_STORE_CORRUPT, and the data is as it was", async () => {
    const home = filled();
    const { folder } = await make(home);
    writeFileSync(join(folder, "application.db/CURRENT"), "2");
    home.write("data/application.db/CURRENT", "3");
    await expect(back(home, folder)).rejects.toMatchObject({ code: "UPG_STORE_CORRUPT" });
    expect(home.read("data/application.db/CURRENT")).toBe("3");
    rmSync(join(folder, "application.db/CURRENT"));
    await expect(back(home, folder)).rejects.toThrow("is missing");
  });

  /** A restore that is killed at each of its calls of files, one after the other; then what `after` does. */
  async function cutAtEachCall(after: (home: ScriptsHome, folder: string, what: string) => Promise<void>) {
    let calls = 1;
    for (let at = 0; at < calls; at++) {
      const home = filled();
      home.program("upgrades/v2", "");
      symlinkSync("upgrades/v2", home.file("cosmovisor", "current"));
      const { folder } = await make(home);
      home.write("data/priv_validator_state.json", '{"height":"99","round":0,"step":1}');
      home.write("data/application.db/CURRENT", "9");
      let count = 0;
      const failing = Object.fromEntries(
        Object.entries(files).map(([name, call]) => [
          name,
          (...args: unknown[]) => {
            if (count++ >= at) throw new Error("killed");
            return (call as (...given: unknown[]) => unknown)(...args);
          },
        ]),
      ) as unknown as Files;
      await back(home, folder, { files: failing }).catch(() => undefined);
      calls = Math.max(calls, count + 1);
      await after(home, folder, `call ${at}`);
      if (count < at) break;
    }
    expect(calls).toBeGreaterThan(20);
  }
  const seen = (home: ScriptsHome) => [signed(home), home.read("data/application.db/CURRENT"), home.current];
  const BEFORE = ["99", "9", "upgrades/v2"];
  const AFTER = ["99", "1", "genesis"];
  const endOf = (home: ScriptsHome) => endRestore({ files, home: home.path, root: home.settings().root });

  test("cut at any call, and made again → the data is restored, and the later signature is never lost", () =>
    cutAtEachCall(async (home, folder, what) => {
      await back(home, folder);
      expect(seen(home), what).toEqual(AFTER);
    }));

  test("cut at any call → the next start has the old data and program, or the new ones, never one of each", async () => {
    const ends = new Set<string>();
    await cutAtEachCall(async (home, folder, what) => {
      const isUnderWay = restoreNote({ files, root: home.settings().root }) !== undefined;
      const ended = endOf(home);
      expect(ended?.note.folder, what).toBe(isUnderWay ? folder : undefined);
      const now = seen(home);
      expect([BEFORE, AFTER], what).toContainEqual(now);
      if (isUnderWay) expect(now, what).toEqual(AFTER);
      expect(existsSync(home.file("data-before-rollback-1")), what).toBe(now[1] === "1");
      expect(endOf(home), what).toBeUndefined();
      ends.add(`${isUnderWay} ${now[1]}`);
    });
    expect([...ends].sort()).toEqual(["false 1", "false 9", "true 1"]);
  });

  test("cut off between its renames, and a program made data of its own → that stays beside, the later signature counts", async () => {
    const home = filled();
    const { folder } = await make(home);
    home.write("cosmovisor/rollback.json", JSON.stringify({ v: 1, folder, program: "genesis" }));
    home.write("data.restoring/priv_validator_state.json", '{"height":"48","round":0,"step":3}');
    home.write("data.restoring/of", "the backup");
    home.write("data/priv_validator_state.json", '{"height":"120","round":0,"step":3}');
    expect(endOf(home)).toMatchObject({ kept: home.file("data-before-rollback-1") });
    expect([signed(home), home.read("data/of"), home.current]).toEqual(["120", "the backup", "genesis"]);
  });

  test.each(["{", '{"v":2}', '{"v":1,"folder":"x","program":"../.."}'])("a note %j → UPG_STORE_CORRUPT", (text) => {
    const home = filled();
    home.write("cosmovisor/rollback.json", text);
    expect(() => endOf(home)).toThrow("is no note of a rollback");
  });
});
