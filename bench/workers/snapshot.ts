/** A snapshot of 1,000,000 records taken and restored, beside LMDB's own copy of the file that they are in. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sha256 } from "../../host/base/native/sha256.js";
import type { KVStore } from "../../host/base/types/types.js";
import { writeU32 } from "../../host/base/wire/u32.js";
import { checkedChunk } from "../../host/node/snapshots/archive.js";
import { SnapshotFolder } from "../../host/node/snapshots/folder.js";
import { SnapshotRestore } from "../../host/node/snapshots/restore.js";
import { takeSnapshot } from "../../host/node/snapshots/take.js";
import { OP_PUT } from "../../host/state/branch/kv/frames.js";
import { copyLmdb } from "../../host/state/store/disk/lmdb-copy.js";
import { LmdbDatabase } from "../../host/state/store/disk/lmdb-database.js";
import { LmdbFileDatabase } from "../../host/state/store/disk/lmdb-file-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import type { Measured } from "../comparison.js";
import { KEY_BYTES, openStores, putScattered, VALUE_BYTES } from "./records.js";

/** 0: a small one. */
const rounds = Number(process.argv[2]);
const RECORDS = rounds === 0 ? 50_000 : 1_000_000;
const MIB = 1_048_576;

interface Round {
  readonly take: number;
  readonly restore: number;
  readonly copy: number;
  readonly snapshotBytes: number;
  readonly copyBytes: number;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function measure(path: string, round: number): Promise<Round> {
  const at = (name: string) => join(dirname(path), `${name}-${round}`);
  const folder = new SnapshotFolder(at("snapshots"));
  const database = LmdbFileDatabase.open(path);
  let snapshot: Awaited<ReturnType<typeof takeSnapshot>> | undefined;
  const take = await timed(async () => {
    snapshot = await takeSnapshot(database, folder, { height: 1n, sha256, core: new Core(), firstVersion: 1n });
  });
  database.close();
  if (!snapshot) throw new Error("no snapshot was taken");
  const { height, format, chunks } = snapshot;
  const appHash = appHashOf(path);
  const empty = new LmdbDatabase(at("restored"));
  const restored = new SnapshotRestore(empty, snapshot, { sha256, appHash, engine: "bench" });
  const restore = await timed(async () => {
    while (!restored.isComplete)
      await restored.apply(await checkedChunk(folder, snapshot as never, restored.next, sha256));
    restored.finish();
    restored.commit([]);
  });
  empty.close();
  const copy = await timed(() => copyLmdb(path, at("copy"), () => undefined));
  const sizes = Array.from(
    { length: chunks },
    (_, i) => statSync(join(folder.path, String(height), String(format), String(i))).size,
  );
  return {
    take,
    restore,
    copy,
    snapshotBytes: sizes.reduce((sum, size) => sum + size, 0),
    copyBytes: statSync(at("copy")).size,
  };
}

/** As `writeRecords`, with values that no compressor makes smaller, as hashes and amounts are. */
function writeScattered(store: KVStore, count: number): void {
  const frame = 8 + KEY_BYTES + VALUE_BYTES;
  const bytes = new Uint8Array(frame);
  const view = new DataView(bytes.buffer);
  let seed = 1;
  writeU32(bytes, 0, ((OP_PUT << 30) | KEY_BYTES) >>> 0);
  writeU32(bytes, 4, VALUE_BYTES);
  for (let i = 0; i < count; i++) {
    putScattered(bytes, 8, KEY_BYTES, i);
    for (let at = 8 + KEY_BYTES; at + 4 <= frame; at += 4) {
      seed ^= seed << 13;
      seed ^= seed >>> 17;
      seed ^= seed << 5;
      view.setInt32(at, seed);
    }
    store.writeFrames(bytes);
  }
}

function appHashOf(path: string): Uint8Array {
  const stores = openStores(path, ["records", UPGRADE_STORE]);
  const { hash } = stores.lastCommitID;
  stores.close();
  return hash;
}

const bench = mkdtempSync(join(tmpdir(), "chain-upgrade-bench-"));
try {
  const path = join(bench, "chain.mdb");
  const stores = openStores(path, ["records", UPGRADE_STORE]);
  writeScattered(stores.store("records"), RECORDS);
  stores.commit();
  stores.close();
  const all: Round[] = [];
  for (let round = 0; round < Math.max(1, rounds); round++) all.push(await measure(path, round));
  const samples = (of: (round: Round) => number) => all.map(of);
  const rows: Measured[] = [
    { row: "LMDB's copy", unit: "ms", samples: samples(({ copy }) => copy) },
    { row: "snapshot taken", unit: "ms", samples: samples(({ take }) => take), against: "LMDB's copy" },
    { row: "snapshot restored", unit: "ms", samples: samples(({ restore }) => restore), against: "LMDB's copy" },
    { row: "size of LMDB's copy", unit: "MiB", samples: samples(({ copyBytes }) => copyBytes / MIB) },
    {
      row: "size of the snapshot",
      unit: "MiB",
      samples: samples(({ snapshotBytes }) => snapshotBytes / MIB),
      against: "size of LMDB's copy",
    },
  ];
  process.stdout.write(JSON.stringify(rows));
} finally {
  rmSync(bench, { recursive: true, force: true });
}
