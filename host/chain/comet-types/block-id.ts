/** Names of blocks: the hash of the header, and the root over the parts in which the block is sent. */
import { EMPTY, equalBytes, HASH_BYTES, toHex } from "../../base/text/bytes.js";
import { WireWriter } from "../../base/wire/wire.js";
import { Fields, rule } from "../../base/wire/wire-fields.js";

export interface PartSetHeader {
  /** Number of parts; uint32. */
  readonly total: number;
  /** Merkle root over the parts. */
  readonly hash: Uint8Array;
}

export interface BlockId {
  readonly hash: Uint8Array;
  readonly parts: PartSetHeader;
}

/** No block: what a vote for nil names, and what block 1 names as its predecessor. */
export const NIL_BLOCK_ID: BlockId = Object.freeze({ hash: EMPTY, parts: Object.freeze({ total: 0, hash: EMPTY }) });

export function isNilBlockId(id: BlockId): boolean {
  return id.hash.length === 0 && id.parts.total === 0 && id.parts.hash.length === 0;
}

/** Names a block in full: both hashes and at least one part. */
export function isCompleteBlockId(id: BlockId): boolean {
  return id.hash.length === HASH_BYTES && id.parts.total > 0 && id.parts.hash.length === HASH_BYTES;
}

export function equalBlockIds(a: BlockId, b: BlockId): boolean {
  return equalBytes(a.hash, b.hash) && a.parts.total === b.parts.total && equalBytes(a.parts.hash, b.parts.hash);
}

/** For messages: `ab12…:3:cd34…`. */
export function blockIdText(id: BlockId): string {
  return `${toHex(id.hash)}:${id.parts.total}:${toHex(id.parts.hash)}`;
}

/** `tendermint.types.PartSetHeader` */
export function encodePartSetHeader(header: PartSetHeader): Uint8Array {
  return new WireWriter().int(1, header.total).bytes(2, header.hash).finish();
}

/** `tendermint.types.BlockID`; the part set header is written even when it is empty. */
export function encodeBlockId(id: BlockId): Uint8Array {
  return new WireWriter().bytes(1, id.hash).message(2, encodePartSetHeader(id.parts)).finish();
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT; hashes have 0 or 32 bytes. */
export function decodeBlockId(bytes: Uint8Array): BlockId {
  const fields = new Fields(bytes, "BlockID", ["bytes", "bytes"]);
  const parts = new Fields(fields.bytes(2), "PartSetHeader", ["varint", "bytes"]);
  return { hash: fields.hash(1), parts: { total: parts.uint32(1), hash: parts.hash(2) } };
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT when a hash has neither 0 nor 32 bytes. */
export function validateBlockId(id: BlockId, what: string): void {
  validateHash(id.hash, `hash of the ${what}`);
  validateHash(id.parts.hash, `part set hash of the ${what}`);
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT when a hash has neither 0 nor 32 bytes. */
export function validateHash(hash: Uint8Array, what: string): void {
  rule(hash.length === 0 || hash.length === HASH_BYTES, `${what}: a hash has 32 bytes, got ${hash.length}`);
}
