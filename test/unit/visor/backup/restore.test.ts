/** The data of a backup in its place again: whole or not at all, its own home and program, no signature set back. */
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Files } from "../../../../host/programs/files.js";

import { back, files, filled, make, signed } from "./filled-home.js";

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
    expect(done).toEqual({ kept: home.file("data-before-rollback-1"), program: "genesis", isSignedKept: true });
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

  test("the present record is the earlier one → the backup's; it cannot be read → it stays", async () => {
    const home = filled();
    const { folder } = await make(home);
    home.write("data/priv_validator_state.json", '{"height":"48","round":0,"step":2}');
    expect((await back(home, folder)).isSignedKept).toBe(false);
    expect(signed(home)).toBe("48");
    home.write("data/priv_validator_state.json", "torn");
    expect((await back(home, folder)).isSignedKept).toBe(true);
  });

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

  test("cut at any call, and made again → the data is restored, and the later signature is never lost", async () => {
    let calls = 1;
    for (let at = 0; at < calls; at++) {
      const home = filled();
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
      await back(home, folder);
      expect([signed(home), home.read("data/application.db/CURRENT")], `call ${at}`).toEqual(["99", "1"]);
      if (count < at) break;
    }
    expect(calls).toBeGreaterThan(20);
  });
});
