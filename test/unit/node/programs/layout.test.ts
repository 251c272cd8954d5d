/** Cosmovisor's folders: which program runs first, where that of a plan is, and the link to the current one. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { Layout, type LayoutOptions } from "../../../../host/node/programs/layout.js";
import { linkProgram } from "../../../../host/visor/stage/layout/link-program.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-layout-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;

function layout(options: Partial<LayoutOptions> = {}) {
  const home = join(root, `h${homes++}`);
  mkdirSync(home);
  const all = {
    home,
    name: "chaind",
    program: undefined,
    upgrades: new Map<string, string>(),
    own: "/own/chaind.js",
    isCaseKept: false,
  };
  const put = (folder: string, mode = 0o755) => {
    const file = join(home, "cosmovisor", folder, "bin/chaind");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\n", { mode });
    return file;
  };
  return { home, put, layout: new Layout({ ...all, ...options }), link: join(home, "cosmovisor/current") };
}

function codeOf(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return isUpgradeError(error) ? `${error.code} ${error.message}` : error;
  }
}

describe("Layout.current()", () => {
  test("no folders → the program that runs; --program counts more", () => {
    expect(layout().layout.current()).toEqual({ name: "chaind.js", file: "/own/chaind.js", folder: undefined });
    expect(layout({ program: "/bin/sh" }).layout.current()).toMatchObject({ name: "sh", file: "/bin/sh" });
    expect(codeOf(() => layout({ program: "/no/such" }).layout.current())).toMatch(
      /^UPG_INVALID_CONFIG \/no\/such is missing/,
    );
  });

  test("folders without a link → genesis, linked; a file without its x bits gets them", () => {
    const { layout: found, put, link } = layout();
    const file = put("genesis", 0o600);
    expect(found.current()).toEqual({ name: "genesis", file, folder: "genesis" });
    expect(readlinkSync(link)).toBe("genesis");
    expect(statSync(file).mode & 0o777).toBe(0o711);
  });

  test("no link, and a switch was made → refused with the folder of the last one; the first program is not linked", () => {
    const { layout: found, put, link, home } = layout();
    put("genesis");
    put("upgrades/v2");
    put("upgrades/v3");
    writeFileSync(join(home, "cosmovisor/upgrades/v2/upgrade-info.json"), '{"name":"v2","height":20}');
    expect(codeOf(() => found.current())).toContain(
      `UPG_INVALID_CONFIG ${link} is gone, and a switch to upgrades/v2 was made at height 20`,
    );
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
    writeFileSync(join(home, "cosmovisor/upgrades/v2/upgrade-info.json"), "torn");
    expect(codeOf(() => found.current())).toMatchObject({ folder: "genesis" });
  });

  test("a link to an upgrade, relative or whole → its program; to elsewhere, or a file → refused", () => {
    const { layout: found, put, link, home } = layout();
    const file = put("upgrades/v2");
    for (const target of ["upgrades/v2", join(home, "cosmovisor/upgrades/v2")]) {
      rmSync(link, { force: true });
      symlinkSync(target, link);
      expect(found.current()).toEqual({ name: "v2", file, folder: "upgrades/v2" });
    }
    rmSync(link);
    symlinkSync("../elsewhere", link);
    expect(codeOf(() => found.current())).toContain("expected genesis, or upgrades/ and a name");
    rmSync(link);
    writeFileSync(link, "");
    expect(codeOf(() => found.current())).toContain("is to be a link");
  });
});

describe("Layout.of()", () => {
  test.each([
    ["v2", "v2"],
    ["V2-Rho", "v2-rho"],
    ["some spaces", "some%20spaces"],
    ["a/b;c,d?e", "a%2Fb%3Bc%2Cd%3Fe"],
    ["$&+=:@-_.~!'()*", "$&+=:@-_.~%21%27%28%29%2A"],
    ["ü", "%C3%BC"],
  ])("%s → the folder that Cosmovisor gives it, %s", (plan, folder) => {
    expect(layout().layout.of(plan)).toMatchObject({ name: plan, folder: `upgrades/${folder}` });
  });

  test("COSMOVISOR_DISABLE_RECASE → as it is; a program that was named → that; .. → refused", () => {
    expect(layout({ isCaseKept: true }).layout.of("V2").folder).toBe("upgrades/V2");
    const upgrades = new Map([["V2", "/opt/v2"]]);
    expect(layout({ upgrades }).layout.of("V2")).toEqual({ name: "V2", file: "/opt/v2", folder: undefined });
    expect(codeOf(() => layout().layout.of(".."))).toContain("name its program with --upgrade");
  });
});

describe("linkProgram()", () => {
  test("a program in a folder → linked by one rename, the plan beside it, nothing else left; one elsewhere → refused", () => {
    const { layout: found, put, link, home } = layout();
    put("genesis");
    put("upgrades/v2");
    const before = found.current();
    const root = join(home, "cosmovisor");
    const plan = { name: "v2", height: 9n, info: "" };
    linkProgram(diskFiles, root, before, found.of("v2"), plan);
    expect(readlinkSync(link)).toBe("upgrades/v2");
    expect(readlinkSync(join(root, "previous"))).toBe("genesis");
    const written = readFileSync(join(root, "upgrades/v2/upgrade-info.json"), "utf8");
    expect(JSON.parse(written)).toMatchObject({ name: "v2", height: 9 });
    expect(readdirSync(root).sort()).toEqual(["current", "genesis", "previous", "upgrades"]);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    const elsewhere = { name: "x", file: "/bin/sh", folder: undefined };
    expect(() => linkProgram(diskFiles, root, before, elsewhere, plan)).toThrow("is in no folder");
    expect(readlinkSync(link)).toBe("upgrades/v2");
  });
});
