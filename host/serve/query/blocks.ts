/** Blocks in the messages of the query service; hashes there are bytes, and only the newer form names the proposer. */

import { fromBinary } from "@bufbuild/protobuf";
import { EvidenceSchema } from "../../base/gen/tendermint/types/evidence_pb.js";
import type { Block } from "../../chain/comet-types/block.js";
import type { BlockId } from "../../chain/comet-types/block-id.js";
import type { Commit } from "../../chain/comet-types/commit.js";
import { encodeEvidence } from "../../chain/comet-types/evidence.js";
import type { Header } from "../../chain/comet-types/header.js";
import type { Addresses } from "../../chain/values/address.js";

export function blockIdMessage({ hash, parts }: BlockId) {
  return { hash, partSetHeader: { total: parts.total, hash: parts.hash } };
}

function headerMessage(header: Header) {
  const { lastBlockId, proposerAddress: _, ...rest } = header;
  return { ...rest, lastBlockId: blockIdMessage(lastBlockId) };
}

function commitMessage({ height, round, blockId, signatures }: Commit) {
  return {
    height,
    round,
    blockId: blockIdMessage(blockId),
    signatures: signatures.map(({ flag, validatorAddress, timestamp, signature }) => ({
      blockIdFlag: flag,
      validatorAddress,
      timestamp,
      signature,
    })),
  };
}

/** The two forms of one block: the engine's, and the one whose header names the proposer in text. */
export function blockMessages(block: Block, { consensus }: Addresses) {
  const { header, txs, evidence, lastCommit } = block;
  const pieces = evidence.map((piece) => fromBinary(EvidenceSchema, encodeEvidence(piece)));
  const common = { data: { txs: [...txs] }, evidence: { evidence: pieces }, lastCommit: commitMessage(lastCommit) };
  const proposer = header.proposerAddress;
  return {
    block: { header: { ...headerMessage(header), proposerAddress: proposer }, ...common },
    sdkBlock: { header: { ...headerMessage(header), proposerAddress: consensus.encode(proposer) }, ...common },
  };
}
