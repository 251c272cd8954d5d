/**
 * Blocks beside the state, in the same database, so that a block and the state after it become visible together.
 *   b r height   BlockRecord      b b height   the block's bytes      b h hash   height
 *   b e height   BlockResults                              b w height   time of a block that was pruned and whose state is kept
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../base/errors/errors.js";
import { BlockRecordSchema } from "../../base/gen/chain/engine/v1/engine_pb.js";
import { bigEndian64, concatBytes } from "../../base/text/bytes.js";
import type { Height, Timestamp } from "../../base/types/types.js";
import { type Block, decodeBlock } from "../../chain/comet-types/block.js";
import type { BlockId } from "../../chain/comet-types/block-id.js";
import { type Commit, decodeCommit, encodeCommit } from "../../chain/comet-types/commit.js";
import { decodeHeader, encodeHeader, type Header } from "../../chain/comet-types/header.js";
import type { Batch, Database } from "../../state/store/disk/database.js";
import { BLOCKS_PREFIX } from "../../state/store/disk/keys.js";
import { type BlockResults, decodeBlockResults, encodeBlockResults } from "./block-results.js";

export interface StoredBlock {
  readonly header: Header;
  readonly blockId: BlockId;
  /** Bytes of the whole block. */
  readonly size: number;
  readonly txCount: number;
  /** After this block; the next header carries both. */
  readonly appHash: Uint8Array;
  readonly lastResultsHash: Uint8Array;
  /** The commit that decided it; the next block carries it. */
  readonly commit: Commit;
}

const letter = (text: string) => text.charCodeAt(0);
const RECORD = Uint8Array.of(BLOCKS_PREFIX, letter("r"));
const BYTES = Uint8Array.of(BLOCKS_PREFIX, letter("b"));
const BY_HASH = Uint8Array.of(BLOCKS_PREFIX, letter("h"));
const RESULTS = Uint8Array.of(BLOCKS_PREFIX, letter("e"));
const TIME = Uint8Array.of(BLOCKS_PREFIX, letter("w"));
const RECORDS_END = Uint8Array.of(BLOCKS_PREFIX, letter("s"));
const TIMES_AT_ONCE = 256;

/**
 * Blocks with their results, by height and by hash, in the database of the state.
 *
 * @example
 * import { MemoryDatabase } from "chain-upgrade";
 * const blocks = new BlockStore(new MemoryDatabase());
 * console.log(blocks.latest(), blocks.highest()); // → undefined undefined
 */
export class BlockStore {
  constructor(private readonly database: Database) {}

  /** Adds a block to the transaction that makes its state visible. */
  put(batch: Batch, block: StoredBlock, bytes: Uint8Array, results: BlockResults): void {
    const height = bigEndian64(block.header.height);
    const record = create(BlockRecordSchema, {
      height: block.header.height,
      hash: block.blockId.hash,
      partsTotal: block.blockId.parts.total,
      partsHash: block.blockId.parts.hash,
      size: block.size,
      header: encodeHeader(block.header),
      numTxs: block.txCount,
      appHash: block.appHash,
      lastResultsHash: block.lastResultsHash,
      commit: encodeCommit(block.commit),
    });
    batch.put(concatBytes(RECORD, height), toBinary(BlockRecordSchema, record));
    batch.put(concatBytes(BYTES, height), bytes);
    batch.put(concatBytes(BY_HASH, block.blockId.hash), height);
    batch.put(concatBytes(RESULTS, height), encodeBlockResults(results));
  }

  /** Takes a block out again, in the transaction that takes back its state. @throws UpgradeError UPG_NOT_FOUND_BLOCK */
  remove(batch: Batch, height: Height): void {
    const key = bigEndian64(height);
    batch.remove(concatBytes(BY_HASH, this.at(height).blockId.hash));
    for (const kind of [RECORD, BYTES, RESULTS]) batch.remove(concatBytes(kind, key));
  }

  /**
   * Removes an old block; its time stays when its state does. What it had goes on being read until the transaction ends.
   * @throws UpgradeError UPG_NOT_FOUND_BLOCK
   */
  removeOld(batch: Batch, height: Height, keepsTime: boolean): StoredBlock {
    const stored = this.at(height);
    this.remove(batch, height);
    if (keepsTime) batch.put(concatBytes(TIME, bigEndian64(height)), timeBytes(stored.header.time));
    return stored;
  }

