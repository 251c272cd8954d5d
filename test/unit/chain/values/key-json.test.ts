/** Keys of accounts in JSON, there and back. */
import { expect, test } from "vitest";
import { toBase64 } from "../../../../host/base/text/bytes.js";
import { MULTISIG_DEPTH_MAX } from "../../../../host/chain/values/account-key.js";
import { JsonReader } from "../../../../host/chain/values/json-reader.js";
import { keyJson, readAccountKey } from "../../../../host/chain/values/key-json.js";

const member = { "@type": "/cosmos.crypto.secp256k1.PubKey", key: toBase64(new Uint8Array(33).fill(2)) };
const read = (json: unknown) => readAccountKey(new JsonReader(json, "key"));

/** A multisig key in a multisig key, so often. */
function nested(depth: number): unknown {
  const inner = depth === 1 ? member : nested(depth - 1);
  return { "@type": "/cosmos.crypto.multisig.LegacyAminoPubKey", threshold: 1, public_keys: [inner] };
}

test("readAccountKey() multisig keys nested as deep as may be → read, and written as they were; one deeper → refused", () => {
  const deepest = nested(MULTISIG_DEPTH_MAX);
  const key = read(deepest);
  expect(key && keyJson(key)).toEqual(deepest);
  const path = `key${".public_keys[0]".repeat(MULTISIG_DEPTH_MAX)}`;
  expect(() => read(nested(MULTISIG_DEPTH_MAX + 1))).toThrow(`${path}: multisig keys are nested more than 4 deep`);
});
