/** Two verifiers, one verdict: OpenSSL's and the audited one in JavaScript, on good signatures and on every kind of bad one. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fromHex, toHex } from "../../../../host/base/text/bytes.js";
import { publicKeyOf, sign, verifySignature } from "../../../../host/chain/comet-types/keys.js";
import { nodeVerifySignature } from "../../../../host/node/home/node-signatures.js";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const seed = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => bytes.some((byte) => byte !== 0 && byte !== 255));
const scalar = (value: bigint) => fromHex(value.toString(16).padStart(64, "0"));
const number = (bytes: Uint8Array) => BigInt(`0x${toHex(bytes)}`);

function both(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const named = { type: "secp256k1", bytes: key } as const;
  const verdict = verifySignature(named, message, signature);
  expect(nodeVerifySignature(named, message, signature)).toBe(verdict);
  return verdict;
}

test("a good signature → true; with s turned into n - s, bits flipped, or other lengths → false; both agree", () => {
  fc.assert(
    fc.property(seed, fc.uint8Array({ maxLength: 200 }), fc.nat(511), (privateKey, message, bit) => {
      const key = publicKeyOf("secp256k1", privateKey).bytes;
      const signature = sign("secp256k1", privateKey, message);
      expect(both(key, message, signature)).toBe(true);
      const high = Uint8Array.of(...signature.subarray(0, 32), ...scalar(ORDER - number(signature.subarray(32))));
      expect(both(key, message, high)).toBe(false);
      const flipped = signature.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(both(key, message, flipped)).toBe(false);
      expect(both(key, message, signature.subarray(1))).toBe(false);
      expect(both(key, message, Uint8Array.of(...signature, 0))).toBe(false);
    }),
    { numRuns: 60 },
  );
});

test("r and s at and around zero, half the order and the order → both agree, and none is good", () => {
  const key = publicKeyOf("secp256k1", new Uint8Array(32).fill(9)).bytes;
  const edges = [0n, 1n, ORDER / 2n, ORDER / 2n + 1n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 256n - 1n];
  for (const r of edges) {
    for (const s of edges) {
      expect(both(key, Uint8Array.of(1), Uint8Array.of(...scalar(r), ...scalar(s)))).toBe(false);
    }
  }
});

test("keys that are no points, of other lengths or of other forms → both agree", () => {
  const signature = sign("secp256k1", new Uint8Array(32).fill(9), Uint8Array.of(1));
  const key = publicKeyOf("secp256k1", new Uint8Array(32).fill(9)).bytes;
  for (const first of [0, 1, 2, 3, 4, 5, 6, 7, 255])
    both(Uint8Array.of(first, ...key.subarray(1)), Uint8Array.of(1), signature);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constantFrom(2, 3), (x, first) => {
      both(Uint8Array.of(first, ...x), Uint8Array.of(1), signature);
    }),
    { numRuns: 60 },
  );
  for (const length of [0, 1, 32, 34, 65])
    expect(both(new Uint8Array(length).fill(2), Uint8Array.of(1), signature)).toBe(false);
});

test("an ed25519 key → judged by the same rules as without OpenSSL", () => {
  const privateKey = new Uint8Array(32).fill(3);
  const key = publicKeyOf("ed25519", privateKey);
  const signature = sign("ed25519", privateKey, Uint8Array.of(1));
  expect(nodeVerifySignature(key, Uint8Array.of(1), signature)).toBe(true);
  expect(nodeVerifySignature(key, Uint8Array.of(2), signature)).toBe(false);
});