  /** Removes the times below `base` whose state was pruned since. `stateOf`: undefined where it was. */
  removeTimes(batch: Batch, base: Height, stateOf: (height: Height) => { readonly kept: boolean } | undefined): void {
    for (const height of this.times(base)) {
      const state = stateOf(height);
      if (!state) batch.remove(concatBytes(TIME, bigEndian64(height)));
      // What is kept for good comes before the versions that are readable for a while.
      else if (!state.kept) return;
    }
  }

  /** Heights below `base` with nothing but their time, ascending. */
  *times(base: Height): Generator<Height> {
    const end = concatBytes(TIME, bigEndian64(base));
    for (let start: Uint8Array = TIME; ; ) {
      const keys = this.database.keys({ start, end, limit: TIMES_AT_ONCE });
      for (const key of keys) yield new DataView(key.buffer, key.byteOffset).getBigUint64(TIME.length);
      const last = keys.at(-1);
      if (!last || keys.length < TIMES_AT_ONCE) return;
      start = concatBytes(last, Uint8Array.of(0));
    }
  }

  /** Time of a block that is kept, or whose state is. @throws UpgradeError UPG_NOT_FOUND_BLOCK */
  timeOf(height: Height): Timestamp {
    const bytes = height > 0n ? this.database.get(concatBytes(TIME, bigEndian64(height))) : undefined;
    if (!bytes) return this.at(height).header.time;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    return { seconds: view.getBigInt64(0), nanos: view.getUint32(8) };
  }

  /** The last block; undefined before the first. */
  latest(): StoredBlock | undefined {
    const height = this.highest();
    return height === undefined ? undefined : this.at(height);
  }

  /** Height of the last block. */
  highest(): Height | undefined {
    return this.#edge(true);
  }

  /** Height of the lowest block that is kept. */
  lowest(): Height | undefined {
    return this.#edge(false);
  }

  /** @throws UpgradeError UPG_NOT_FOUND_BLOCK naming the heights that are kept */
  at(height: Height): StoredBlock {
    const bytes = height > 0n ? this.database.get(concatBytes(RECORD, bigEndian64(height))) : undefined;
    if (!bytes) throw this.#notFound(height);
    const record = fromBinary(BlockRecordSchema, bytes);
    return {
      header: decodeHeader(record.header),
      blockId: { hash: record.hash, parts: { total: record.partsTotal, hash: record.partsHash } },
      size: record.size,
      txCount: record.numTxs,
      appHash: record.appHash,
      lastResultsHash: record.lastResultsHash,
      commit: decodeCommit(record.commit),
    };
  }

  /** The whole block. @throws UpgradeError UPG_NOT_FOUND_BLOCK */
  block(height: Height): Block {
    const bytes = height > 0n ? this.database.get(concatBytes(BYTES, bigEndian64(height))) : undefined;
    if (!bytes) throw this.#notFound(height);
    return decodeBlock(bytes);
  }

  /** What its transactions and hooks returned. @throws UpgradeError UPG_NOT_FOUND_BLOCK */
  results(height: Height): BlockResults {
    const bytes = height > 0n ? this.database.get(concatBytes(RESULTS, bigEndian64(height))) : undefined;
    if (!bytes) throw this.#notFound(height);
    return decodeBlockResults(bytes);
  }

  heightOf(hash: Uint8Array): Height | undefined {
    const bytes = this.database.get(concatBytes(BY_HASH, hash));
    return bytes && new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
  }

  #edge(reverse: boolean): Height | undefined {
    const [key] = this.database.keys({ start: RECORD, end: RECORDS_END, reverse, limit: 1 });
    return key && new DataView(key.buffer, key.byteOffset).getBigUint64(RECORD.length);
  }

  #notFound(height: Height): UpgradeError {
    const lowest = this.lowest();
    const message =
      lowest !== undefined && height < lowest
        ? `height ${height} is not available, lowest height is ${lowest}`
        : `there is no block ${height}: ${lowest === undefined ? "there are none yet" : `the lowest block kept is ${lowest}`}`;
    return new UpgradeError("UPG_NOT_FOUND_BLOCK", message);
  }
}

function timeBytes({ seconds, nanos }: Timestamp): Uint8Array {
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setBigInt64(0, seconds);
  view.setUint32(8, nanos);
  return bytes;
}
