/** Block headers: protobuf form, hash, and the rules that need no state (CometBFT 0.38, block protocol 11). */

import { ADDRESS_BYTES, EMPTY, utf8 } from "../../base/text/bytes.js";
import { isWellFormed } from "../../base/text/text.js";
import { INT64_MAX } from "../../base/types/limits.js";
import type { Height, Sha256, Timestamp } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { type FieldKinds, Fields, rule } from "../../base/wire/wire-fields.js";
import { merkleRoot } from "../../state/commitment/merkle.js";
import { type BlockId, decodeBlockId, encodeBlockId, validateBlockId, validateHash } from "./block-id.js";
import { encodeTime, timeOf } from "./wire-time.js";

/** The block protocol of the 0.34 to 0.38 family. */
export const BLOCK_PROTOCOL = 11n;
export const CHAIN_ID_BYTES_MAX = 50;

export interface Header {
  /** Protocol versions; uint64. */
  readonly version: { readonly block: bigint; readonly app: bigint };
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
  readonly lastBlockId: BlockId;
  readonly lastCommitHash: Uint8Array;
  readonly dataHash: Uint8Array;
  readonly validatorsHash: Uint8Array;
  readonly nextValidatorsHash: Uint8Array;
  readonly consensusHash: Uint8Array;
  /** App hash after the block before this one; of any length. */
  readonly appHash: Uint8Array;
  /** Of the block before this one. */
  readonly lastResultsHash: Uint8Array;
  readonly evidenceHash: Uint8Array;
  /** 20 bytes. */
  readonly proposerAddress: Uint8Array;
}

/**
 * Merkle root over the fourteen fields, each in protobuf form (scalars wrapped as field 1, left out when default).
 * Empty when the header has no `validatorsHash`: then it is no header yet.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT when the time is outside years 1 to 9999.
 */
export function headerHash(sha256: Sha256, header: Header): Uint8Array {
  if (header.validatorsHash.length === 0) return EMPTY;
  const wrapped = (bytes: Uint8Array): Uint8Array => new WireWriter().bytes(1, bytes).finish();
  return merkleRoot(sha256, [
    encodeVersion(header),
    wrapped(utf8(header.chainId)),
    new WireWriter().int(1, header.height).finish(),
    encodeTime(header.time),
    encodeBlockId(header.lastBlockId),
    wrapped(header.lastCommitHash),
    wrapped(header.dataHash),
    wrapped(header.validatorsHash),
    wrapped(header.nextValidatorsHash),
    wrapped(header.consensusHash),
    wrapped(header.appHash),
    wrapped(header.lastResultsHash),
    wrapped(header.evidenceHash),
    wrapped(header.proposerAddress),
  ]);
}

/** `tendermint.types.Header` */
export function encodeHeader(header: Header): Uint8Array {
  return new WireWriter()
    .message(1, encodeVersion(header))
    .string(2, header.chainId)
    .int(3, header.height)
    .message(4, encodeTime(header.time))
    .message(5, encodeBlockId(header.lastBlockId))
    .bytes(6, header.lastCommitHash)
    .bytes(7, header.dataHash)
    .bytes(8, header.validatorsHash)
    .bytes(9, header.nextValidatorsHash)
    .bytes(10, header.consensusHash)
    .bytes(11, header.appHash)
    .bytes(12, header.lastResultsHash)
    .bytes(13, header.evidenceHash)
    .bytes(14, header.proposerAddress)
    .finish();
}

const HEADER_FIELDS: FieldKinds = ["bytes", "bytes", "varint", ...Array<"bytes">(11).fill("bytes")];

/** The form alone; {@link validateHeader} has the rules. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodeHeader(bytes: Uint8Array): Header {
  const fields = new Fields(bytes, "Header", HEADER_FIELDS);
  const version = new Fields(fields.bytes(1), "Consensus", ["varint", "varint"]);
  return {
    version: { block: version.uint64(1), app: version.uint64(2) },
    chainId: fields.text(2),
    height: fields.int64(3),
    time: timeOf(fields, 4),
    lastBlockId: decodeBlockId(fields.bytes(5)),
    lastCommitHash: fields.hash(6),
    dataHash: fields.hash(7),
    validatorsHash: fields.hash(8),
    nextValidatorsHash: fields.hash(9),
    consensusHash: fields.hash(10),
    appHash: fields.bytes(11),
    lastResultsHash: fields.hash(12),
    evidenceHash: fields.hash(13),
    proposerAddress: fields.bytes(14),
  };
}

/** What every header must obey, whatever the state. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function validateHeader(header: Header): void {
  const { block } = header.version;
  rule(block === BLOCK_PROTOCOL, `header: block protocol ${block}, this program knows ${BLOCK_PROTOCOL}`);
  const chainIdBytes = utf8(header.chainId).length;
  rule(chainIdBytes <= CHAIN_ID_BYTES_MAX, `header: chain id of ${chainIdBytes} bytes, at most ${CHAIN_ID_BYTES_MAX}`);
  rule(isWellFormed(header.chainId), "header: the chain id is not Unicode text");
  rule(header.height > 0n && header.height <= INT64_MAX, `header: height ${header.height} is not a positive int64`);
  validateBlockId(header.lastBlockId, "last block id");
  validateHash(header.lastCommitHash, "last commit hash");
  validateHash(header.dataHash, "data hash");
  validateHash(header.evidenceHash, "evidence hash");
  validateHash(header.validatorsHash, "validators hash");
  validateHash(header.nextValidatorsHash, "next validators hash");
  validateHash(header.consensusHash, "consensus hash");
  validateHash(header.lastResultsHash, "last results hash");
  const { length } = header.proposerAddress;
  rule(length === ADDRESS_BYTES, `header: a proposer address has ${ADDRESS_BYTES} bytes, got ${length}`);
}

function encodeVersion({ version }: Header): Uint8Array {
  return new WireWriter().int(1, version.block).int(2, version.app).finish();
}
