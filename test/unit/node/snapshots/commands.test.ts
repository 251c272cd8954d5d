/** Snapshots carried as files between homes, restored from disk, and homes that are taken back to before their first block. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { completeText } from "../../../../host/base/text/program-text.js";
import { restoreSnapshot } from "../../../../host/cli/offline/restore-snapshot.js";
import { dumpSnapshot, exportSnapshot, listSnapshots, loadSnapshot } from "../../../../host/cli/offline/snapshots.js";
import { OpenHome } from "../../../../host/node/open/open-home.js";
import { loadArchive } from "../../../../host/node/snapshots/archive.js";
import { SnapshotFolder } from "../../../../host/node/snapshots/folder.js";
import { TAR_END, type TarFile, tarParts } from "../../../../host/node/snapshots/tar.js";
import { makeBlocksUpTo, withNode } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { failureOf } from "../../../scenario/chain.js";
import { blocks, newHome } from "./comet-home.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-archives-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const silent = () => undefined;

let source = "";
let archive = "";
let appHash = "";
let laterHash = "";
beforeAll(async () => {
  source = newHome();
  appHash = blocks(source, 4n);
  const taken = await exportSnapshot(source, 0n, silent);
  expect(taken).toMatchObject({ height: "4", format: 3, app_hash: appHash });
  archive = await dumpSnapshot(source, 4n, 3, join(root, "four.tar.gz"));
  laterHash = blocks(source, 7n);
});

/** A home with the snapshot and without state. */
async function loaded(): Promise<string> {
  const home = newHome();
  await loadSnapshot(home, archive);
  return home;
}

describe("dumpSnapshot(), loadSnapshot()", () => {
  test("an archive → files that tar lists; loaded elsewhere it is the same snapshot; twice, or of none → refused", async () => {
    const names = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" }).trim().split("\n");
    expect(names).toEqual(["_snapshot", "0"]);
    const home = await loaded();
    expect(listSnapshots(home)).toEqual(listSnapshots(source));
    await expect(loadSnapshot(home, archive)).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect(listSnapshots(home)).toHaveLength(1);
    await expect(dumpSnapshot(home, 5n, 3)).rejects.toMatchObject({ code: "UPG_NOT_FOUND_SNAPSHOT" });
    await expect(loadSnapshot(home, join(root, "none"))).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  });

  test("an archive that tar made of the same files → loaded", async () => {
    const folder = join(root, "unpacked");
    mkdirSync(folder);
    execFileSync("tar", ["-xzf", archive, "-C", folder]);
    const again = join(root, "again.tar.gz");
    execFileSync("tar", ["-czf", again, "-C", folder, "_snapshot", "0"]);
    expect(await loadSnapshot(newHome(), again)).toMatchObject({ height: "4", app_hash: appHash });
  });

  test("a chunk on disk that is not what its description says → UPG_INVALID_SNAPSHOT, and no archive", async () => {
    const home = await loaded();
    const chunk = join(home, "data/snapshots/4/3/0");
    writeFileSync(chunk, readFileSync(chunk).fill(0, 5, 6));
    const file = join(root, "damaged.tar.gz");
    await expect(dumpSnapshot(home, 4n, 3, file)).rejects.toMatchObject({ code: "UPG_INVALID_SNAPSHOT" });
    rmSync(chunk);
    await expect(dumpSnapshot(home, 4n, 3, file)).rejects.toMatchObject({ code: "UPG_INVALID_SNAPSHOT" });
    expect(readdirSync(root).filter((name) => name.startsWith("damaged"))).toEqual([]);
  });
});

