/** A really full disk under stock CometBFT: its own files, its start, and a home that shares the disk with it. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { HaltRecord } from "../../host/upgrade/module/halt.js";
import { factsOf } from "../halt-line.js";
import { mountDisk } from "../small-disk.js";
import { DIST, loggedHalt, type Running, run } from "./chaind.js";
import { cometbft, freePorts, heightOf, quickComet, votedGenesis } from "./cometbft.js";
import { makeHome } from "./prepared-home.js";

vi.setConfig({ testTimeout: 180_000 });

const DISK_BYTES = 96 * 1_048_576;
const FREE = ["--grpc.address", "127.0.0.1:0", "--api.address", "tcp://127.0.0.1:0"];
const NONE = "CometBFT is missing here, and cannot be built: Go or its module proxy is missing";

const disk = mountDisk(DISK_BYTES);
let comet: string | undefined;
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-full-"));
beforeAll(() => {
  comet = cometbft();
}, 300_000);
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  if (!disk) return;
  execFileSync("umount", [disk]);
  rmSync(disk, { recursive: true });
});

const ballast = () => join(disk ?? "", "ballast");
const FOLLOWED_BYTES = 1_048_576;
/** Fills the disk to its last byte; a node may write meanwhile. */
function fill(): void {
  const { bavail, bsize } = statfsSync(disk ?? "");
  writeFileSync(ballast(), new Uint8Array(Math.max(0, bavail * bsize - FOLLOWED_BYTES)));
  try {
    for (;;) appendFileSync(ballast(), new Uint8Array(bsize));
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  }
}

async function untilHeight(port: number, height: number): Promise<void> {
  while ((await heightOf(port)) < height) await new Promise((resolve) => setTimeout(resolve, 50));
}

let homes = 0;

/** What is on the small disk. */
type OnDisk = "the home" | "CometBFT's databases" | "CometBFT's WAL";

async function prepared(onDisk: OnDisk) {
  const name = `home-${homes++}`;
  const home = join((onDisk === "the home" ? disk : root) ?? "", name);
  makeHome(home, votedGenesis({ name: "v2", height: 1_000_000 }));
  const [port = 0, p2p = 0] = await freePorts(2);
  quickComet(home, port, p2p);
  const folder = join(disk ?? "", name);
  mkdirSync(folder, { recursive: true });
  const config = join(home, "config/config.toml");
  if (onDisk === "CometBFT's databases") writeFileSync(config, `db_dir = "${folder}"\n${readFileSync(config, "utf8")}`);
  if (onDisk === "CometBFT's WAL") symlinkSync(folder, join(home, "data/cs.wal"));
  const args = ["start", "--home", home, ...FREE, "--engine", "cometbft", "--app-version", "1"];
  const start = () => run(join(DIST, "chaind.js"), args, { COMETBFT_BIN: comet ?? "" });
  const record = () => JSON.parse(readFileSync(join(home, "data/halt.json"), "utf8")) as HaltRecord;
  return { home, port, start, record };
}

async function stopped(node: Running): Promise<void> {
  node.child.kill("SIGTERM");
  expect((await node.end).exit).toBe(0);
}

describe.skipIf(!disk)("a really full disk under CometBFT (skipped where no tmpfs can be mounted)", () => {
  afterEach(() => {
    for (const name of readdirSync(disk ?? "")) rmSync(join(disk ?? "", name), { recursive: true });
  });

  test.each(["the home", "CometBFT's databases", "CometBFT's WAL"] as const)(
    "%s on it: full while blocks are made, and at the next start → 30 with a record each time; with room the chain goes on",
    async (onDisk) => {
      if (!comet) throw new Error(NONE);
      const { home, port, start, record } = await prepared(onDisk);
      const node = start();
      await untilHeight(port, 3);
      fill();
      for (const ended of [node, start()]) {
        const end = await ended.end;
        expect(end.exit, end.stderr).toBe(30);
        expect(end.stderr).toMatch(/ error node {4}[^\n]*make room and start again {2}code=UPG_STORE_FULL exit=30 /);
        expect(loggedHalt(end)).toEqual({ ...factsOf(record()), exit: "30" });
        const { code, commands, message } = record();

        expect(code, message).toBe("UPG_STORE_FULL");
        expect(execFileSync("/bin/sh", ["-c", commands[0] ?? ""], { encoding: "utf8" })).toContain(disk);
        expect(commands[1]).toBe(`chaind start --home ${home} --engine cometbft`);
      }
      const { last_committed_height: last } = record();
      rmSync(ballast());
      const again = start();
      await untilHeight(port, Number(last) + 3);
      await stopped(again);
    },
  );
});
