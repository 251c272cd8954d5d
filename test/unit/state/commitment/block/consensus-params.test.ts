import { describe, expect, test } from "vitest";
import { toHex } from "../../../../../host/base/text/bytes.js";
import {
  BLOCK_BYTES_MAX,
  type ConsensusParams,
  consensusParamsHash,
  DEFAULT_CONSENSUS_PARAMS,
  validateConsensusParams,
} from "../../../../../host/chain/comet-types/consensus-params.js";
import { sha256 } from "./arbitraries.js";

const { block, evidence } = DEFAULT_CONSENSUS_PARAMS;
const attempt = (change: Partial<ConsensusParams>) => () =>
  validateConsensusParams({ ...DEFAULT_CONSENSUS_PARAMS, ...change });

describe("validateConsensusParams()", () => {
  test.each<[string, Partial<ConsensusParams>]>([
    ["the largest block", { block: { ...block, maxBytes: BigInt(BLOCK_BYTES_MAX) } }],
    ["a block of one byte", { block: { ...block, maxBytes: 1n }, evidence: { ...evidence, maxBytes: 0n } }],
    ["evidence that ages at once", { evidence: { ...evidence, maxAgeBlocks: 1n, maxAgeNanos: 1n } }],
    ["no limit on bytes", { block: { ...block, maxBytes: -1n } }],
    ["no gas at all", { block: { ...block, maxGas: 0n } }],
    ["evidence as large as a block", { evidence: { ...evidence, maxBytes: block.maxBytes } }],
    ["no evidence", { evidence: { ...evidence, maxBytes: 0n } }],
    [
      "evidence as large as the largest block",
      { block: { ...block, maxBytes: -1n }, evidence: { ...evidence, maxBytes: BigInt(BLOCK_BYTES_MAX) } },
    ],
    ["both key types", { validator: { publicKeyTypes: ["ed25519", "secp256k1"] } }],
    ["vote extensions", { abci: { voteExtensionsHeight: 1n } }],
  ])("with %s → taken", (_, change) => {
    attempt(change)();
  });

  test.each<[string, Partial<ConsensusParams>, string]>([
    ["no bytes", { block: { ...block, maxBytes: 0n } }, "block.max_bytes"],
    ["bytes of -2", { block: { ...block, maxBytes: -2n } }, "block.max_bytes"],
    ["one byte too many", { block: { ...block, maxBytes: BigInt(BLOCK_BYTES_MAX) + 1n } }, "block.max_bytes"],
    ["gas of -2", { block: { ...block, maxGas: -2n } }, "block.max_gas"],
    ["evidence of no age in blocks", { evidence: { ...evidence, maxAgeBlocks: 0n } }, "max_age_num_blocks"],
    ["evidence of no age in time", { evidence: { ...evidence, maxAgeNanos: 0n } }, "max_age_duration"],
    [
      "evidence larger than a block",
      { evidence: { ...evidence, maxBytes: block.maxBytes + 1n } },
      "evidence.max_bytes",
    ],
    ["evidence of -1 bytes", { evidence: { ...evidence, maxBytes: -1n } }, "evidence.max_bytes"],
    ["vote extensions before the start", { abci: { voteExtensionsHeight: -1n } }, "vote_extensions_enable_height"],
    ["no key type", { validator: { publicKeyTypes: [] } }, "pub_key_types"],
    ["an unknown key type", { validator: { publicKeyTypes: ["ed25519", "sr25519"] } }, "sr25519"],
  ])("with %s → UPG_INVALID_ARGUMENT naming it", (_, change, name) => {
    expect(attempt(change)).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
    expect(attempt(change)).toThrow(name);
  });
});

describe("consensusParamsHash()", () => {
  test("sees the block's limits and nothing else", () => {
    const hash = (change: Partial<ConsensusParams>) =>
      toHex(consensusParamsHash(sha256, { ...DEFAULT_CONSENSUS_PARAMS, ...change }));
    expect(hash({ version: { app: 9n }, evidence: { ...evidence, maxBytes: 1n } })).toBe(hash({}));
    expect(hash({ block: { ...block, maxGas: 1n } })).not.toBe(hash({}));
    expect(hash({ block: { ...block, maxBytes: 1n } })).not.toBe(hash({}));
  });
});
