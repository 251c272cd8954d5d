/** Remembered signatures: good ones are verified once, bad ones every time, and none passes for another. */
import { expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { publicKeyOf, sign, type VerifySignature, verifySignature } from "../../../../host/chain/comet-types/keys.js";
import { rememberingVerifier } from "../../../../host/chain/comet-types/verified.js";

const seed = new Uint8Array(32).fill(7);
const key = publicKeyOf("secp256k1", seed);
const message = Uint8Array.of(1, 2, 3);
const signature = sign("secp256k1", seed, message);

function counted(verdict: VerifySignature = verifySignature) {
  let calls = 0;
  const verify = rememberingVerifier(sha256, (...args) => {
    calls++;
    return verdict(...args);
  });
  return { verify, calls: () => calls };
}

test("rememberingVerifier() asked twice for a good signature → verified once", () => {
  const { verify, calls } = counted();
  expect([verify(key, message, signature), verify(key, message, signature)]).toEqual([true, true]);
  expect(calls()).toBe(1);
});

test("… for a bad one → verified and refused each time", () => {
  const { verify, calls } = counted();
  const bad = signature.map((byte, index) => (index === 5 ? byte ^ 1 : byte));
  expect([verify(key, message, bad), verify(key, message, bad)]).toEqual([false, false]);
  expect(calls()).toBe(2);
});

test("… for a good signature over another message, by another key, or cut → refused", () => {
  const { verify } = counted();
  verify(key, message, signature);
  const other = publicKeyOf("secp256k1", new Uint8Array(32).fill(8));
  expect(verify(key, Uint8Array.of(1, 2, 4), signature)).toBe(false);
  expect(verify(other, message, signature)).toBe(false);
  expect(verify(key, message, signature.slice(0, 63))).toBe(false);
  expect(verify(key, Uint8Array.of(...signature.slice(63), ...message), signature.slice(0, 63))).toBe(false);
});

test("… for more than it remembers → the oldest is verified again", () => {
  const { verify, calls } = counted(() => true);
  const numbered = (index: number) => Uint8Array.of(index & 0xff, index >> 8);
  for (let index = 0; index <= 10_000; index++) verify(key, numbered(index), signature);
  const before = calls();
  verify(key, numbered(10_000), signature);
  expect(calls()).toBe(before);
  verify(key, numbered(0), signature);
  expect(calls()).toBe(before + 1);
});
