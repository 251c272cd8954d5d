/** halt.json on disks that have room, have none, and refuse. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { UpgradeError } from "../../../../host/base/errors/errors.js";
import {
  keepReserve,
  lendFromReserve,
  RESERVE_BYTES,
  releaseReserve,
  removeHaltRecord,
  writeHaltRecord,
} from "../../../../host/node/home/halt-file.js";
import { Home } from "../../../../host/node/home/home.js";
import { haltRecord } from "../../../../host/upgrade/module/halt.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-halt-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;

function newHome(): Home {
  const home = new Home(join(root, `home-${homes++}`));
  mkdirSync(home.dataFolder, { recursive: true });
  return home;
}

const record = (message: string) =>
  haltRecord(new UpgradeError("UPG_STORE_FULL", message), {
    ...{ lastCommittedHeight: 3n, nextHeight: 4n, appHash: new Uint8Array(32), time: "" },
    home: "/h",
  });

test("writeHaltRecord() with the largest plan → fits into what is kept", () => {
  const home = newHome();
  const info = "\u0001".repeat(65_536);
  const plan = { name: "v".repeat(140), height: 4n, info };
  const { lastCommittedHeight, nextHeight, appHash } = {
    lastCommittedHeight: 3n,
    nextHeight: 4n,
    appHash: new Uint8Array(32),
  };
  const largest = haltRecord(new UpgradeError("UPG_STORE_FULL", info), {
    ...{ lastCommittedHeight, nextHeight, appHash, time: "", duePlan: plan },
  });
  writeHaltRecord(home, largest);
  expect(statSync(home.haltFile).size).toBeLessThan(RESERVE_BYTES);
  expect(statSync(home.haltFile).mode & 0o777).toBe(0o600);
});

test("keepReserve() → blocks are taken, once; after a release they are taken again", () => {
  const home = newHome();
  keepReserve(home);
  const { ino, blocks } = statSync(home.reserveFile);
  expect(blocks * 512).toBeGreaterThanOrEqual(RESERVE_BYTES);
  keepReserve(home);
  expect(statSync(home.reserveFile).ino).toBe(ino);
  releaseReserve(home);
  expect(existsSync(home.reserveFile)).toBe(false);
  releaseReserve(home);
  keepReserve(home);
  expect(statSync(home.reserveFile).size).toBe(RESERVE_BYTES);
});

test("lendFromReserve() → gives some until nothing is left, and the next start keeps all again", () => {
  const home = newHome();
  expect(lendFromReserve(home)).toBe(false);
  keepReserve(home);
  expect(lendFromReserve(home)).toBe(true);
  expect(statSync(home.reserveFile).size).toBeLessThan(RESERVE_BYTES);
  while (lendFromReserve(home));
  expect(statSync(home.reserveFile).size).toBe(0);
  keepReserve(home);
  expect(statSync(home.reserveFile).size).toBe(RESERVE_BYTES);
});

test("removeHaltRecord() → gone; none there is no error", () => {
  const home = newHome();
  writeHaltRecord(home, record("a"));
  removeHaltRecord(home);
  removeHaltRecord(home);
  expect(existsSync(home.haltFile)).toBe(false);
});

test("writeHaltRecord() in place of an older one → the new one", () => {
  const home = newHome();
  writeHaltRecord(home, record("a"));
  writeHaltRecord(home, record("b"));
  expect(JSON.parse(readFileSync(home.haltFile, "utf8"))).toMatchObject({ message: "b" });
});

test("receiptFile() → names of 140 bytes fit a file system, and no two are one file", () => {
  const home = newHome();
  const long = "漢".repeat(46);
  for (const name of [long, `${long}x`, "v3", "../../x", "=".repeat(66), "v".repeat(140)]) {
    const file = home.receiptFile(name);
    expect(dirname(file)).toBe(join(home.dataFolder, "receipts"));
    mkdirSync(dirname(file), { recursive: true });
    expect(existsSync(file)).toBe(false);
    writeFileSync(`${file}.4194304.tmp`, "");
    writeFileSync(file, "");
  }
  expect(home.receiptFile("v3").endsWith("/receipts/v3.json")).toBe(true);
});
