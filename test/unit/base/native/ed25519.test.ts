/** Two implementations, the same bytes: OpenSSL's and the audited one in JavaScript. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ed25519PublicKey, signEd25519 } from "../../../../host/base/native/ed25519.js";
import { publicKeyOf, sign } from "../../../../host/chain/comet-types/keys.js";

test("any seed and message → the public key and the signature that the JavaScript has", () => {
  const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(seed, fc.uint8Array({ maxLength: 300 }), (secret, message) => {
      const key = ed25519PublicKey(secret);
      expect([key.constructor, key]).toEqual([Uint8Array, publicKeyOf("ed25519", secret).bytes]);
      const signature = signEd25519(secret, message);
      expect([signature.constructor, signature]).toEqual([Uint8Array, sign("ed25519", secret, message)]);
    }),
    { numRuns: 100 },
  );
});

test.each([0, 31, 33, 64])("a seed of %i bytes → UPG_INVALID_ARGUMENT", (length) => {
  const refused = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
  expect(() => ed25519PublicKey(new Uint8Array(length))).toThrow(refused);
  expect(() => signEd25519(new Uint8Array(length), new Uint8Array(1))).toThrow(refused);
});
