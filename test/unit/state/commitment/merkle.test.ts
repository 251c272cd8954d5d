import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes, EMPTY, fromHex, toHex } from "../../../../host/base/text/bytes.js";
import type { Sha256 } from "../../../../host/base/types/types.js";
import {
  MERKLE_AUNTS_MAX,
  type MerkleProof,
  merkleProofs,
  merkleRoot,
  verifyMerkleProof,
} from "../../../../host/state/commitment/merkle.js";

const sha256: Sha256 = (bytes) => new Uint8Array(createHash("sha256").update(bytes).digest());
const items = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 40 });

/** The definition of RFC 6962, section 2.1, word by word. */
function definition(list: readonly Uint8Array[]): Uint8Array {
  if (list.length === 0) return sha256(EMPTY);
  if (list.length === 1) return sha256(concatBytes(Uint8Array.of(0), list[0] as Uint8Array));
  let split = 1;
  while (split * 2 < list.length) split *= 2;
  return sha256(concatBytes(Uint8Array.of(1), definition(list.slice(0, split)), definition(list.slice(split))));
}

describe("merkleRoot()", () => {
  test("of no items is the hash of nothing", () => {
    expect(toHex(merkleRoot(sha256, []))).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  test("of Certificate Transparency's eight test leaves is the published root", () => {
    const leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
    const root = merkleRoot(sha256, leaves.map(fromHex));
    expect(toHex(root)).toBe("5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
  });

  test("is what RFC 6962 defines, for every number of items up to 70", () => {
    for (let count = 0; count <= 70; count++) {
      const list = Array.from({ length: count }, (_, index) => Uint8Array.of(index, count));
      expect(toHex(merkleRoot(sha256, list)), `${count} items`).toBe(toHex(definition(list)));
    }
  });

  test("leaves the hash function's answers alone", () => {
    const fixed = new Uint8Array(32).fill(7);
    merkleRoot(() => fixed, [EMPTY, EMPTY, EMPTY]);
    expect(fixed).toEqual(new Uint8Array(32).fill(7));
  });
});

describe("merkleProofs()", () => {
  test("prove every item under the root", () => {
    fc.assert(
      fc.property(items, (list) => {
        const { root, proofs } = merkleProofs(sha256, list);
        expect(root).toEqual(merkleRoot(sha256, list));
        expect(proofs.map(({ index }) => index)).toEqual(list.map((_, index) => index));
        proofs.forEach((proof, index) => {
          verifyMerkleProof(sha256, root, list[index] as Uint8Array, proof);
        });
      }),
    );
  });

  test("of no items are none", () => {
    expect(merkleProofs(sha256, [])).toEqual({ root: sha256(EMPTY), proofs: [] });
  });
});

describe("verifyMerkleProof()", () => {
  const list = Array.from({ length: 11 }, (_, index) => Uint8Array.of(index));
  const { root, proofs } = merkleProofs(sha256, list);
  const leaf = list[6] as Uint8Array;
  const proof = proofs[6] as MerkleProof;
  const attempt = (changed: Partial<MerkleProof>) => () =>
    verifyMerkleProof(sha256, root, leaf, { ...proof, ...changed });
  const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, at) => (at === 9 ? byte ^ 1 : byte));

  test("with another item → UPG_PROOF_VALUE", () => {
    const other = list[5] as Uint8Array;
    expect(() => verifyMerkleProof(sha256, root, other, proof)).toThrow(
      expect.objectContaining({ code: "UPG_PROOF_VALUE" }),
    );
    expect(attempt({ leafHash: flipped(proof.leafHash) })).toThrow(
      expect.objectContaining({ code: "UPG_PROOF_VALUE" }),
    );
  });

  test("with another root or another aunt → UPG_PROOF_ROOT", () => {
    const other = expect.objectContaining({ code: "UPG_PROOF_ROOT" });
    expect(() => verifyMerkleProof(sha256, flipped(root), leaf, proof)).toThrow(other);
    expect(() => verifyMerkleProof(sha256, EMPTY, leaf, proof)).toThrow(other);
    proof.aunts.forEach((aunt, at) => {
      expect(attempt({ aunts: proof.aunts.with(at, flipped(aunt)) })).toThrow(other);
    });
  });

  test("at any other index or total → never accepted", () => {
    for (let index = -1; index <= 12; index++) {
      for (let total = 0; total <= 20; total++) {
        // Totals that give this index the same way up look the same: the root does not hold the total.
        if (index === 6 && total >= 9 && total <= 16) continue;
        const refusal = expect.objectContaining({ code: expect.stringMatching(/^UPG_PROOF_(ROOT|MALFORMED)$/) });
        expect(attempt({ index, total }), `${index} of ${total}`).toThrow(refusal);
      }
    }
  });

  test("of the only item at another index, or of no items → UPG_PROOF_MALFORMED", () => {
    const single = merkleProofs(sha256, [leaf]);
    const alone = (index: number, total: number) => () => {
      verifyMerkleProof(sha256, single.root, leaf, { ...(single.proofs[0] as MerkleProof), index, total });
    };
    alone(0, 1)();
    for (const [index, total] of [
      [1, 1],
      [-1, 1],
      [0, 0],
      [-1, 0],
    ] as const) {
      expect(alone(index, total)).toThrow(expect.objectContaining({ code: "UPG_PROOF_MALFORMED" }));
    }
  });

  test("with malformed parts → UPG_PROOF_MALFORMED", () => {
    const malformed = expect.objectContaining({ code: "UPG_PROOF_MALFORMED" });
    expect(attempt({ aunts: proof.aunts.slice(1) })).toThrow(malformed);
    expect(attempt({ aunts: [...proof.aunts, root] })).toThrow(malformed);
    expect(attempt({ aunts: proof.aunts.with(0, new Uint8Array(31)) })).toThrow(malformed);
    expect(attempt({ leafHash: new Uint8Array(33) })).toThrow(malformed);
    expect(attempt({ index: 0.5 })).toThrow(malformed);
    expect(attempt({ total: Number.MAX_SAFE_INTEGER + 1 })).toThrow(malformed);
    expect(attempt({ total: Number.POSITIVE_INFINITY })).toThrow(malformed);
  });

  test("with MERKLE_AUNTS_MAX aunts → looked at; with one more → refused for their number", () => {
    const many = (count: number) => attempt({ aunts: Array.from({ length: count }, () => root) });
    expect(many(MERKLE_AUNTS_MAX)).toThrow(/too many aunts/);
    expect(many(MERKLE_AUNTS_MAX + 1)).toThrow(/more than 100 aunts/);
  });
});
