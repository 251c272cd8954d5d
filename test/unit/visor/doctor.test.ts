/** Everything an operator can get wrong: each broken home is found out, with words and the next command. */
import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskFiles } from "../../../host/base/files/disk-files.js";
import { sha256 } from "../../../host/base/native/sha256.js";
import { toHex } from "../../../host/base/text/bytes.js";
import { encodeText } from "../../../host/base/text/text.js";
import { rememberDownload } from "../../../host/visor/stage/verified-download.js";
import { elf, goodHome, look, lookAtAll, SCRIPT } from "./doctor-home.js";

test("examine() a home that is right → nothing", () => {
  expect(look(goodHome().home)).toEqual([]);
});

const sums = (home: string) => lookAtAll(home).filter((line) => line.includes(" checksum v2"));

describe("examine() the current program", () => {
  type Home = ReturnType<typeof goodHome>;
  test.each<[string, (home: Home) => void, string]>([
    [
      "a link that leads nowhere",
      ({ link }) => link("upgrades/gone"),
      "leads to upgrades/gone, where nothing is → ln -sfn genesis",
    ],
    [
      "a link that leads nowhere, after a switch",
      ({ link, put }) => link("upgrades/gone") ?? put("cosmovisor/upgrades/v2/upgrade-info.json", '{"height":9}'),
      "where nothing is → ln -sfn upgrades/v2",
    ],
    [
      "no link, after two switches",
      ({ root, put }) => {
        rmSync(join(root, "current"));
        put("cosmovisor/upgrades/v2/upgrade-info.json", '{"name":"v2","height":9}');
        put("cosmovisor/upgrades/v10/upgrade-info.json", '{"name":"v10","height":"100"}');
        put("cosmovisor/upgrades/v3/bin/n");
      },
      "current is gone, and a switch to upgrades/v10 was made at height 100",
    ],
    ["a link that leads out", ({ link }) => link("/bin"), "leads out of"],
    [
      "a file",
      ({ put, root }) => {
        rmSync(join(root, "current"));
        put("cosmovisor/current");
      },
      "must be a link, and is a file",
    ],
    [
      "no link and no genesis",
      ({ root }) => rmSync(root, { recursive: true }) ?? mkdirSync(root),
      "→ chainvisor init PROGRAM",
    ],
    [
      "an absolute link",
      ({ link, root }) => link(join(root, "genesis")),
      "is absolute: it breaks when the home is moved",
    ],
    ["no program", ({ root }) => rmSync(join(root, "genesis/bin/n")), "genesis/bin/n is missing"],
    [
      "a folder",
      ({ root }) => {
        rmSync(join(root, "genesis/bin/n"));
        mkdirSync(join(root, "genesis/bin/n"));
      },
      "is no regular file",
    ],
    ["an empty file", ({ put }) => put("cosmovisor/genesis/bin/n", ""), "is empty"],
    [
      "a file that may not be executed",
      ({ put }) => put("cosmovisor/genesis/bin/n", SCRIPT, 0o644),
      "may not be executed",
    ],
    [
      "another machine's",
      ({ put }) => put("cosmovisor/genesis/bin/n", elf(183)),
      "is built for linux/arm64, and this machine is linux/amd64",
    ],
    [
      "another C library's",
      ({ put }) => put("cosmovisor/genesis/bin/n", elf(62, "/lib/ld-none.so.1")),
      "needs /lib/ld-none.so.1, which",
    ],
    ["half a program", ({ put }) => put("cosmovisor/genesis/bin/n", elf(62).subarray(0, 20)), "is cut off"],
    [
      "macOS's",
      ({ put }) => put("cosmovisor/genesis/bin/n", Uint8Array.of(0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1, 3)),
      "is built for darwin/amd64, and this machine is linux/amd64",
    ],
    [
      "an archive",
      ({ put }) => put("cosmovisor/genesis/bin/n", Uint8Array.of(0x1f, 0x8b, 8, 0)),
      "is a gzip archive, not a program",
    ],
    [
      "a web page",
      ({ put }) => put("cosmovisor/genesis/bin/n", "<!DOCTYPE html><p>404"),
      "is a web page, not a program",
    ],
    [
      "a script of a missing interpreter",
      ({ put }) => put("cosmovisor/genesis/bin/n", "#!/no/such/sh -e\n"),
      "is run by /no/such/sh",
    ],
    [
      "a script from Windows",
      ({ put }) => put("cosmovisor/genesis/bin/n", "#!/bin/sh\r\n"),
      "lines that end as on Windows",
    ],
  ])("%s → said", (_case, breakIt, words) => {
    const home = goodHome();
    breakIt(home);
    expect(look(home.home).join("\n")).toContain(words);
  });
});

