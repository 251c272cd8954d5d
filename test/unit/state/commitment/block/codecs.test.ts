import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../../host/base/errors/errors.js";
import { concatBytes, EMPTY, fromHex } from "../../../../../host/base/text/bytes.js";
import { ZERO_TIME } from "../../../../../host/base/time/time.js";
import { WireWriter } from "../../../../../host/base/wire/wire.js";
import { decodeBlock, encodeBlock } from "../../../../../host/chain/comet-types/block.js";
import { decodeBlockId, encodeBlockId, NIL_BLOCK_ID } from "../../../../../host/chain/comet-types/block-id.js";
import { decodeCommit, encodeCommit } from "../../../../../host/chain/comet-types/commit.js";
import { decodeEvidence, encodeEvidence } from "../../../../../host/chain/comet-types/evidence.js";
import { decodeHeader, encodeHeader } from "../../../../../host/chain/comet-types/header.js";
import { decodeLightBlock, encodeLightBlock } from "../../../../../host/chain/comet-types/light-block.js";
import { decodePublicKey, encodePublicKey, type PublicKey } from "../../../../../host/chain/comet-types/public-key.js";
import { decodeTxProof, encodeTxProof, txProofs } from "../../../../../host/chain/comet-types/txs.js";
import { decodeValidatorSet, encodeValidatorSet } from "../../../../../host/chain/comet-types/validator-set.js";
import { createValidatorSet } from "../../../../../host/chain/comet-types/validator-updates.js";
import { decodeVote, encodeVote } from "../../../../../host/chain/comet-types/vote.js";
import { blockId, bytes, commit, duplicateVote, header, sha256, updates, vote } from "./arbitraries.js";
import { ATTACK_PROTO } from "./light-client-attack.js";

const REFUSED = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });

interface Codec<T> {
  readonly name: string;
  readonly values: fc.Arbitrary<T>;
  readonly encode: (value: T) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => T;
}

const codec = <T>(
  name: string,
  values: fc.Arbitrary<T>,
  encode: (value: T) => Uint8Array,
  decode: (bytes: Uint8Array) => T,
): Codec<unknown> => ({ name, values, encode: (value) => encode(value as T), decode });

const publicKey: fc.Arbitrary<PublicKey> = fc.oneof(
  fc.record({ type: fc.constant("ed25519" as const), bytes: bytes(32) }),
  fc.record({ type: fc.constant("secp256k1" as const), bytes: bytes(33) }),
);
const validators = updates(1, 0).map((list) => createValidatorSet(sha256, list));
const evidence = fc.oneof(duplicateVote, fc.constant(decodeEvidence(fromHex(ATTACK_PROTO))));
const txs = fc.array(bytes(0, 40), { maxLength: 5 });
const block = fc.record({ header, txs, evidence: fc.array(evidence, { maxLength: 2 }), lastCommit: commit });
const lightBlock = fc.record({ signedHeader: fc.record({ header, commit }), validators });
const txProof = fc.array(bytes(0, 40), { minLength: 1, maxLength: 9 }).map((list) => txProofs(sha256, list)[0]);

const CODECS: readonly Codec<unknown>[] = [
  codec("BlockId", blockId, encodeBlockId, decodeBlockId),
  codec("Header", header, encodeHeader, decodeHeader),
  codec("Commit", commit, encodeCommit, decodeCommit),
  codec("Vote", vote, encodeVote, decodeVote),
  codec("Evidence", evidence, encodeEvidence, decodeEvidence),
  codec("PublicKey", publicKey, encodePublicKey, decodePublicKey),
  codec("ValidatorSet", validators, encodeValidatorSet, decodeValidatorSet),
  codec("LightBlock", lightBlock, encodeLightBlock, decodeLightBlock),
  codec("Block", block, encodeBlock, decodeBlock),
  codec("TxProof", txProof, (proof) => (proof ? encodeTxProof(proof) : EMPTY), decodeTxProof),
];

/** One flip, cut or insertion. */
interface Damage {
  readonly at: number;
  readonly kind: "flip" | "cut" | "insert";
  readonly byte: number;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("flip", "cut", "insert"),
  byte: fc.integer({ min: 1, max: 255 }),
});

function damaged(whole: Uint8Array, { at, kind, byte }: Damage): Uint8Array {
  const place = whole.length === 0 ? 0 : at % whole.length;
  if (kind === "cut") return whole.slice(0, place);
  if (kind === "insert") return concatBytes(whole.slice(0, place), Uint8Array.of(byte), whole.slice(place));
  return whole.map((old, index) => (index === place ? old ^ byte : old));
}

