import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test } from "vitest";
import { SnapshotSchema } from "../../../../host/base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { RequestSchema } from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { answerBeside } from "../../../../host/node/comet/calls.js";
import { SnapshotFolder } from "../../../../host/node/snapshots/folder.js";

const path = mkdtempSync(join(tmpdir(), "chain-upgrade-snapshot-folder-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

let folders = 0;

/** A folder with a snapshot of each of these heights, of one chunk. */
function folderOf(...heights: readonly bigint[]): SnapshotFolder {
  const folder = new SnapshotFolder(join(path, String(folders++)));
  for (const height of heights) {
    writeFileSync(join(folder.begin(height, 3), "0"), String(height));
    folder.publish(create(SnapshotSchema, { height, format: 3, chunks: 1, hash: new Uint8Array(32) }));
  }
  return folder;
}

const heightsOf = (folder: SnapshotFolder) => [...folder.list()].map(({ height }) => height);

describe("SnapshotFolder", () => {
  test("no folder → no snapshots, no chunk, nothing to remove", async () => {
    const folder = new SnapshotFolder(join(path, "none"));
    expect(heightsOf(folder)).toEqual([]);
    expect(await folder.chunk(1n, 3, 0)).toBeUndefined();
    expect(folder.remove(1n, 3)).toBe(false);
    folder.keepRecent(1);
    folder.removeUnfinished();
  });

  test("heights of any length → the newest first, their chunks", async () => {
    const folder = folderOf(9n, 100n, 20n);
    expect(heightsOf(folder)).toEqual([100n, 20n, 9n]);
    expect(String(await folder.chunk(20n, 3, 0))).toBe("20");
    expect(await folder.chunk(20n, 3, 1)).toBeUndefined();
    expect(await folder.chunk(20n, 2, 0)).toBeUndefined();
  });

  test("a chunk that is a pipe or a folder → UPG_STORE_IO at once", async () => {
    const folder = folderOf(7n);
    execFileSync("mkfifo", [join(folder.path, "7/3/1")]);
    mkdirSync(join(folder.path, "7/3/2"));
    for (const index of [1, 2])
      await expect(folder.chunk(7n, 3, index)).rejects.toMatchObject({ code: "UPG_STORE_IO" });
  });

  test("keepRecent() → the newest stay; 0 → all", () => {
    const folder = folderOf(1n, 2n, 3n, 4n);
    folder.keepRecent(0);
    expect(heightsOf(folder)).toEqual([4n, 3n, 2n, 1n]);
    folder.keepRecent(2);
    expect(heightsOf(folder)).toEqual([4n, 3n]);
  });

  test("keepRecent() while old ones are fetched → the one that was asked for last stays, and no other", () => {
    const folder = folderOf(1n, 2n, 3n, 4n, 5n);
    folder.keepRecent(2, { fetched: [5n, 9n, 2n, 1n] });
    expect(heightsOf(folder)).toEqual([5n, 4n, 2n]);
    folder.keepRecent(2, { fetched: [5n] });
    expect(heightsOf(folder)).toEqual([5n, 4n]);
  });

  test("keepRecent() where the state before an upgrade is held → its snapshot stays, and is none of those that are counted", () => {
    const folder = folderOf(1n, 2n, 3n, 4n, 5n);
    folder.keepRecent(2, { held: [2n, 7n] });
    expect(heightsOf(folder)).toEqual([5n, 4n, 2n]);
    folder.keepRecent(2);
    expect(heightsOf(folder)).toEqual([5n, 4n]);
  });

  test("one in the making, one with a torn description, one under another's name, odd names → they are none", () => {
    const folder = folderOf(5n, 6n, 7n);
    const unfinished = folder.begin(8n, 3);
    writeFileSync(join(folder.path, "6/3/snapshot"), Uint8Array.of(8, 255));
    writeFileSync(join(folder.path, "7/3/snapshot"), Uint8Array.of(8, 6, 16, 3));
    for (const odd of ["x", "00", "-1", "5/x", "5/03"]) mkdirSync(join(folder.path, odd), { recursive: true });
    expect(heightsOf(folder)).toEqual([5n]);
    writeFileSync(join(folder.path, "123"), "a file in the place of a folder");
    mkdirSync(join(folder.path, "999/3"), { recursive: true });
    folder.keepRecent(1);
    expect(heightsOf(folder)).toEqual([5n]);
    expect(existsSync(unfinished)).toBe(true);
    folder.removeUnfinished();
    expect(existsSync(join(folder.path, "8"))).toBe(false);
    expect(heightsOf(folder)).toEqual([5n]);
    expect(folder.remove(5n, 3)).toBe(true);
    expect(heightsOf(folder)).toEqual([]);
  });

  test("listSnapshots of a folder with many, of a file in its place → ten at most, none", async () => {
    const many = folderOf(...Array.from({ length: 12 }, (_, at) => BigInt(at + 1)));
    const ask = async (snapshots: SnapshotFolder) => {
      const { value } = create(RequestSchema, { value: { case: "listSnapshots", value: {} } });
      if (value.case === undefined) throw new Error("no call");
      const refused = () => {
        throw new Error("not asked");
      };
      const answer = await answerBeside({ checkTx: refused, query: refused, snapshots }, value);
      return answer?.case === "listSnapshots" ? (answer.value.snapshots ?? []).map(({ height }) => height) : undefined;
    };
    expect(await ask(many)).toEqual([12n, 11n, 10n, 9n, 8n, 7n, 6n, 5n, 4n, 3n]);
    const file = join(path, "a file");
    writeFileSync(file, "");
    expect(await ask(new SnapshotFolder(file))).toEqual([]);
  });
});