describe("loadArchive() of something else", () => {
  const filesOf = () => {
    const tar = gunzipSync(readFileSync(archive));
    const files: TarFile[] = [];
    for (let at = 0; tar[at] !== 0; ) {
      const name = tar.toString("latin1", at, at + 100).replace(/\0.*$/, "");
      const size = Number.parseInt(tar.toString("latin1", at + 124, at + 135), 8);
      files.push({ name, bytes: tar.subarray(at + 512, at + 512 + size) });
      at += 512 + Math.ceil(size / 512) * 512;
    }
    return files;
  };
  const packed = (files: readonly TarFile[]) => Buffer.concat([...files.flatMap(tarParts), TAR_END]);
  const flipped = (bytes: Uint8Array, at: number) => {
    const copy = Uint8Array.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };
  /** An archive whose first header says so many bytes. */
  const saying = (size: number) => {
    const [header = new Uint8Array()] = tarParts({ name: "_snapshot", bytes: { length: size } as Uint8Array });
    return header;
  };
  /** Nothing is left of what is refused. */
  async function refuse(name: string, bytes: Uint8Array, message = ""): Promise<void> {
    const file = join(root, `bad-${name}`);
    writeFileSync(file, bytes);
    const folder = new SnapshotFolder(join(root, `folder-${name}`));
    await expect(loadArchive(folder, file, sha256), name).rejects.toMatchObject({
      code: "UPG_INVALID_SNAPSHOT",
      message: expect.stringContaining(message),
    });
    expect([...folder.list()]).toEqual([]);
    expect(existsSync(folder.path) ? readdirSync(folder.path) : []).toEqual([]);
  }

  test("refused by its first file, and cut short after it → one error each, none when nobody reads any more", async () => {
    const whole = gzipSync(packed([{ name: "other", bytes: new Uint8Array(700_000) }]), { level: 0 });
    const files = Array.from({ length: 60 }, (_, at) => {
      const file = join(root, `cut-${at}`);
      writeFileSync(file, whole.subarray(0, 66_000 + 10_000 * at));
      return file;
    });
    const loads = files.map((file) => loadArchive(new SnapshotFolder(join(root, "cut")), file, sha256));
    for (const load of await Promise.allSettled(loads)) {
      expect(load).toMatchObject({ status: "rejected", reason: { code: "UPG_INVALID_SNAPSHOT" } });
    }
    // An error without a reader is seen after the streams' last turns.
    await new Promise((resolve) => setTimeout(resolve, 50));
  });

  test("each of these → UPG_INVALID_SNAPSHOT, and nothing is left", async () => {
    const [description, chunk] = filesOf() as [TarFile, TarFile];
    const zipped = (files: readonly TarFile[]) => gzipSync(packed(files));
    await refuse("empty", new Uint8Array());
    await refuse("no-gzip", packed([description, chunk]));
    await refuse("no-tar", gzipSync(Buffer.alloc(2_000, 7)));
    await refuse("nothing", gzipSync(TAR_END));
    await refuse("cut-gzip", readFileSync(archive).subarray(0, -40));
    await refuse("cut-tar", gzipSync(packed([description, chunk]).subarray(0, 1_600)));
    await refuse("no-description", zipped([chunk]));
    await refuse("no-chunk", zipped([description]));
    await refuse("two-chunks", zipped([description, chunk, { ...chunk, name: "1" }]));
    await refuse("other-name", zipped([description, { ...chunk, name: "../0" }]));
    await refuse("other-chunk", zipped([description, { ...chunk, bytes: flipped(chunk.bytes, 9) }]));
    await refuse("no-snapshot", zipped([{ ...description, bytes: Uint8Array.of(255) }, chunk]));
    await refuse("largest", gzipSync(saying(16_000_000)), "ends in the middle of a file");
    await refuse("too-large", gzipSync(saying(16_000_001)), "has more than 16000000 bytes");
    for (let at = 0; at < description.bytes.length; at += 29) {
      await refuse(`flipped-${at}`, zipped([{ ...description, bytes: flipped(description.bytes, at) }, chunk])).catch(
        // A height or a fact that is no part of the hashes: nothing in the archive says that it is another one.
        (error: unknown) => {
          const folder = new SnapshotFolder(join(root, `folder-flipped-${at}`));
          if ([...folder.list()].length !== 1) throw error;
        },
      );
    }
  });
});

