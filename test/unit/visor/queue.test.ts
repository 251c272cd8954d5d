/** Heights that operators set: the sidecar's own file, and what Cosmovisor left. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../host/base/files/disk-files.js";
import { Home } from "../../../host/node/home/home.js";
import { HomeLock } from "../../../host/node/home/home-lock.js";
import { queueFile, queuePlans, readQueue, unqueuePlan } from "../../../host/visor/decide/decision/queue.js";
import { addUpgrades, type UpgradeToAdd } from "../../../host/visor/stage/layout/add-upgrade.js";
import { upgradesInCsv, upgradesInList } from "../../../host/visor/stage/layout/batch.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-visor-queue-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let homes = 0;

function place() {
  const home = join(folder, `h${homes++}`);
  const root = join(home, "cosmovisor");
  mkdirSync(join(home, "data"), { recursive: true });
  mkdirSync(root);
  const theirs = (name: string, json: unknown) => writeFileSync(join(home, "data", name), JSON.stringify(json));
  return { home, root, name: "n", isCaseKept: false, theirs };
}
const seen = (plans: readonly { name: string; height: bigint; from: string }[]) =>
  plans.map(({ name, height, from }) => `${name} ${height} ${from}`);

describe("readQueue()", () => {
  test("nothing → nothing; ours, replaced by the same name, by height", () => {
    const at = place();
    expect(readQueue(diskFiles, at)).toEqual({ plans: [], problems: [] });
    queuePlans(diskFiles, at.root, [{ name: "v3", height: 30n, info: "" }]);
    queuePlans(diskFiles, at.root, [
      { name: "V2", height: 20n, info: "i" },
      { name: "V3", height: 25n, info: "" },
    ]);
    expect(seen(readQueue(diskFiles, at).plans)).toEqual(["V2 20 queue", "V3 25 queue"]);
    unqueuePlan(diskFiles, at.root, "v2");
    unqueuePlan(diskFiles, at.root, "none");
    expect(seen(readQueue(diskFiles, at).plans)).toEqual(["V3 25 queue"]);
  });

  test("Cosmovisor's batch → after ours of the same name", () => {
    const at = place();
    at.theirs("upgrade-info.json.batch", [
      { name: "v5", height: 50, info: "" },
      { name: "v4", height: 40 },
    ]);
    queuePlans(diskFiles, at.root, [{ name: "V5", height: 55n, info: "" }]);
    expect(seen(readQueue(diskFiles, at).plans)).toEqual(["v4 40 batch", "V5 55 queue"]);
  });

  test.each(["bak", "old", "tmp", "v3", "25651.tmp"])("data/upgrade-info.json.%s → no operator's plan", (ending) => {
    const at = place();
    at.theirs(`upgrade-info.json.${ending}`, { name: "v3", height: 12, info: "" });
    expect(readQueue(diskFiles, at)).toEqual({ plans: [], problems: [] });
  });

  test("files that are torn or hold something else → problems that name them; the others count", () => {
    const at = place();
    at.theirs("upgrade-info.json.batch", [{ name: "v4", height: 0 }]);
    queuePlans(diskFiles, at.root, [{ name: "v5", height: 5n, info: "" }]);
    const { plans, problems } = readQueue(diskFiles, at);
    expect(seen(plans)).toEqual(["v5 5 queue"]);
    expect(problems).toEqual([
      `${join(at.home, "data/upgrade-info.json.batch")} is no list of plans: the height of "v4" is no block height`,
    ]);
    writeFileSync(queueFile(at.root), '{"v":1,"pl');
    expect(readQueue(diskFiles, at).problems[0]).toContain(`${queueFile(at.root)} is no list of plans: `);
    expect(() => queuePlans(diskFiles, at.root, [])).toThrow("mend or remove it");
  });
});

describe("addUpgrades()", () => {
  const exe = join(folder, "exe");
  writeFileSync(exe, "#!/bin/sh\n", { mode: 0o600 });
  const TEXT = join(folder, "text");
  writeFileSync(TEXT, "root:x:0:0\n");
  const LOST = join(folder, "lost");
  writeFileSync(LOST, "#!/no/such/shell\n");
  const add = (at: ReturnType<typeof place>, upgrades: UpgradeToAdd[], isForced = false) =>
    addUpgrades(upgrades, { files: diskFiles, settings: at, isForced, log: () => undefined });

  test("a program and a height → its folder in lower case, executable; the queue, and no upgrade-info.json", async () => {
    const at = place();
    const [added] = await add(at, [{ name: "My Plan", executable: exe, height: 7n }]);
    expect(added?.program).toBe(join(at.root, "upgrades/my%20plan/bin/n"));
    expect(diskFiles.facts(added?.program ?? "")?.mode).toBe(0o755);
    expect(seen(readQueue(diskFiles, at).plans)).toEqual(["my plan 7 queue"]);
    expect(diskFiles.list(join(at.home, "data"))).toEqual([]);
  });

  test("a height up to the node's last block → refused with that block, also by force, and nothing is written", async () => {
    const at = place();
    const options = { files: diskFiles, settings: at, isForced: true, log: () => undefined, last: 2090n };
    for (const height of [5n, 2090n]) {
      await expect(addUpgrades([{ name: "v10", executable: exe, height }], options)).rejects.toMatchObject({
        code: "UPG_INVALID_ARGUMENT",
        message: expect.stringContaining(
          `--upgrade-height ${height} is past: the last block of this node is 2090. Give a height after it`,
        ),
      });
    }
    expect(diskFiles.facts(join(at.root, "upgrades"))).toBeUndefined();
    await addUpgrades([{ name: "v10", executable: exe, height: 2091n }], options);
    expect(seen(readQueue(diskFiles, at).plans)).toEqual(["v10 2091 queue"]);
  });

  test("a height, beside a relay → refused, also by force, unless a sidecar runs", async () => {
    const at = place();
    const relay = HomeLock.acquire(new Home(at.home).relayLockFile);
    const upgrades = [{ name: "v2", executable: exe, height: 181n }];
    const refused = { code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining("a relay runs on") };
    await expect(add(at, upgrades, true)).rejects.toMatchObject(refused);
    await add(at, [{ name: "v2", executable: exe, height: undefined }]);
    const sidecar = HomeLock.acquire(join(at.root, "chainvisor.lock"));
    await add(at, upgrades, true);
    for (const lock of [relay, sidecar]) lock.release();
  });

  test("a height that another plan is queued for → refused, and nothing is written; forced → both", async () => {
    const at = place();
    await add(at, [{ name: "v2", executable: exe, height: 181n }]);
    const other = [{ name: "v3", executable: exe, height: 181n }];
    await expect(add(at, other)).rejects.toThrow('"v2" is queued for height 181: only one upgrade can be made there');
    expect(diskFiles.list(join(at.root, "upgrades"))).toEqual(["v2"]);
    await add(at, other, true);
    expect(seen(readQueue(diskFiles, at).plans)).toEqual(["v2 181 queue", "v3 181 queue"]);
  });

  test("a program that is there → refused; forced → replaced", async () => {
    const at = place();
    await add(at, [{ name: "v2", executable: exe, height: undefined }]);
    const again = [{ name: "v2", executable: exe, height: undefined }];
    await expect(add(at, again)).rejects.toThrow(`file already exists at ${join(at.root, "upgrades/v2/bin/n")}`);
    const other = join(folder, "other");
    writeFileSync(other, "#!/bin/sh\nother");
    await add(at, [{ name: "v2", executable: other, height: undefined }], true);
    expect(readFileSync(join(at.root, "upgrades/v2/bin/n"), "utf8")).toBe("#!/bin/sh\nother");
  });

  test.each([
    ["no such program", "v2", "/no/such", "invalid executable path: stat /no/such: no such file or directory"],
    ["a folder", "v2", folder, "is a directory"],
    ["a name that is no folder", "..", exe, "has no folder"],
    ["no name", " ", exe, "name cannot be empty"],
    ["a text", "v2", TEXT, `${TEXT} is no program`],
    [
      "a script of an interpreter that is not here",
      "v2",
      LOST,
      "is run by /no/such/shell, which this machine does not have",
    ],
  ])("%s → refused, and of a batch nothing is written", async (_case, name, executable, words) => {
    const at = place();
    const upgrades = [
      { name: "good", executable: exe, height: 1n },
      { name, executable, height: 2n },
    ];
    await expect(add(at, upgrades)).rejects.toThrow(words);
    expect(diskFiles.list(at.root)).toEqual([]);
  });

  test("a program of npm, which imports files beside it → refused with what to give instead", async () => {
    const script = join(folder, "program");
    writeFileSync(script, '#!/usr/bin/env node\nimport {\n  run\n} from "./chunk-A.js";\n');
    const added = add(place(), [{ name: "v2", executable: script, height: undefined }]);
    await expect(added).rejects.toThrow(`#!/bin/sh and exec ${script} "$@"`);
    writeFileSync(script, '#!/usr/bin/env node\nimport { x } from "node:fs";\n');
    await add(place(), [{ name: "v2", executable: script, height: undefined }]);
  });

  test("one name twice, one height twice → refused", async () => {
    const twice = (a: string, b: string, height: bigint) => [
      { name: a, executable: exe, height: 1n },
      { name: b, executable: exe, height },
    ];
    await expect(add(place(), twice("v2", "V2", 2n))).rejects.toThrow('"v2" is given twice');
    await expect(add(place(), twice("v2", "v3", 1n))).rejects.toThrow("two upgrades at height 1");
  });
});

describe("upgradesInList(), upgradesInCsv()", () => {
  test("name, path, height → upgrades; a path in the name is left out; quotes hold commas", () => {
    expect(upgradesInList("x/v2:/a/b:10,v3:/c:20")).toEqual([
      { name: "v2", executable: "/a/b", height: 10n },
      { name: "v3", executable: "/c", height: 20n },
    ]);
    expect(upgradesInCsv('v2, /a,10\r\n\nv3,"/a,""b",20\n')).toEqual([
      { name: "v2", executable: "/a", height: 10n },
      { name: "v3", executable: '/a,"b', height: 20n },
    ]);
  });
  test.each([
    ["v2:/a", "argument at position 0 (v2:/a) is invalid"],
    ["v2:/a:1,v3:/b:1:x", "argument at position 1 (v3:/b:1:x) is invalid"],
    ["v2:/a:ten", "upgrade height at position 0 (ten) is invalid"],
    ["v2:/a:0", "upgrade height at position 0 (0) is invalid"],
    ["", "argument at position 0 () is invalid"],
  ])("the list %j → %s", (list, words) => {
    expect(() => upgradesInList(list)).toThrow(words);
  });
  test.each([
    ["", "empty"],
    ["v2,/a\n", "argument at position 0 (v2,/a) is invalid"],
    ['v2,"/a,1\n', "argument at position 0"],
    ["v2,/a,1,x\n", "argument at position 0"],
  ])("the file %j → %s", (text, words) => {
    expect(() => upgradesInCsv(text)).toThrow(words);
  });
});
