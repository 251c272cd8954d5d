/** Cosmovisor's own cases for the switch (upgrade_test.go, facts 10.11), by number; no. 4's download from GitHub is one from this machine. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { Layout } from "../../../../host/node/programs/layout.js";
import { goPlatform } from "../../../../host/upgrade/plan-info/platform.js";
import { placesOf } from "../../../../host/visor/decide/decision/paths.js";
import { readSettings } from "../../../../host/visor/decide/settings/read.js";
import type { Shared } from "../../../../host/visor/run/loop/options.js";
import { staged } from "../../../../host/visor/run/loop/switching.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { linkProgram } from "../../../../host/visor/stage/layout/link-program.js";
import { Board } from "../../../../host/visor/status/board.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-visor-switch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const SCRIPT = "#!/bin/sh\necho Chain\n";
let homes = 0;

function put(file: string, content: string | Uint8Array = SCRIPT): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content, { mode: 0o755 });
  return file;
}

/** Cosmovisor's `validate`: genesis, chain2, chain3, and nobin, whose bin is empty. */
function validate(name: string) {
  const home = join(folder, `h${homes++}`);
  const root = join(home, "cosmovisor");
  for (const at of ["genesis", "upgrades/chain2", "upgrades/chain3"]) put(join(root, at, "bin", name));
  mkdirSync(join(root, "upgrades/nobin/bin"), { recursive: true });
  const env = { DAEMON_HOME: home, DAEMON_NAME: name, DAEMON_ALLOW_DOWNLOAD_BINARIES: "true" };
  const { settings, problems } = readSettings(env, undefined);
  expect(problems).toEqual([]);
  const layout = new Layout({ home, name, program: undefined, upgrades: new Map(), own: "", isCaseKept: false });
  const shared = {
    ...{ settings, layout, places: placesOf(settings), machine: realMachine, board: new Board(realMachine.clock) },
    ...{
      env: {},
      childEnv: {},
      starts: { start: "start", run: "run", service: undefined },
      askRpc: () => Promise.reject(new Error("no node")),
      args: [],
      log: () => undefined,
      signal: new AbortController().signal,
    },
  } satisfies Shared;
  const current = () => layout.current().file;
  const switchTo = async (plan: string, info = "") => {
    const given = { name: plan, height: 49n, info };
    linkProgram(diskFiles, root, layout.current(), await staged(shared, given), given);
  };
  return { home, root, current, switchTo, bin: (at: string) => join(root, at, "bin", name) };
}

test("no. 1: Layout.current() → genesis; of missing and nobin an error, still genesis; chain2, chain3, chain2 → each", async () => {
  const { current, switchTo, bin } = validate("dummyd");
  expect(current()).toBe(bin("genesis"));
  for (const plan of ["missing", "nobin"]) {
    await expect(switchTo(plan)).rejects.toThrow();
    expect(current()).toBe(bin("genesis"));
  }
  for (const plan of ["chain2", "chain3", "chain2"]) {
    await switchTo(plan);
    expect(current()).toBe(bin(`upgrades/${plan}`));
  }
});

test("no. 2: the link → genesis, then upgrades/chain2: relative, to a folder", async () => {
  const { current, switchTo, root } = validate("dummyd");
  current();
  expect(readlinkSync(join(root, "current"))).toBe("genesis");
  await switchTo("chain2");
  expect(readlinkSync(join(root, "current"))).toBe("upgrades/chain2");
  expect(statSync(join(root, "current")).isDirectory()).toBe(true);
  expect(JSON.parse(readFileSync(join(root, "current/upgrade-info.json"), "utf8"))).toMatchObject({ name: "chain2" });
});

test("no. 3: a plan without a URL, downloads allowed → missing and nobin are errors; chain2, chain3 are switched to", async () => {
  const { current, switchTo, bin } = validate("dummyd");
  for (const plan of ["missing", "nobin"]) {
    await expect(switchTo(plan)).rejects.toThrow(/^cannot download binary/);
    expect(current()).toBe(bin("genesis"));
  }
  for (const plan of ["chain2", "chain3"]) {
    await switchTo(plan);
    expect(current()).toBe(bin(`upgrades/${plan}`));
  }
});

/** A zip archive of one file that is stored as it is. */
function zip(name: string, content: string): Uint8Array {
  const [bytes, path] = [Buffer.from(content), Buffer.from(name)];
  const common = (version: number) => {
    const head = Buffer.alloc(26);
    head.writeUInt16LE(version, 0);
    head.writeUInt32LE(crc32(bytes), 10);
    head.writeUInt32LE(bytes.length, 14);
    head.writeUInt32LE(bytes.length, 18);
    head.writeUInt16LE(path.length, 22);
    return head;
  };
  const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common(20), path, bytes]);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE((0o100755 << 16) >>> 0, 6);
  const madeBy = Buffer.from([20, 3]);
  const central = Buffer.concat([Buffer.from("PK\x01\x02", "latin1"), madeBy, common(20), tail, path]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

describe("no. 4: a plan with a URL for this platform", () => {
  const raw = put(join(folder, "repo/raw_binary/autod"));
  const archive = put(join(folder, "repo/zip_dir/autod.zip"), zip("bin/autod", SCRIPT));
  const sum = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
  const WRONG = "73e2bd6cbb99261733caf137015d5cc58e3f96248d8b01da68be8564989dd906";
  const info = (file: string, sha256: string) => {
    const url = `${pathToFileURL(file).href}?checksum=sha256:${sha256}`;
    return JSON.stringify({ binaries: { [goPlatform(process.platform, process.arch)]: url } });
  };

  test.each([
    ["a program, the right checksum", info(raw, sum(raw)), true],
    ["a program, a wrong checksum", info(raw, WRONG), false],
    ["a zip archive, the right checksum", info(archive, sum(archive)), true],
    ["a zip archive, a wrong checksum", info(archive, WRONG), false],
    ["no such file", info(join(folder, "repo/bad_dir/autod"), WRONG), false],
  ])("%s → taken, or still genesis", async (_case, planInfo, isTaken) => {
    const { current, switchTo, bin } = validate("autod");
    const switched = switchTo("amazonas", planInfo);
    if (isTaken) await switched;
    else await expect(switched).rejects.toThrow(/^cannot download binary/);
    expect(current()).toBe(bin(isTaken ? "upgrades/amazonas" : "genesis"));
    if (isTaken) expect(readFileSync(current(), "utf8")).toBe(SCRIPT);
  });
});

test.each([
  ["linux", "x64", "linux/amd64"],
  ["linux", "arm64", "linux/arm64"],
  ["darwin", "x64", "darwin/amd64"],
  ["darwin", "arm64", "darwin/arm64"],
])("no. 5: goPlatform() %s %s → %s", (platform, arch, expected) => {
  expect(goPlatform(platform, arch)).toBe(expected);
});
