/** Snapshots that are not what they should be: flipped, cut, swapped, or described by somebody who lies. None is restored. */
import { deflateSync, inflateSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { sizeDelimitedDecodeStream, sizeDelimitedEncode } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import {
  type Snapshot,
  type SnapshotItem,
  SnapshotItemSchema,
  SnapshotSchema,
} from "../../../../host/base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { concatBytes, toHex, utf8 } from "../../../../host/base/text/bytes.js";
import { SNAPSHOT_FORMAT } from "../../../../host/node/snapshots/facts.js";
import { encodeItems } from "../../../../host/node/snapshots/items.js";
import { SnapshotRestore } from "../../../../host/node/snapshots/restore.js";
import { lastVersionOf } from "../../../../host/state/store/disk/fenced-database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { openStores } from "../../state/store/support.js";

const ROUNDS = 200;
const HEIGHT = 3n;
const CHUNK_BYTES = 700;

/** Numbers that are the same in each run. */
class Random {
  constructor(private state: number) {}

  below(count: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * count);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

const random = new Random(13);
const state = (() => {
  const stores = openStores(new MemoryDatabase(), ["auth", "bank", "gov"]);
  for (let version = 1; version <= Number(HEIGHT); version++) {
    const branch = stores.branch();
    for (const name of ["auth", "bank"]) {
      for (let i = 0; i < 60; i++) {
        const value = Uint8Array.from({ length: 24 }, () => random.below(256));
        branch.store(name).set(utf8(`${name} ${(i * 7 * version) % 150}`), value);
      }
    }
    branch.write();
    stores.commit();
  }
  return stores.at(HEIGHT);
})();

interface Whole {
  readonly snapshot: Snapshot;
  readonly chunks: readonly Uint8Array[];
}

const cut = (bytes: Uint8Array) =>
  Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, at) =>
    bytes.slice(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
  );

/** With hashes that are right for its chunks, as a liar makes them too. */
function described(chunks: readonly Uint8Array[]): Whole {
  const stores = state.names.map((name) => {
    const { hash, size } = state.tree(name).root;
    return { name, hash, size: BigInt(size) };
  });
  const snapshot = create(SnapshotSchema, {
    ...{ height: HEIGHT, format: SNAPSHOT_FORMAT, chunks: chunks.length, hash: sha256(concatBytes(...chunks)) },
    metadata: { chunkHashes: chunks.map(sha256), facts: { stores, appVersion: 1n } },
  });
  return { snapshot, chunks };
}

const stream = concatBytes(...encodeItems(state, () => undefined));
/** No view of a buffer that is used again. */
const deflated = (bytes: Uint8Array) => Uint8Array.from(deflateSync(bytes));
const whole = described(cut(deflated(stream)));

async function items(): Promise<SnapshotItem[]> {
  const found: SnapshotItem[] = [];
  const parts = (async function* () {
    yield stream;
  })();
  for await (const item of sizeDelimitedDecodeStream(SnapshotItemSchema, parts)) found.push(item);
  return found;
}

const packed = (list: readonly SnapshotItem[]) =>
  described(cut(deflated(concatBytes(...list.map((item) => sizeDelimitedEncode(SnapshotItemSchema, item))))));

function flipped(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const at = random.below(copy.length);
  copy[at] = (copy[at] as number) ^ (1 << random.below(8));
  return copy;
}

const replaced = (chunks: readonly Uint8Array[], at: number, ...by: Uint8Array[]) => chunks.toSpliced(at, 1, ...by);

/** A node of the trees as somebody else would like it. */
async function lied(change: (list: SnapshotItem[]) => void): Promise<Whole> {
  const list = await items();
  change(list);
  return packed(list);
}

const nodeOf = (list: SnapshotItem[], isWanted: (height: number) => boolean) => {
  const nodes = list.flatMap(({ item }) => (item.case === "iavl" && isWanted(item.value.height) ? [item.value] : []));
  return random.of(nodes);
};

/** A description that is changed after it was made. */
function redescribed(change: (snapshot: Snapshot) => void): Whole {
  const snapshot = fromBinary(SnapshotSchema, toBinary(SnapshotSchema, whole.snapshot));
  change(snapshot);
  return { ...whole, snapshot };
}

const storesOf = (snapshot: Snapshot) => snapshot.metadata?.facts?.stores ?? [];
const { chunks: sound } = whole;
const anyChunk = () => random.below(sound.length);

const CORRUPTIONS: Readonly<Record<string, () => Whole | Promise<Whole>>> = {
  "a flipped bit of a chunk": () => {
    const at = anyChunk();
    return { ...whole, chunks: replaced(sound, at, flipped(sound[at] as Uint8Array)) };
  },
  "a flipped bit, described": () => {
    const at = anyChunk();
    return described(replaced(sound, at, flipped(sound[at] as Uint8Array)));
  },
  "a chunk cut short": () => {
    const at = anyChunk();
    const chunk = sound[at] as Uint8Array;
    return { ...whole, chunks: replaced(sound, at, chunk.slice(0, random.below(chunk.length))) };
  },
  "the end cut off, described": () => {
    const all = concatBytes(...sound);
    return described(cut(all.slice(0, all.length - 1 - random.below(all.length - 1))));
  },
  "two chunks swapped, described or not": () => {
    const [one, other] = [anyChunk(), anyChunk()];
    const list = [...sound];
    [list[one], list[other === one ? (one + 1) % list.length : other]] = [
      sound[other === one ? (one + 1) % list.length : other] as Uint8Array,
      sound[one] as Uint8Array,
    ];
    return random.below(2) === 0 ? described(list) : { ...whole, chunks: list };
  },
  "a chunk left out or given twice, described": () => {
    const at = anyChunk();
    const chunk = sound[at] as Uint8Array;
    return described(random.below(2) === 0 ? replaced(sound, at) : replaced(sound, at, chunk, chunk));
  },
  "another value, described": () =>
    lied((list) => {
      const node = nodeOf(list, (height) => height === 0);
      node.value = flipped(node.value);
    }),
  "another key, described": () =>
    lied((list) => {
      const node = nodeOf(list, (height) => height === 0);
      node.key = flipped(node.key);
    }),
  "another version or height of a node, described": () =>
    lied((list) => {
      const node = nodeOf(list, () => true);
      if (random.below(2) === 0) node.version += BigInt(1 + random.below(3));
      else node.height += 1 + random.below(3);
    }),
  "a node left out or given twice, described": () =>
    lied((list) => {
      const at = 1 + random.below(list.length - 2);
      list.splice(at, 1, ...(random.below(2) === 0 ? [] : [list[at] as SnapshotItem, list[at] as SnapshotItem]));
    }),
  "stores in another order, or one left out": () =>
    redescribed((snapshot) => {
      const stores = storesOf(snapshot);
      if (random.below(2) === 0) stores.reverse();
      else stores.splice(random.below(stores.length), 1);
    }),
  "another root, size or name of a store": () =>
    redescribed((snapshot) => {
      const store = random.of(storesOf(snapshot));
      const which = random.below(3);
      if (which === 0) store.hash = flipped(store.hash);
      else if (which === 1) store.size += BigInt(random.of([-1, 1, 5, 1_000]));
      else store.name = `${store.name}2`;
    }),
  "other hashes or numbers of chunks": () =>
    redescribed((snapshot) => {
      const hashes = snapshot.metadata?.chunkHashes ?? [];
      const which = random.below(3);
      if (which === 0) hashes[random.below(hashes.length)] = sha256(utf8("other"));
      else if (which === 1) snapshot.chunks += random.of([-1, 1]);
      else hashes.pop();
    }),
};

const trusted = state.appHash;

/** As a home does it: the description, each chunk, all of them, and what was built. */
async function restored({ snapshot, chunks }: Whole, database = new MemoryDatabase()): Promise<string> {
  const restore = new SnapshotRestore(database, snapshot, { sha256, appHash: trusted, engine: "comet" });
  try {
    while (!restore.isComplete) {
      const chunk = chunks[restore.next] ?? new Uint8Array(0);
      if (!restore.isNext(chunk)) throw new Error("refused: another chunk");
      await restore.apply(chunk);
    }
    restore.finish();
  } catch (error) {
    restore.discard();
    throw error;
  }
  return toHex(restore.commit([]).hash);
}

describe("SnapshotRestore", () => {
  test("the snapshot as it was taken → restored; its stream is what it was made of", async () => {
    expect(whole.chunks.length).toBeGreaterThan(5);
    expect(inflateSync(concatBytes(...whole.chunks)).equals(stream)).toBe(true);
    expect(await restored(whole)).toBe(toHex(trusted));
    expect(await restored(packed(await items()))).toBe(toHex(trusted));
  });

  test(`${ROUNDS} corrupted ones → each refused, nothing counts, and the sound one is restored into the same database`, async () => {
    const kinds = Object.entries(CORRUPTIONS);
    const accepted: string[] = [];
    let database = new MemoryDatabase();
    for (let round = 0; round < ROUNDS; round++) {
      const [kind, corrupt] = kinds[round % kinds.length] as (typeof kinds)[number];
      const bad = await corrupt();
      const end = await restored(bad, database).catch((error: unknown) => error);
      const isRefused =
        end instanceof Error &&
        (isUpgradeError(end) ? end.code === "UPG_INVALID_SNAPSHOT" : /^refused/.test(end.message));
      if (!isRefused) accepted.push(`round ${round}, ${kind}: ${String(end)}`);
      // One that was taken all the same has begun a chain, which refuses the next.
      if (lastVersionOf(database) !== 0) database = new MemoryDatabase();
    }
    expect(accepted).toEqual([]);
    expect(await restored(whole, database)).toBe(toHex(trusted));
  });
});
