import { ed25519 } from "@noble/curves/ed25519.js";
import { describe, expect, test, vi } from "vitest";
import { utf8 } from "../../../host/base/text/bytes.js";
import { type Subtle, verifierOf, verifyByNoble } from "../../../host/verify/signatures.js";
import { choices } from "../state/commitment/support.js";

const secret = new Uint8Array(32).fill(9);
const key = ed25519.getPublicKey(secret);
const message = utf8("a vote");
const signature = ed25519.sign(message, secret);
const subtle = globalThis.crypto.subtle as Subtle;

describe("verifierOf()", () => {
  test("genuine, forged, and malformed signatures → with WebCrypto, without it, and with one that lacks ed25519", async () => {
    const lacking: Subtle = { importKey: () => Promise.reject(new Error("NotSupportedError")), verify: subtle.verify };
    for (const verify of [verifierOf(subtle), verifierOf(), verifyByNoble, verifierOf(lacking)]) {
      expect(await verify(key, message, signature)).toBe(true);
      expect(await verify(key, utf8("another vote"), signature)).toBe(false);
      for (const bad of [new Uint8Array(), signature.slice(1), new Uint8Array(64), new Uint8Array(65)]) {
        expect(await verify(key, message, bad)).toBe(false);
      }
      for (const bad of [new Uint8Array(), key.slice(1), new Uint8Array(32).fill(0xff)]) {
        expect(await verify(bad, message, signature)).toBe(false);
      }
    }
  });

  test("a yes of WebCrypto is not asked again, a no is", async () => {
    const importKey = vi.fn(async () => ({}) as CryptoKey);
    const yes = verifierOf({ importKey, verify: async () => true } as unknown as Subtle);
    expect(await yes(key, message, new Uint8Array(64))).toBe(true);
    const no = verifierOf({ importKey, verify: async () => false } as unknown as Subtle);
    expect(await no(key, message, signature)).toBe(true);
  });

  test("points of small order and forms that only ZIP 215 accepts → its verdict, which WebCrypto alone does not give", async () => {
    // A key of order 1, and R of order 1 with s = 0: every message. Its non-canonical form (y = p + 1) is one of ZIP 215's.
    const identity = Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 1 : 0));
    const other = Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 0xee : at === 31 ? 0x7f : 0xff));
    const verify = verifierOf(subtle);
    for (const point of [identity, other]) {
      const forged = new Uint8Array(64);
      forged.set(point);
      expect(verifyByNoble(point, message, forged)).toBe(true);
      expect(await verify(point, message, forged)).toBe(true);
    }
  });

  test("random changes of genuine signatures → both ways the same verdict", async () => {
    const below = choices(3);
    const verify = verifierOf(subtle);
    for (let round = 0; round < 60; round++) {
      const parts = [key, message, signature].map((part) => part.slice());
      const part = parts[below(4) % 3] as Uint8Array;
      if (below(5) > 0) part[below(part.length)] = below(256);
      const [k, m, s] = parts as [Uint8Array, Uint8Array, Uint8Array];
      expect(await verify(k, m, s)).toBe(verifyByNoble(k, m, s));
    }
  });
});