describe("restoreSnapshot()", () => {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);

  test("into a home without state → its height and app hash; CometBFT's next blocks have the hashes of the others", async () => {
    const home = await loaded();
    const restored = await restoreSnapshot(
      exampleChain,
      home,
      { height: 4n, format: 3, appHash: appHash.toLowerCase() },
      say,
    );
    expect(restored).toEqual({ height: "4", app_hash: appHash });
    expect(lines.join("\n")).not.toContain("warning");
    expect(lines.at(-1)).toMatch(/^the state of block 4 is here\. CometBFT goes on from it .*where its own databases/);
    expect(blocks(home, 7n)).toBe(laterHash);
  });

  test("without an app hash → the snapshot's own, with a warning that names it", async () => {
    const home = await loaded();
    lines.length = 0;
    expect(await restoreSnapshot(exampleChain, home, { height: 4n, format: 3, appHash: undefined }, say)).toMatchObject(
      {
        height: "4",
      },
    );
    expect(lines.at(-1)).toContain(`warning: nobody vouched for the app hash ${appHash}`);
  });

  test("another app hash, a damaged chunk, no snapshot, no hash → refused, nothing counts, and the right one works", async () => {
    const home = await loaded();
    const flags = { height: 4n, format: 3, appHash: undefined };
    const other = restoreSnapshot(exampleChain, home, { ...flags, appHash: "00".repeat(32) }, say);
    await expect(other).rejects.toMatchObject({ code: "UPG_INVALID_SNAPSHOT" });
    await expect(restoreSnapshot(exampleChain, home, { ...flags, appHash: "zz" }, say)).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
    });
    await expect(restoreSnapshot(exampleChain, home, { ...flags, height: 5n }, say)).rejects.toMatchObject({
      code: "UPG_NOT_FOUND_SNAPSHOT",
    });
    const chunk = join(home, "data/snapshots/4/3/0");
    const sound = readFileSync(chunk);
    writeFileSync(chunk, Uint8Array.from(sound).fill(0, 5, 6));
    await expect(restoreSnapshot(exampleChain, home, flags, say)).rejects.toMatchObject({
      code: "UPG_INVALID_SNAPSHOT",
    });
    writeFileSync(chunk, sound);
    expect(await restoreSnapshot(exampleChain, home, flags, say)).toMatchObject({ height: "4" });
  });

  test("into a home that has state, or is held by a node → UPG_INVALID_CONFIG, UPG_STORE_LOCKED; the state stays", async () => {
    const home = await loaded();
    const before = blocks(home, 2n);
    const flags = { height: 4n, format: 3, appHash: undefined };
    const refused = restoreSnapshot(exampleChain, home, flags, say);
    await expect(refused).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringContaining("height 2"),
    });
    const held = OpenHome.holdForComet({ chain: exampleChain, home, log: silent });
    await expect(restoreSnapshot(exampleChain, home, flags, say)).rejects.toMatchObject({ code: "UPG_STORE_LOCKED" });
    held.close();
    expect(blocks(home, 2n)).toBe(before);
  });
});

describe("a snapshot of a chain that the embedded engine runs", () => {
  test("taken → says that no engine goes on from it; restored → the embedded one refuses it in words that are true", async () => {
    const embedded = newHome();
    withNode({ path: embedded, handlers: join(embedded, "none") }, (node) => makeBlocksUpTo(node, 4n));
    const lines: string[] = [];
    await exportSnapshot(embedded, 0n, (line) => lines.push(line));
    expect(completeText(lines.at(-1) ?? "", "chaind")).toMatch(
      /^warning: block 4 was decided by the embedded engine\. .*`chaind rollback --to 4 --home \S+`/,
    );
    const file = await dumpSnapshot(embedded, 4n, 3, join(root, "embedded.tar.gz"));
    const home = newHome();
    await loadSnapshot(home, file);
    await restoreSnapshot(exampleChain, home, { height: 4n, format: 3, appHash: undefined }, silent);
    const refused = failureOf(() => withNode({ path: home, handlers: join(home, "none") }, () => undefined));
    expect(refused.message).toContain("was decided by cometbft, or restored from a snapshot for it: start it with");
  });

  test("taken of blocks that CometBFT decided → no warning", async () => {
    const lines: string[] = [];
    await exportSnapshot(source, 6n, (line) => lines.push(line));
    expect(lines.join()).not.toContain("warning");
  });
});
