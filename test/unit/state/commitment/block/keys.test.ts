import { secp256k1 } from "@noble/curves/secp256k1.js";
import { describe, expect, test } from "vitest";
import { concatBytes, EMPTY, fromHex, toHex, utf8 } from "../../../../../host/base/text/bytes.js";
import {
  addressOf,
  type KeyType,
  publicKeyOf,
  sign,
  verifySignature,
} from "../../../../../host/chain/comet-types/keys.js";
import { sha256 } from "./arbitraries.js";

const REFUSED = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
const SECRET = new Uint8Array(32).fill(7);
const MESSAGE = utf8("a message");
const TYPES: readonly KeyType[] = ["ed25519", "secp256k1"];

describe.each(TYPES)("verifySignature() of %s", (type) => {
  const key = publicKeyOf(type, SECRET);
  const signature = sign(type, SECRET, MESSAGE);

  test("accepts what sign() made, which is the same each time", () => {
    expect(verifySignature(key, MESSAGE, signature)).toBe(true);
    expect(sign(type, SECRET, MESSAGE)).toEqual(signature);
    expect(verifySignature(key, EMPTY, sign(type, SECRET, EMPTY))).toBe(true);
  });

  test("refuses another message, key or signature", () => {
    expect(verifySignature(key, utf8("another message"), signature)).toBe(false);
    expect(verifySignature(publicKeyOf(type, new Uint8Array(32).fill(8)), MESSAGE, signature)).toBe(false);
    for (const at of [0, 31, 32, 63]) {
      const changed = signature.map((byte, index) => (index === at ? byte ^ 1 : byte));
      expect(verifySignature(key, MESSAGE, changed), `byte ${at}`).toBe(false);
    }
  });

  test("refuses malformed keys and signatures without throwing", () => {
    for (const length of [0, 63, 65]) expect(verifySignature(key, MESSAGE, new Uint8Array(length))).toBe(false);
    expect(verifySignature(key, MESSAGE, new Uint8Array(64))).toBe(false);
    expect(verifySignature(key, MESSAGE, new Uint8Array(64).fill(0xff))).toBe(false);
    for (const bytes of [EMPTY, key.bytes.slice(1), concatBytes(key.bytes, EMPTY.slice(), Uint8Array.of(0))]) {
      expect(verifySignature({ type, bytes }, MESSAGE, signature)).toBe(false);
    }
    const noPoint = { type, bytes: key.bytes.map(() => 0xff) };
    expect(verifySignature(noPoint, MESSAGE, signature)).toBe(false);
  });

  test("is not fooled by a key of the other type", () => {
    const other: KeyType = type === "ed25519" ? "secp256k1" : "ed25519";
    expect(verifySignature({ type: other, bytes: key.bytes }, MESSAGE, signature)).toBe(false);
  });
});

describe("verifySignature()", () => {
  test("of ed25519 follows ZIP 215: points of low order, also in non-canonical form, are taken", () => {
    const neutral = "0100000000000000000000000000000000000000000000000000000000000000";
    const neutralNonCanonical = "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
    const orderEight = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05";
    for (const point of [neutral, neutralNonCanonical, orderEight]) {
      const key = { type: "ed25519", bytes: fromHex(point) } as const;
      const signature = concatBytes(fromHex(neutralNonCanonical), new Uint8Array(32));
      expect(verifySignature(key, MESSAGE, signature), point).toBe(true);
    }
  });

  test("of ed25519 refuses s at or above the group's order", () => {
    const key = { type: "ed25519", bytes: concatBytes(Uint8Array.of(1), new Uint8Array(31)) } as const;
    const order = fromHex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    expect(verifySignature(key, MESSAGE, concatBytes(key.bytes, new Uint8Array(32)))).toBe(true);
    expect(verifySignature(key, MESSAGE, concatBytes(key.bytes, order))).toBe(false);
  });

  test("of secp256k1 refuses the high twin of a signature", () => {
    const signature = sign("secp256k1", SECRET, MESSAGE);
    const s = BigInt(`0x${toHex(signature.slice(32))}`);
    const twin = (secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, "0");
    const high = concatBytes(signature.slice(0, 32), fromHex(twin));
    expect(secp256k1.verify(high, MESSAGE, publicKeyOf("secp256k1", SECRET).bytes, { lowS: false })).toBe(true);
    expect(verifySignature(publicKeyOf("secp256k1", SECRET), MESSAGE, high)).toBe(false);
  });
});

describe("publicKeyOf() and sign()", () => {
  test.each(TYPES)("of %s with a private key of 31 or 33 bytes → UPG_INVALID_ARGUMENT", (type) => {
    for (const length of [0, 31, 33]) {
      expect(() => publicKeyOf(type, new Uint8Array(length).fill(1))).toThrow(REFUSED);
      expect(() => sign(type, new Uint8Array(length).fill(1), MESSAGE)).toThrow(REFUSED);
    }
  });

  test("of secp256k1 with 0 or the group's order as private key → UPG_INVALID_ARGUMENT", () => {
    for (const key of [new Uint8Array(32), fromHex(secp256k1.Point.Fn.ORDER.toString(16))]) {
      expect(() => publicKeyOf("secp256k1", key)).toThrow(REFUSED);
      expect(() => sign("secp256k1", key, MESSAGE)).toThrow(REFUSED);
    }
  });

  test("never name the private key in an error", () => {
    const secret = new Uint8Array(33).fill(0xab);
    try {
      sign("ed25519", secret, MESSAGE);
    } catch (error) {
      expect(String(error)).not.toContain("abab");
    }
    expect.assertions(1);
  });
});

describe("addressOf()", () => {
  test("with a key of another length than its type has → UPG_INVALID_ARGUMENT", () => {
    expect(() => addressOf(sha256, { type: "ed25519", bytes: new Uint8Array(33) })).toThrow(REFUSED);
    expect(() => addressOf(sha256, { type: "secp256k1", bytes: new Uint8Array(32) })).toThrow(REFUSED);
  });
});
