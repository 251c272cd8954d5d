/**
 * Lists of nodes that a version no longer has, as a commit writes them, and the marks of dead nodes in a chunk.
 * Ids are written as u48, big-endian, ascending, a bounded number to a record.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { EMPTY } from "../../../base/text/bytes.js";
import { type Chunk, chunkOf, slotOf } from "../../commitment/chunk.js";
import { IdList } from "../../commitment/id-list.js";
import type { ChunkSpace } from "../disk/chunk-space.js";
import { deadKey, orphansKey } from "../disk/keys.js";

const ID_BYTES = 6;
const IDS_PER_PART = 2_048;
const BITMAP_BYTES = 32;

/** So many ids are gathered before they are sorted and staged: a commit can leave tens of millions of nodes behind. */
const IDS_GATHERED_MAX = 16_384;

/**
 * Stages the lists of nodes that one store's commit no longer has. Nodes in chunks from `firstChunk` on were made and
 * given up by the same commit: no version ever had them, so they are buried at once. (A store that is renamed and then
 * rewritten as a whole leaves one such node for each that it keeps.)
 */
export class OrphanLists {
  /** How many nodes were left behind. */
  count = 0;
  #part = 0;
  readonly #stillborn = new IdList();

  /** `lastVersion`: the last version that has the nodes. */
  constructor(
    private readonly space: ChunkSpace,
    private readonly store: number,
    private readonly lastVersion: number,
    private readonly firstChunk: number,
  ) {}

  /** Takes ids once there are many. */
  takeMany(ids: IdList): void {
    if (ids.length >= IDS_GATHERED_MAX) this.#take(ids);
  }

  /** Takes the last ids; nothing comes afterwards. */
  finish(ids: IdList): void {
    this.#take(ids);
    const marks = new DeadMarks();
    for (const id of this.#stillborn.sorted()) marks.add(id);
    const { space, store } = this;
    for (const [number, dead] of marks.chunks) {
      const rest = buried(space.read(store, number), dead);
      if (!rest) space.stageRecord(deadKey(store, number), dead);
      else if (rest.length === 0) space.dropChunk(store, number);
      else space.stageChunk(store, number, rest);
    }
  }

  #take(ids: IdList): void {
    const sorted = ids.sorted();
    const found = sorted.findIndex((id) => chunkOf(id) >= this.firstChunk);
    const visible = found === -1 ? sorted.length : found;
    for (let at = 0; at < visible; at += IDS_PER_PART) {
      const part = sorted.subarray(at, Math.min(at + IDS_PER_PART, visible));
      this.space.stageRecord(orphansKey(this.lastVersion, this.store, this.#part++), encodeIds(part));
    }
    for (let at = visible; at < sorted.length; at++) this.#stillborn.push(sorted[at] as number);
    this.count += sorted.length;
    ids.clear();
  }
}

export function encodeIds(ids: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(ids.length * ID_BYTES);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number;
    view.setUint16(i * ID_BYTES, Math.floor(id / 2 ** 32));
    view.setUint32(i * ID_BYTES + 2, id % 2 ** 32);
  }
  return bytes;
}

/** @throws UpgradeError UPG_STORE_CORRUPT */
export function decodeIds(bytes: Uint8Array): number[] {
  if (bytes.length % ID_BYTES !== 0) {
    throw new UpgradeError("UPG_STORE_CORRUPT", `a list of tree nodes has ${bytes.length} bytes, no multiple of 6`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const idAt = (at: number) => view.getUint16(at) * 2 ** 32 + view.getUint32(at + 2);
  return Array.from({ length: bytes.length / ID_BYTES }, (_, i) => idAt(i * ID_BYTES));
}

/** Dead nodes by chunk: one bit a slot. */
export class DeadMarks {
  readonly chunks = new Map<number, Uint8Array>();

  add(id: number): void {
    const chunk = chunkOf(id);
    let bits = this.chunks.get(chunk);
    if (!bits) {
      bits = new Uint8Array(BITMAP_BYTES);
      this.chunks.set(chunk, bits);
    }
    const slot = slotOf(id);
    bits[slot >> 3] = (bits[slot >> 3] as number) | (1 << (slot & 7));
  }
}

/**
 * What is left of a chunk some of whose nodes are dead: undefined when more than half is alive, so that marks are
 * enough; no bytes when nothing is; else the chunk without them, valid until the next call.
 */
export function buried(chunk: Chunk, dead: Uint8Array): Uint8Array | undefined {
  let present = 0;
  let lost = 0;
  for (let slot = 0; slot < chunk.count; slot++) {
    if (!chunk.has(slot)) continue;
    present++;
    if (isMarked(dead, slot)) lost++;
  }
  if (2 * lost < present) return undefined;
  return lost === present ? EMPTY : chunk.without((slot) => isMarked(dead, slot));
}

function isMarked(bits: Uint8Array, slot: number): boolean {
  return ((bits[slot >> 3] as number) & (1 << (slot & 7))) !== 0;
}
