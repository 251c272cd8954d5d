/** What callers without types hand in: each public function has a code for it. */
import { describe, expect, test } from "vitest";
import {
  collect,
  readLightBlock,
  reExecute,
  rpcPath,
  startAt,
  verifyByNoble,
  verifyEvidence,
  verifyMembership,
  verifyRange,
} from "../../../host/verify/index.js";
import { MadeChain, timeOf } from "./made-chain.js";

const chain = new MadeChain({ blocks: 3, members: () => [{ seed: 1, power: 10 }] });
const trust = chain.trust(1);
const collected = { source: "made", now: timeOf(4) };
const witness = new Uint8Array();
const proof = { appHash: witness, store: "upgrade", key: witness, value: undefined, proofs: [] };
const header = chain.at(2).signedHeader.header;
const run = { witness, handler: witness, maxBytes: 9, headers: { block: header, next: header } };

const functions = {
  collect,
  readLightBlock,
  reExecute,
  rpcPath,
  startAt,
  verifyEvidence,
  verifyMembership,
  verifyRange,
};
type Given = readonly unknown[];
const CASES: readonly [keyof typeof functions, string, ...Given[]][] = [
  [
    "collect",
    "UPG_INVALID_ARGUMENT",
    [],
    [null, collected],
    [chain.ask, null],
    [chain.ask, {}],
    [chain.ask, { ...collected, height: 2 }],
  ],
  [
    "verifyEvidence",
    "UPG_INVALID_ARGUMENT",
    ["{}"],
    ["{}", null],
    ["{}", {}],
    ["{}", { ...trust, root: { ...trust.root, hash: "00" } }],
    ...["YOURS", "constructor", "toString", "", undefined, 7].map((from) => [
      "{}",
      { ...trust, root: { ...trust.root, from } },
    ]),
    ["{}", trust, null],
  ],
  [
    "verifyEvidence",
    "UPG_PROOF_MALFORMED",
    [null, trust],
    [new ArrayBuffer(9), trust],
    [new Array(3), trust],
    [7, trust],
  ],
  ["startAt", "UPG_INVALID_ARGUMENT", [null], [chain.at(1), {}], [chain.at(1), trust, null]],
  ["readLightBlock", "UPG_PROOF_MALFORMED", [], [null, null], [{}, []], [new ArrayBuffer(3), []]],
  [
    "verifyMembership",
    "UPG_INVALID_ARGUMENT",
    [],
    [null],
    [{}],
    [{ ...proof, proofs: new Array(2) }],
    [{ ...proof, key: new ArrayBuffer(1) }],
    [{ ...proof, value: null }],
  ],
  [
    "verifyRange",
    "UPG_INVALID_ARGUMENT",
    [],
    [null],
    [{ ...proof, start: witness, records: new Array(2) }],
    [{ ...proof, start: "a", records: [] }],
  ],
  [
    "reExecute",
    "UPG_INVALID_ARGUMENT",
    [],
    [null],
    [{ ...run, witness: new ArrayBuffer(3) }],
    [{ ...run, handler: "" }],
    [{ ...run, maxBytes: 1n }],
    [{ ...run, headers: null }],
  ],
  [
    "reExecute",
    "UPG_WITNESS_HEADERS",
    [{ ...run, headers: { block: { ...header, height: "2" }, next: header } }],
    [{ ...run, headers: {} }],
  ],
  ["rpcPath", "UPG_INVALID_ARGUMENT", ["commit"], ["commit", null], ["commit", { height: Symbol("2") }]],
];

describe.each(CASES)("%s() of wrong types → %s", (name, code, ...given) => {
  test.each(given.map((each, at) => ({ each, at })))("case $at", async ({ each }) => {
    const call = async () => (functions[name] as (...given: Given) => unknown)(...each);
    await expect(call()).rejects.toMatchObject({ code });
  });
});

test("verifyByNoble() of wrong types → false", () => {
  expect(verifyByNoble(null as never, null as never, undefined as never)).toBe(false);
});
