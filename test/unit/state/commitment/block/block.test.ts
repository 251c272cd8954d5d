import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY, fromHex, toHex } from "../../../../../host/base/text/bytes.js";
import { ZERO_TIME } from "../../../../../host/base/time/time.js";
import {
  type Block,
  blockIdOf,
  decodeBlock,
  encodeBlock,
  validateBlock,
} from "../../../../../host/chain/comet-types/block.js";
import { isCompleteBlockId, NIL_BLOCK_ID } from "../../../../../host/chain/comet-types/block-id.js";
import {
  type Commit,
  type CommitSig,
  commitHash,
  validateCommit,
} from "../../../../../host/chain/comet-types/commit.js";
import { BLOCK_BYTES_MAX } from "../../../../../host/chain/comet-types/consensus-params.js";
import { decodeEvidence, evidenceListHash } from "../../../../../host/chain/comet-types/evidence.js";
import { type Header, headerHash } from "../../../../../host/chain/comet-types/header.js";
import { makePartSet, PART_BYTES, type Part, verifyPart } from "../../../../../host/chain/comet-types/part-set.js";
import { resultsHash } from "../../../../../host/chain/comet-types/results.js";
import { txProofs, txsHash, verifyTxProof } from "../../../../../host/chain/comet-types/txs.js";
import { bytes, commit, header, sha256 } from "./arbitraries.js";
import { ATTACK_PROTO } from "./light-client-attack.js";

const REFUSED = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
const ABSENT: CommitSig = { flag: 1, validatorAddress: EMPTY, timestamp: ZERO_TIME, signature: EMPTY };

/** Whole blocks: the header names its contents. */
const block: fc.Arbitrary<Block> = fc
  .record({
    header,
    txs: fc.array(bytes(0, 30), { maxLength: 5 }),
    evidence: fc.constantFrom([], [decodeEvidence(fromHex(ATTACK_PROTO))]),
    lastCommit: commit,
  })
  .map((parts) => ({ ...parts, header: headerOf({ ...parts.header, chainId: "chain-1" }, parts) }));

function headerOf(base: Header, { txs, evidence, lastCommit }: Omit<Block, "header">): Header {
  return {
    ...base,
    lastCommitHash: commitHash(sha256, lastCommit),
    dataHash: txsHash(sha256, txs),
    evidenceHash: evidenceListHash(sha256, evidence),
  };
}

describe("validateBlock()", () => {
  test("takes blocks whose header names their contents, and their encodings", () => {
    fc.assert(
      fc.property(block, (whole) => {
        validateBlock(sha256, whole);
        validateBlock(sha256, decodeBlock(encodeBlock(whole)));
      }),
    );
  });

  test("with a last commit or evidence that breaks its rules → UPG_INVALID_ARGUMENT, though the hashes fit", () => {
    fc.assert(
      fc.property(block, (whole) => {
        const lastCommit: Commit = { ...whole.lastCommit, round: -1 };
        expect(() => validateBlock(sha256, { ...whole, lastCommit })).toThrow(/round -1/);
        const attack = decodeEvidence(fromHex(ATTACK_PROTO));
        const bad = { ...whole, evidence: [{ ...attack, totalPower: 0n }] };
        expect(() => validateBlock(sha256, { ...bad, header: headerOf(bad.header, bad) })).toThrow(
          /total voting power/,
        );
        const header = { ...whole.header, height: 0n };
        expect(() => validateBlock(sha256, { ...whole, header })).toThrow(/height 0/);
      }),
      { numRuns: 10 },
    );
  });

  test("with other contents than the header names → UPG_INVALID_ARGUMENT", () => {
    fc.assert(
      fc.property(block, (whole) => {
        const swapped = whole.evidence.length === 0 ? [decodeEvidence(fromHex(ATTACK_PROTO))] : [];
        const lastCommit: Commit = { ...whole.lastCommit, signatures: [...whole.lastCommit.signatures, ABSENT] };
        expect(() => validateBlock(sha256, { ...whole, txs: [...whole.txs, EMPTY] })).toThrow(/data hash/);
        expect(() => validateBlock(sha256, { ...whole, evidence: swapped })).toThrow(/evidence hash/);
        expect(() => validateBlock(sha256, { ...whole, lastCommit })).toThrow(/last commit hash/);
      }),
      { numRuns: 20 },
    );
  });
});

describe("blockIdOf()", () => {
  test("names header and bytes", () => {
    fc.assert(
      fc.property(block, (whole) => {
        const id = blockIdOf(sha256, whole);
        expect(isCompleteBlockId(id)).toBe(true);
        expect(id.hash).toEqual(headerHash(sha256, whole.header));
        expect(id).toEqual(blockIdOf(sha256, whole, encodeBlock(whole)));
        const longer = { ...whole, txs: [...whole.txs, EMPTY] };
        expect(blockIdOf(sha256, longer).parts.hash).not.toEqual(id.parts.hash);
      }),
      { numRuns: 20 },
    );
  });
});

describe("decodeBlock()", () => {
  test("with BLOCK_BYTES_MAX bytes → looked at; with one more → refused for its size", () => {
    const zeros = new Uint8Array(BLOCK_BYTES_MAX + 1);
    expect(() => decodeBlock(zeros.subarray(1))).toThrow(/malformed protobuf/);
    expect(() => decodeBlock(zeros)).toThrow(/104857601 bytes, at most 104857600/);
  });

  test("with 10,000 transactions → the same block", () => {
    const [base] = fc.sample(block, { numRuns: 1, seed: 1 });
    const txs = Array.from({ length: 10_000 }, (_, index) => new Uint8Array(100).fill(index));
    const decoded = decodeBlock(encodeBlock({ ...(base as Block), txs }));
    expect(decoded.txs.map(toHex)).toEqual(txs.map(toHex));
  });
});

