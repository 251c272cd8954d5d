/** The records that bulk work is measured on: 32-byte keys in scattered order, 100-byte values. */
import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KVStore, Sha256, StoreUpgrades } from "../../host/base/types/types.js";
import { writeU32 } from "../../host/base/wire/u32.js";
import { OP_PUT } from "../../host/state/branch/kv/frames.js";
import { LmdbDatabase } from "../../host/state/store/disk/lmdb-database.js";
import { CommitMultiStore } from "../../host/state/store/versions/commit-multi-store.js";

export const KEY_BYTES = 32;
export const VALUE_BYTES = 100;

export const sha256: Sha256 = (bytes) => hash("sha256", bytes, "buffer");

/** A database in a temporary folder that is gone when `work` is done. */
export function withDatabase<T>(work: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-bench-"));
  try {
    return work(join(folder, "chain.mdb"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function openStores(path: string, names: readonly string[], upgrades?: StoreUpgrades): CommitMultiStore {
  const multiStore = new CommitMultiStore(new LmdbDatabase(path), { sha256 });
  multiStore.mount(...names);
  multiStore.loadLatestVersion(upgrades);
  return multiStore;
}

/** Scatters 0…n-1 over the key space, without repeats: multiplication by an odd number modulo 2^32. */
export function putScattered(bytes: Uint8Array, at: number, length: number, index: number): void {
  const scattered = Math.imul(index, 0x9e37_79b1) >>> 0;
  bytes[at] = scattered >>> 24;
  bytes[at + 1] = scattered >>> 16;
  bytes[at + 2] = scattered >>> 8;
  bytes[at + 3] = scattered;
  for (let i = 4; i < length; i++) bytes[at + i] = (scattered >>> (i & 15)) & 255;
}

/** Writes `count` records in frames of about 64 KiB. */
export function writeRecords(store: KVStore, count: number): void {
  const frame = 8 + KEY_BYTES + VALUE_BYTES;
  const perBatch = 460;
  const frames = new Uint8Array(frame * perBatch);
  for (let done = 0; done < count; ) {
    const batch = Math.min(perBatch, count - done);
    for (let i = 0; i < batch; i++, done++) {
      const at = i * frame;
      writeU32(frames, at, ((OP_PUT << 30) | KEY_BYTES) >>> 0);
      writeU32(frames, at + 4, VALUE_BYTES);
      putScattered(frames, at + 8, KEY_BYTES, done);
      frames.fill(done & 255, at + 8 + KEY_BYTES, at + frame);
    }
    store.writeFrames(frames.subarray(0, batch * frame));
  }
}

export function report(values: Readonly<Record<string, number>>): void {
  process.stdout.write(JSON.stringify(values));
}

/** Milliseconds that `work` takes, by the clock and of the processor: the latter says more on a machine with others. */
export function timeAndCpu(work: () => void): { readonly ms: number; readonly cpu: number } {
  const before = process.cpuUsage();
  const ms = time(work);
  const { user, system } = process.cpuUsage(before);
  return { ms, cpu: (user + system) / 1_000 };
}

/** Milliseconds that `work` takes. */
export function time(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}