describe.each(CODECS)("decode$name()", ({ values, encode, decode }) => {
  test("undoes the encoder", () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(decode(encode(value))).toEqual(value);
      }),
    );
  });

  test("with damaged bytes → an answer that encodes and decodes to itself, or a refusal with a code", () => {
    fc.assert(
      fc.property(values, damage, (value, harm) => {
        let answer: unknown;
        try {
          answer = decode(damaged(encode(value), harm));
        } catch (error) {
          expect(isUpgradeError(error) && ["UPG_INVALID_ARGUMENT", "UPG_PROOF_MALFORMED"].includes(error.code)).toBe(
            true,
          );
          return;
        }
        expect(decode(encode(answer))).toEqual(answer);
      }),
      { numRuns: 300 },
    );
  });

  test("with an unknown field, or its first field as fixed64 → UPG_INVALID_ARGUMENT", () => {
    fc.assert(
      fc.property(values, (value) => {
        const whole = encode(value);
        for (const unknown of [new WireWriter().int(99, 1), new WireWriter().message(99, EMPTY)]) {
          expect(() => decode(concatBytes(whole, unknown.finish()))).toThrow(/field 99 is unknown/);
        }
        expect(() => decode(new WireWriter().sfixed64(1, 1n).raw(whole).finish())).toThrow(REFUSED);
      }),
      { numRuns: 20 },
    );
  });
});

describe("decodeHeader()", () => {
  const field = (number: number, content: Uint8Array): Uint8Array => new WireWriter().message(number, content).finish();

  test("of nothing is the header without anything, at year 1", () => {
    const empty = decodeHeader(EMPTY);
    expect(empty.time).toEqual(ZERO_TIME);
    expect(empty.lastBlockId).toEqual(NIL_BLOCK_ID);
    expect([empty.height, empty.chainId, empty.version]).toEqual([0n, "", { block: 0n, app: 0n }]);
  });

  test("takes fields in any order", () => {
    const inOrder = new WireWriter().string(2, "chain-1").int(3, 7).finish();
    const reversed = new WireWriter().int(3, 7).string(2, "chain-1").finish();
    expect(decodeHeader(reversed)).toEqual(decodeHeader(inOrder));
  });

  test.each([
    ["a chain id that is not UTF-8", field(2, Uint8Array.of(0xff))],
    ["a hash of 31 bytes", field(8, new Uint8Array(31))],
    ["a hash of 33 bytes", field(13, new Uint8Array(33))],
    ["a height as bytes", field(3, Uint8Array.of(1))],
    ["a field given twice", concatBytes(field(14, new Uint8Array(20)), field(14, new Uint8Array(20)))],
    ["a malformed time", field(4, Uint8Array.of(0x08))],
    ["a malformed last block id", field(5, field(2, new WireWriter().int(1, 0x1_0000_0000n).finish()))],
    ["a truncated field", fromHex("1a05636861")],
    ["a varint of eleven bytes", fromHex("18ffffffffffffffffffffff01")],
    ["field 0", fromHex("0001")],
    ["a group", fromHex("1b1c")],
  ])("with %s → UPG_INVALID_ARGUMENT", (_, malformed) => {
    expect(() => decodeHeader(malformed)).toThrow(REFUSED);
  });
});

describe("numbers out of range", () => {
  const INT32_PAST = 0x8000_0000n;

  test("decodeCommit() with a round that is no int32, or an unknown flag → UPG_INVALID_ARGUMENT", () => {
    expect(decodeCommit(new WireWriter().int(2, INT32_PAST - 1n).finish()).round).toBe(0x7fff_ffff);
    expect(() => decodeCommit(new WireWriter().int(2, INT32_PAST).finish())).toThrow(REFUSED);
    for (const flag of [0, 4]) {
      const signature = new WireWriter().int(1, flag).finish();
      expect(() => decodeCommit(new WireWriter().message(4, signature).finish()), `flag ${flag}`).toThrow(REFUSED);
    }
  });

  test("decodeVote() with another type than prevote and precommit → UPG_INVALID_ARGUMENT", () => {
    for (const type of [0, 3, 32]) expect(() => decodeVote(new WireWriter().int(1, type).finish())).toThrow(REFUSED);
  });

  test("decodeBlockId() with the greatest uint32 → taken; with one more → UPG_INVALID_ARGUMENT", () => {
    const parts = (total: bigint) => new WireWriter().message(2, new WireWriter().int(1, total).finish()).finish();
    expect(decodeBlockId(parts(0xffff_ffffn)).parts.total).toBe(0xffff_ffff);
    expect(() => decodeBlockId(parts(0x1_0000_0000n))).toThrow(REFUSED);
  });
});

describe("what must be there", () => {
  test("decodeEvidence() and decodePublicKey() with none or both of their kinds → UPG_INVALID_ARGUMENT", () => {
    const both = new WireWriter().message(1, new Uint8Array(32)).message(2, new Uint8Array(33)).finish();
    for (const decode of [decodeEvidence, decodePublicKey]) {
      expect(() => decode(EMPTY)).toThrow(REFUSED);
      expect(() => decode(both)).toThrow(/not exactly one/);
    }
  });

  test("decodeEvidence() without a vote, decodeBlock() without a last commit → UPG_INVALID_ARGUMENT", () => {
    expect(() => decodeEvidence(new WireWriter().message(1, EMPTY).finish())).toThrow(/field 1 is missing/);
    expect(() => decodeBlock(new WireWriter().message(1, EMPTY).finish())).toThrow(/field 4 is missing/);
  });

  test("decodePublicKey() with a key of another length → UPG_INVALID_ARGUMENT", () => {
    for (const [field, length] of [
      [1, 31],
      [1, 33],
      [2, 32],
      [2, 65],
    ] as const) {
      expect(() => decodePublicKey(new WireWriter().message(field, new Uint8Array(length)).finish())).toThrow(REFUSED);
    }
  });
});
