/** Snapshots of a running node: what the thread that takes one is given. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
import { SnapshotSchema } from "../../../../host/base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { Home } from "../../../../host/node/home/home.js";
import { SnapshotFolder } from "../../../../host/node/snapshots/folder.js";
import { Snapshots } from "../../../../host/node/threads/snapshots.js";

const path = mkdtempSync(join(tmpdir(), "chain-upgrade-snapshot-thread-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

/** A program whose thread says what it was given, and ends. */
const code = `const { workerData, parentPort } = require("node:worker_threads");
parentPort.postMessage({ kind: "failed", message: "fetched " + workerData.fetched.join() });`;

test("chunks that peers ask for while a snapshot is taken → their heights are given to the thread that prunes, the last one first", async () => {
  const home = new Home(path);
  mkdirSync(home.dataFolder);
  const folder = new SnapshotFolder(home.snapshotsFolder);
  for (const height of [1n, 2n, 3n]) {
    writeFileSync(join(folder.begin(height, 3), "0"), "x");
    folder.publish(create(SnapshotSchema, { height, format: 3, chunks: 1 }));
  }
  const lines: string[] = [];
  let said: () => void = () => undefined;
  const log = (_level: string, line: string) => {
    lines.push(line);
    if (line.includes("fetched")) said();
  };
  const snapshots = new Snapshots({
    home,
    program: () => ({ code }),
    interval: 4,
    keepRecent: 1,
    beforeUpgrade: false,
    log,
  });
  expect([...snapshots.list()].map(({ height }) => height)).toEqual([3n, 2n, 1n]);
  for (const height of [1n, 2n, 9n, 1n]) await snapshots.chunk(height, 3, 0);
  const ended = new Promise<void>((resolve) => {
    said = resolve;
  });
  snapshots.after(4n, false);
  await ended;
  await snapshots.close();
  expect(lines.at(-1)).toBe("no snapshot of height 4: fetched 1,2");
});
