/** What the doctor says of data that is missing, and of the sidecar's records that are damaged. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskFiles } from "../../../host/base/files/disk-files.js";
import { readSettings } from "../../../host/visor/decide/settings/read.js";
import { examine } from "../../../host/visor/stage/doctor/doctor.js";
import { goodHome, look } from "./doctor-home.js";

describe("examine() data that is missing", () => {
  const missing = (put: (home: ReturnType<typeof goodHome>) => void = () => undefined) => {
    const good = goodHome();
    rmSync(join(good.home, "data"), { recursive: true });
    put(good);
    return look(good.home, { env: { UNSAFE_SKIP_BACKUP: "true" } }).join("\n");
  };
  test("of a new home → init", () => {
    expect(missing()).toMatch(/this is no node's home yet → n init NAME/);
  });
  test("of a home whose rollback was interrupted → the command that completes it, also when the data is there", () => {
    const expected = /wrong data: a rollback was interrupted .* → chainvisor --home \S+ --name n rollback$/m;
    expect(missing(({ put }) => put("cosmovisor/rollback.json"))).toMatch(expected);
    const good = goodHome();
    good.put("cosmovisor/rollback.json");
    expect(look(good.home).join("\n")).toMatch(expected);
  });
  test.each(["data.restoring", "data-before-rollback-1"])("of a home with %s → no init, rollback", (name) => {
    const found = missing(({ home }) => mkdirSync(join(home, name)));
    expect(found).toMatch(new RegExp(`this home has earlier data: \\S*${name}\\..* → chainvisor \\S.* rollback$`, "m"));
    expect(found).not.toContain("init");
  });
});

test.each(["returned.json", "passed.json"])(
  "examine() a damaged %s → wrong, with the command, also without a plan",
  (name) => {
    const { home, put } = goodHome();
    const file = put(`cosmovisor/${name}`, "junk");
    expect(look(home)).toEqual([expect.stringMatching(new RegExp(`^wrong files: ${file} is no list of .* → mv `))]);
  },
);

test("examine() a genesis document with which no chain begins → wrong; both commands name this home, not the program's default", () => {
  const { home } = goodHome();
  const read = readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n" }, undefined);
  const found = examine({
    files: diskFiles,
    read,
    platform: "linux",
    arch: "x64",
    units: undefined,
    genesis: "no power",
  });
  expect(found.filter(({ what }) => what === "genesis")).toEqual([
    {
      ...{ level: "wrong", what: "genesis", next: `cp GENESIS.json ${home}/config/genesis.json` },
      detail: expect.stringContaining(`\`n genesis add-account KEY COINS --validator --home ${home}\``),
    },
  ]);
});