describe("validateCommit()", () => {
  const [sample] = fc.sample(commit, { numRuns: 1, seed: 1 }) as [Commit];
  const vote: CommitSig = { ...ABSENT, flag: 3, validatorAddress: new Uint8Array(20), signature: new Uint8Array(1) };
  const attempt = (change: Partial<Commit>) => () => validateCommit({ ...sample, ...change });

  test("takes every commit that obeys the rules, and the empty one of block 1", () => {
    fc.assert(
      fc.property(commit, (sound) => {
        validateCommit(sound);
      }),
    );
    validateCommit({ height: 0n, round: 0, blockId: NIL_BLOCK_ID, signatures: [] });
  });

  test.each<[string, Partial<Commit>]>([
    ["a negative height", { height: -1n }],
    ["a negative round", { round: -1 }],
    ["no block", { blockId: NIL_BLOCK_ID }],
    ["a block hash of 31 bytes", { blockId: { ...sample.blockId, hash: new Uint8Array(31) } }],
    ["no signatures", { signatures: [] }],
    ["an absent vote with an address", { signatures: [{ ...ABSENT, validatorAddress: new Uint8Array(20) }] }],
    ["an absent vote with a time", { signatures: [{ ...ABSENT, timestamp: { seconds: 0n, nanos: 0 } }] }],
    ["an absent vote with a signature", { signatures: [{ ...ABSENT, signature: new Uint8Array(1) }] }],
    ["an address of 21 bytes", { signatures: [{ ...vote, validatorAddress: new Uint8Array(21) }] }],
    ["a vote without signature", { signatures: [{ ...vote, signature: EMPTY }] }],
    ["a signature of 65 bytes", { signatures: [{ ...vote, signature: new Uint8Array(65) }] }],
  ])("with %s → UPG_INVALID_ARGUMENT", (_, change) => {
    expect(attempt(change)).toThrow(REFUSED);
  });
});

describe("makePartSet()", () => {
  test.each([
    [0, []],
    [1, [1]],
    [PART_BYTES, [PART_BYTES]],
    [PART_BYTES + 1, [PART_BYTES, 1]],
    [3 * PART_BYTES - 1, [PART_BYTES, PART_BYTES, PART_BYTES - 1]],
  ])("of %d bytes has parts of %j bytes, each proven", (length, sizes) => {
    const whole = new Uint8Array(length).map((_, at) => at % 251);
    const { header: parts, parts: pieces } = makePartSet(sha256, whole);
    expect(parts.total).toBe(sizes.length);
    expect(pieces.map((part) => part.bytes.length)).toEqual(sizes);
    for (const part of pieces) verifyPart(sha256, parts, part);
  });

  test("verifyPart() with another place, size or content → UPG_PROOF_*", () => {
    const { header: parts, parts: pieces } = makePartSet(sha256, new Uint8Array(2 * PART_BYTES + 5).fill(1));
    const [first, , last] = pieces as [Part, Part, Part];
    const malformed = expect.objectContaining({ code: "UPG_PROOF_MALFORMED" });
    expect(() => verifyPart(sha256, parts, { ...first, index: 1 })).toThrow(malformed);
    expect(() => verifyPart(sha256, { ...parts, total: 4 }, first)).toThrow(malformed);
    expect(() => verifyPart(sha256, parts, { ...first, bytes: first.bytes.subarray(1) })).toThrow(malformed);
    expect(() => verifyPart(sha256, parts, { ...last, bytes: EMPTY })).toThrow(malformed);
    const value = expect.objectContaining({ code: "UPG_PROOF_VALUE" });
    expect(() => verifyPart(sha256, parts, { ...last, bytes: new Uint8Array(5) })).toThrow(value);
  });
});

describe("verifyTxProof()", () => {
  const txs = [1, 2, 3].map((byte) => Uint8Array.of(byte));
  const proof = txProofs(sha256, txs)[1];
  if (!proof) throw new Error("no proof was made");

  test("takes a proof for the header's hash alone, and for its transaction alone", () => {
    const dataHash = txsHash(sha256, txs);
    verifyTxProof(sha256, dataHash, proof);
    const root = expect.objectContaining({ code: "UPG_PROOF_ROOT" });
    expect(() => verifyTxProof(sha256, txsHash(sha256, []), proof)).toThrow(root);
    const value = expect.objectContaining({ code: "UPG_PROOF_VALUE" });
    expect(() => verifyTxProof(sha256, dataHash, { ...proof, tx: Uint8Array.of(9) })).toThrow(value);
  });
});

describe("resultsHash()", () => {
  test("sees code, data and gas, and nothing else", () => {
    const base = { code: 0, data: Uint8Array.of(1), gasWanted: 2n, gasUsed: 3n };
    const hash = (change: object) => toHex(resultsHash(sha256, [{ ...base, ...change }]));
    const seen = [{}, { code: 1 }, { data: EMPTY }, { gasWanted: 3n }, { gasUsed: 4n }].map(hash);
    expect(new Set(seen).size).toBe(5);
    expect(hash({ log: "a log", info: "an info", codespace: "sdk", events: [] })).toBe(seen[0]);
  });
});
