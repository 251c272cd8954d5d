/** Blocks: protobuf form, name, and the rules that need no state. */
import { EMPTY, equalBytes } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { Fields, rule } from "../../base/wire/wire-fields.js";
import type { BlockId } from "./block-id.js";
import { type Commit, commitHash, decodeCommit, encodeCommit, validateCommit } from "./commit.js";
import { BLOCK_BYTES_MAX } from "./consensus-params.js";
import { decodeEvidence, type Evidence, encodeEvidence, evidenceListHash, validateEvidence } from "./evidence.js";
import { decodeHeader, encodeHeader, type Header, headerHash, validateHeader } from "./header.js";
import { makePartSet } from "./part-set.js";
import { txsHash } from "./txs.js";

export interface Block {
  readonly header: Header;
  readonly txs: readonly Uint8Array[];
  readonly evidence: readonly Evidence[];
  /** Commit of the block before; the empty one in block 1. */
  readonly lastCommit: Commit;
}

/** The block's name. `bytes` is its encoding, when the caller has it already. */
export function blockIdOf(sha256: Sha256, block: Block, bytes: Uint8Array = encodeBlock(block)): BlockId {
  return { hash: headerHash(sha256, block.header), parts: makePartSet(sha256, bytes).header };
}

/** `tendermint.types.Block` */
export function encodeBlock(block: Block): Uint8Array {
  const evidence = new WireWriter();
  for (const piece of block.evidence) evidence.message(1, encodeEvidence(piece));
  return new WireWriter()
    .message(1, encodeHeader(block.header))
    .message(2, encodeTxs(block.txs))
    .message(3, evidence.finish())
    .message(4, encodeCommit(block.lastCommit))
    .finish();
}

/**
 * The form alone; {@link validateBlock} has the rules. Byte strings of the result are views of `bytes`.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT
 */
export function decodeBlock(bytes: Uint8Array): Block {
  rule(bytes.length <= BLOCK_BYTES_MAX, `a block of ${bytes.length} bytes, at most ${BLOCK_BYTES_MAX}`);
  const fields = new Fields(bytes, "Block", ["bytes", "bytes", "bytes", "bytes"]);
  const data = new Fields(fields.bytes(2), "Data", ["list"]);
  const evidence = new Fields(fields.bytes(3), "EvidenceList", ["list"]);
  return {
    header: decodeHeader(fields.bytes(1)),
    txs: data.list(1),
    evidence: evidence.list(1).map(decodeEvidence),
    lastCommit: decodeCommit(fields.required(4)),
  };
}

/**
 * Header, commit and evidence each by their rules, and that the header's hashes are those of the contents.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT
 */
export function validateBlock(sha256: Sha256, block: Block): void {
  const { header } = block;
  validateHeader(header);
  validateCommit(block.lastCommit);
  for (const piece of block.evidence) validateEvidence(sha256, piece);
  const same = (given: Uint8Array, actual: Uint8Array, what: string): void => {
    rule(equalBytes(given, actual), `block: the header's ${what} is not that of the contents`);
  };
  same(header.lastCommitHash, commitHash(sha256, block.lastCommit), "last commit hash");
  same(header.dataHash, txsHash(sha256, block.txs), "data hash");
  same(header.evidenceHash, evidenceListHash(sha256, block.evidence), "evidence hash");
}

/** `tendermint.types.Data` */
function encodeTxs(txs: readonly Uint8Array[]): Uint8Array {
  if (txs.length === 0) return EMPTY;
  const writer = new WireWriter();
  for (const tx of txs) writer.message(1, tx);
  return writer.finish();
}
