/** Addresses beyond the vectors: any text gives bytes or a reason, and bytes come back. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { addressesOf, checkedAddress } from "../../../../host/chain/values/address.js";
import { addressFailure, decodeAddress, decodeAnyAddress, encodeAddress } from "../../../addresses.js";
import { failureOf } from "../../../scenario/chain.js";

test("encodeAddress() and decodeAnyAddress() of 1 to 255 bytes → each other's inverse", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 255 }), (bytes) => {
      const text = encodeAddress(bytes);
      expect(addressFailure(text)).toBeUndefined();
      expect(decodeAnyAddress(text)).toEqual(bytes);
      expect(decodeAnyAddress(text.toUpperCase())).toEqual(bytes);
    }),
  );
});

test("decodeAddress() of another length than 20 → UPG_INVALID_ARGUMENT", () => {
  for (const length of [1, 19, 21, 32]) {
    const error = failureOf(() => decodeAddress(encodeAddress(new Uint8Array(length).fill(1))));
    expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect(error.message).toContain(`expected 20 bytes, got ${length}`);
  }
});

test("addressFailure() of any text, and of good ones with a letter changed → a reason, never a crash", () => {
  const good = encodeAddress(new Uint8Array(20).fill(7));
  const changed = fc
    .tuple(fc.nat(good.length - 1), fc.string({ minLength: 1, maxLength: 1 }), fc.boolean())
    .map(([at, letter, isInserted]) => good.slice(0, at) + letter + good.slice(at + (isInserted ? 0 : 1)));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" }), changed), (text) => {
      const failure = addressFailure(text);
      if (failure === undefined) expect(encodeAddress(decodeAnyAddress(text))).toBe(text.toLowerCase());
      else expect(failureOf(() => decodeAnyAddress(text)).message).toBe(failure);
    }),
    { numRuns: 500 },
  );
});

test("addressesOf() another prefix → accounts, operators and consensus keys with it, and the Cosmos SDK's refusal of others", () => {
  const bytes = new Uint8Array(20).fill(7);
  const mine = addressesOf("my");
  expect([mine, mine.operators, mine.consensus].map(({ prefix }) => prefix)).toEqual(["my", "myvaloper", "myvalcons"]);
  for (const codec of [mine, mine.operators, mine.consensus]) {
    expect(codec.encode(bytes).startsWith(`${codec.prefix}1`)).toBe(true);
    expect(codec.decode(codec.encode(bytes))).toEqual(bytes);
    expect(codec.failure(encodeAddress(bytes))).toBe(`invalid Bech32 prefix; expected ${codec.prefix}, got cosmos`);
    expect(checkedAddress(codec.encode(bytes).toUpperCase())).toEqual(bytes);
  }
});

test("addressesOf() a prefix of 40 characters → taken; none, capitals, a digit first, 41 → UPG_INVALID_ARGUMENT", () => {
  expect(addressesOf("a".repeat(40)).operators.prefix).toHaveLength(47);
  for (const prefix of ["", "My", "1my", "my_", "a".repeat(41)])
    expect(
      failureOf(() => addressesOf(prefix)),
      prefix,
    ).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
});