describe("examine() upgrades and plans", () => {
  test("a folder in another case, one without its program, one whose file has another name → named with the command", () => {
    const { home, put, root } = goodHome();
    put("cosmovisor/upgrades/V8-Rho/bin/n");
    mkdirSync(join(root, "upgrades/v9"));
    put("cosmovisor/upgrades/v10/bin/m");
    put("cosmovisor/upgrades/some%20Spaces%2F/bin/n");
    const found = look(home).join("\n");
    expect(found).toContain(`upgrades/V8-Rho is never looked at: plans are looked for in lower case, as v8-rho`);
    expect(found).toContain(`→ mv ${root}/upgrades/V8-Rho ${root}/upgrades/v8-rho`);
    expect(found).toContain("upgrades/v9/bin/n is missing → chainvisor add-upgrade v9 PROGRAM --force");
    expect(found).toContain("upgrades/v10/bin/n is missing; there is m");
    expect(found).toContain("as some%20spaces%2F (");
    expect(look(home, { env: { COSMOVISOR_DISABLE_RECASE: "true" } }).join("\n")).not.toContain("never looked at");
  });

  test("what ended half-way → a warning each", () => {
    const { home, put } = goodHome();
    put("cosmovisor/upgrades/v2#part/file");
    put("cosmovisor/genesis/bin/n.part");
    expect(look(home)).toHaveLength(2);
  });

  test("a plan without its program → wrong; with a download that is allowed a warning", () => {
    const { home, put } = goodHome();
    put("data/upgrade-info.json", '{"name":"V2","height":7,"info":"{\\"binaries\\":{}}"}');
    expect(look(home)).toEqual([
      `wrong plan v2: at height 7: ${home}/cosmovisor/upgrades/v2/bin/n is missing → chainvisor add-upgrade v2 PROGRAM`,
    ]);
    const env = { DAEMON_ALLOW_DOWNLOAD_BINARIES: "true", DAEMON_DOWNLOAD_MUST_HAVE_CHECKSUM: "true" };
    expect(look(home, { env })[0]).toMatch(/^warning plan v2: .* it will be downloaded → chainvisor prepare$/);
  });

  test("a plan whose checksum is another program's → wrong; its own → right; an archive's → a warning: nobody compared it", () => {
    const { home, put } = goodHome();
    const plan = (url: string) =>
      put(
        "data/upgrade-info.json",
        JSON.stringify({ name: "v2", height: 7, info: JSON.stringify({ binaries: { any: url } }) }),
      );
    put("cosmovisor/upgrades/v2/bin/n");
    plan(`https://example.com/n?checksum=sha256:${"ab".repeat(32)}`);
    expect(look(home)[0]).toContain(
      `another build, or not what was published → chainvisor --home ${home} --name n add-upgrade v2 PROGRAM --force`,
    );
    plan(`https://example.com/n?checksum=sha256:${toHex(sha256(encodeText(SCRIPT)))}`);
    expect(look(home)).toEqual([]);
    plan(`https://example.com/n?checksum=sha512:${createHash("sha512").update(SCRIPT).digest("hex")}`);
    expect(sums(home)).toEqual([expect.stringMatching(/^ok checksum v2: .*is the program that the plan names$/)]);
    plan(`https://example.com/n?checksum=sha512:${"ab".repeat(64)}`);
    expect(look(home)[0]).toContain("has SHA-512 ");
    for (const [url, why] of [
      [
        `n.tar.gz?checksum=sha256:${"ab".repeat(32)}`,
        "the archive https://example.com/n.tar.gz, from which it should have",
      ],
      ["n", "offers https://example.com/n without a checksum"],
      ["n?checksum=file:https://example.com/sums", "the sums file https://example.com/sums, which is not asked for"],
    ] as const) {
      plan(`https://example.com/${url}`);
      expect(look(home)).toEqual(sums(home));
      expect(sums(home)).toEqual([expect.stringContaining(why)]);
      expect(sums(home)[0]).toMatch(/^warning /);
      expect(sums(home)[0]).toContain("was not compared: ");
    }
    // Fetched by the sidecar, which compared the archive.
    const url = `https://example.com/n.tar.gz?checksum=sha256:${"ab".repeat(32)}`;
    const program = join(home, "cosmovisor/upgrades/v2/bin/n");
    const fetched = { file: program, url, sha256: "ab".repeat(32), bytes: 1, isVerified: true };
    rememberDownload(diskFiles, fetched, () => undefined);
    plan(url);
    expect(sums(home)).toEqual([expect.stringMatching(/^ok checksum v2: .* is what was unpacked from .*, which had/)]);
    put("cosmovisor/upgrades/v2/bin/n", `${SCRIPT}#\n`);
    expect(sums(home)).toEqual([
      expect.stringMatching(/^warning checksum v2: .* not the program that was unpacked from the plan's download$/),
    ]);
    put("cosmovisor/upgrades/v2/bin/n");
    plan(url.replace("n.tar.gz", "m.tar.gz"));
    expect(sums(home)[0]).toMatch(/^warning .*was not compared: the plan pins the archive/);
    rememberDownload(diskFiles, { ...fetched, isVerified: false }, () => undefined);
    plan(url);
    expect(sums(home)[0]).toMatch(/^warning .*was not compared: the plan pins the archive/);
    plan("");
    put("data/upgrade-info.json", '{"name":"v2","height":7}');
    expect(sums(home)).toEqual([]);
  });

  test("the plan that brought the program that runs, in the node's file and the operator's → said once", () => {
    const { home, link, put } = goodHome();
    put("cosmovisor/upgrades/v2/bin/n");
    link("upgrades/v2");
    const plan = '{"name":"v2","height":7}';
    put("cosmovisor/upgrades/v2/upgrade-info.json", plan);
    put("data/upgrade-info.json", plan);
    put("cosmovisor/queue.json", '{"v":1,"plans":[{"name":"v2","height":"7","info":""}]}');
    expect(lookAtAll(home).filter((line) => line.includes("brought the program that runs"))).toHaveLength(1);
  });

  test("folders of downloads → no upgrades; each is a leftover with the command that removes it", () => {
    const { home, root, put } = goodHome();
    for (const name of ["v2#part", "v2#part-prepare"]) put(`cosmovisor/upgrades/${name}/refused.json`, "{}");
    const rm = ["v2#part", "v2#part-prepare"].map((name) =>
      expect.stringContaining(`rm -r '${root}/upgrades/${name}'`),
    );
    expect(look(home)).toEqual(rm);
  });

  test("a torn plan file, two upgrades at one height, a queue that is none → wrong", () => {
    const { home, put } = goodHome();
    put("data/upgrade-info.json", '{"name":"v2","hei');
    put("data/upgrade-info.json.batch", '[{"name":"v3","height":9},{"name":"v4","height":9}]');
    put("cosmovisor/queue.json", "{}");
    for (const name of ["v3", "v4"]) put(`cosmovisor/upgrades/${name}/bin/n`);
    const found = look(home).join("\n");
    expect(found).toContain("upgrade-info.json is no plan yet: ");
    expect(found).toContain("queue.json is no list of plans: expected a list of plans");
    expect(found).toContain("wrong plan v4: another upgrade is at height 9, too");
  });

  test("a plan that the node has gone beyond → nothing is advised for it; at another height it is one that is ahead", () => {
    const { home, put } = goodHome();
    put("data/upgrade-info.json", '{"name":"v2","height":20}');
    put("cosmovisor/passed.json", '{"v":1,"plans":[{"name":"v2","height":"20"}]}');
    expect(look(home)).toEqual([]);
    put("data/upgrade-info.json", '{"name":"v2","height":21}');
    expect(look(home).join()).toContain("chainvisor add-upgrade v2 PROGRAM");
  });

  test("a plan of the record that the node is before again, after a rollback → ahead; the block is made → done; of another chain's program → by its log", () => {
    const { home, put } = goodHome();
    put("data/upgrade-info.json", '{"name":"v2","height":20}');
    put("cosmovisor/passed.json", '{"v":1,"plans":[{"name":"v2","height":"20"}]}');
    const at = (height: bigint, isOurs = true) =>
      look(home, { node: { isOurs, reached: { height, source: isOurs ? "store" : "wal" } } }).join();
    for (const found of [at(19n), at(10n), at(20n, false)])
      expect(found).toContain("chainvisor add-upgrade v2 PROGRAM");
    for (const found of [at(20n), at(21n), at(21n, false)]) expect(found).toBe("");
    put("cosmovisor/passed.json", '{"v":1,"plans":[]}');
    expect(at(20n)).toBe("");
    expect(at(21n, false)).toContain("chainvisor add-upgrade v2 PROGRAM");
  });

  test("plans that are done or older than the current program → nothing wrong", () => {
    const { home, put, link } = goodHome();
    put("cosmovisor/upgrades/v3/bin/n");
    put("cosmovisor/upgrades/v3/upgrade-info.json", '{"name":"v3","height":30}');
    link("upgrades/v3");
    put("data/upgrade-info.json", '{"name":"v2","height":20}');
    put("data/upgrade-info.json.batch", '[{"name":"V3","height":30}]');
    expect(look(home)).toEqual([]);
  });

  test("a custom script that is missing → Cosmovisor's variable is named; one that is there → a warning", () => {
    const env = { COSMOVISOR_CUSTOM_PREUPGRADE: "pre.sh" };
    const { home, put } = goodHome();
    expect(look(home, { env })[0]).toContain("COSMOVISOR_CUSTOM_PREUPGRADE: ");
    put("cosmovisor/pre.sh", SCRIPT, 0o644);
    // Nothing tries it before the height.
    expect(look(home, { env })).toEqual([expect.stringMatching(/^warning pre-upgrade script: .* is not run before/)]);
  });
});
