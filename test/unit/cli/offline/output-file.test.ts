/** Files that an operator names for what is written: whatever a mistake names, nothing that a node needs is replaced. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { outputFile } from "../../../../host/cli/offline/output-file.js";
import { Home } from "../../../../host/node/home/home.js";
import { HomeLock } from "../../../../host/node/home/home-lock.js";
import { withDatabase } from "../../../../host/node/open/home-database.js";
import { runHere } from "../run-here.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "chain-upgrade-output-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const home = new Home(join(root, "node"));
for (const folder of ["config", "data"]) mkdirSync(join(home.path, folder), { recursive: true });
const key = join(home.path, "config/priv_validator_key.json");
writeFileSync(key, "{}");
writeFileSync(home.databaseFile, "");

test.each([key, home.databaseFile])(
  "outputFile() of the home's own %s, by a link too → UPG_INVALID_ARGUMENT",
  (own) => {
    const link = join(root, "link");
    rmSync(link, { force: true });
    symlinkSync(own, link);
    for (const named of [own, link]) {
      expect(() => outputFile(home, named)).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
    }
  },
);

test("outputFile() of a new file, one that is there, and a link to it → replaced as a whole, the link stays", () => {
  const file = join(root, "exported.json");
  expect(outputFile(home, file)).toEqual({ path: file, isStream: false });
  writeFileSync(file, "old");
  symlinkSync(file, join(root, "latest.json"));
  expect(outputFile(home, join(root, "latest.json"))).toEqual({ path: file, isStream: false });
  expect(outputFile(home, join(home.path, "config/exported.json")).isStream).toBe(false);
});

test("outputFile() in a missing folder, of a folder → UPG_INVALID_ARGUMENT, and no folder is created", () => {
  for (const named of [join(root, "absent/x"), root]) {
    expect(() => outputFile(home, named)).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
  }
  expect(existsSync(join(root, "absent"))).toBe(false);
});

test.each([
  ["rescue", "--out"],
  ["export", "--output-document"],
  ["upgrade", "witness", "v2", "--out"],
  ["upgrade", "rehearse", "--diff"],
  ["upgrade", "rehearse", "--report"],
  ["snapshots", "dump", "1", "--output-document"],
  ["handler", "scene", "--state", home.path, "--store", "bank", "--out"],
  ["tx", "sign", "tx.json", "--from", "alice", "--output-document"],
  ["tx", "multisign", "tx.json", "alice", "signature.json", "--output-document"],
  ["verify-chain", "--trust-height", "1", "--trust-hash", "00".repeat(32), "--out"],
])("%s %s … in a missing folder → UPG_INVALID_ARGUMENT before anything else is looked at", async (...args) => {
  const file = join(root, "absent/x");
  await expect(runHere(...args, file, "--home", home.path)).rejects.toMatchObject({
    code: "UPG_INVALID_ARGUMENT",
    message: `cannot write ${file}: the folder ${join(root, "absent")} does not exist. Create it: mkdir -p ${join(root, "absent")}`,
  });
  expect(existsSync(join(root, "absent"))).toBe(false);
});

test.each([
  ["upgrade", "rehearse", "--plan"],
  ["upgrade", "rehearse", "--handler"],
  ["upgrade", "rehearse", "--snapshot"],
  ["snapshots", "load"],
])("%s %s … of a file that does not exist → UPG_INVALID_ARGUMENT, the same message everywhere", async (...args) => {
  const file = join(root, "absent.json");
  await expect(runHere(...args, file, "--home", home.path)).rejects.toMatchObject({
    code: "UPG_INVALID_ARGUMENT",
    message: `there is no file ${file}`,
  });
});

test.skipIf(process.platform === "win32")("outputFile() of a device → written to, never replaced", () => {
  expect(outputFile(home, "/dev/null")).toEqual({ path: "/dev/null", isStream: true });
  expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("withDatabase() where a relay has the home, and no worker runs → UPG_STORE_LOCKED, nothing is opened", () => {
  const relay = HomeLock.acquire(home.relayLockFile);
  try {
    expect(() => withDatabase(home.path, () => undefined)).toThrow(
      expect.objectContaining({ code: "UPG_STORE_LOCKED" }),
    );
  } finally {
    relay.release();
  }
  expect(lstatSync(home.databaseFile).size).toBe(0);
});
