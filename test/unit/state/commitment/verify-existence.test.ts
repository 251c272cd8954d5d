import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { type StoreProof, verifyStoreProof } from "../../../../host/state/commitment/verify-existence.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { sha256 } from "../store/support.js";

const STORES = ["auth", "bank", "gov", "staking", "upgrade"];

/** A multistore with that many keys in each of its stores. */
function multiStore(keys: number): CommitMultiStore {
  const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
  stores.mount(...STORES);
  stores.loadLatestVersion();
  for (let version = 0; version < 3; version++) {
    const branch = stores.branch();
    for (const name of STORES) {
      for (let i = version; i < keys; i += 1 + version)
        branch.store(name).set(utf8(`key ${i}`), utf8(`${name} ${version}`));
    }
    branch.write();
    stores.commit();
  }
  return stores;
}

function proofOf(stores: CommitMultiStore, store: string, key: Uint8Array): StoreProof {
  const view = stores.at(stores.lastCommitID.version);
  const { value = new Uint8Array(), store: ofKey, app } = view.prove(store, key);
  return { store, key, value, appHash: view.appHash, proofs: [ofKey, app] };
}

const code = (name: string) => expect.objectContaining({ code: name });

describe("verifyStoreProof()", () => {
  test.each([1, 2, 3, 7, 100])("every key of trees with %i keys, in every store → accepted", (keys) => {
    const stores = multiStore(keys);
    for (const store of STORES) {
      for (let i = 0; i < keys; i++) verifyStoreProof(sha256, proofOf(stores, store, utf8(`key ${i}`)));
    }
  });

  const proof = proofOf(multiStore(9), "upgrade", utf8("key 4"));
  const [ofKey = new Uint8Array(), ofStore = new Uint8Array()] = proof.proofs;

  test.each<[string, Partial<StoreProof>]>([
    ["UPG_PROOF_KEY", { key: utf8("key 5") }],
    ["UPG_PROOF_VALUE", { value: utf8("other") }],
    ["UPG_PROOF_KEY", { store: "bank" }],
    ["UPG_PROOF_ROOT", { appHash: new Uint8Array(32) }],
    ["UPG_PROOF_MALFORMED", { proofs: [] }],
    ["UPG_PROOF_MALFORMED", { proofs: [ofKey] }],
    ["UPG_PROOF_MALFORMED", { proofs: [ofKey, ofStore, ofStore] }],
    ["UPG_PROOF_KEY", { proofs: [ofStore, ofKey] }],
    ["UPG_PROOF_MALFORMED", { proofs: [new Uint8Array(), ofStore] }],
    ["UPG_PROOF_MALFORMED", { proofs: [ofKey, Uint8Array.of(0x12, 0)] }],
  ])("%s for %o", (name, change) => {
    expect(() => verifyStoreProof(sha256, { ...proof, ...change })).toThrow(code(name));
  });

  test("any byte of a proof changed, or cut off → refused with UPG_PROOF_*", () => {
    for (const [at, bytes] of proof.proofs.entries()) {
      for (let i = 0; i < bytes.length; i++) {
        for (const changed of [bytes.map((byte, index) => (index === i ? byte ^ 1 : byte)), bytes.slice(0, i)]) {
          const proofs = proof.proofs.map((each, index) => (index === at ? changed : each));
          expect(() => verifyStoreProof(sha256, { ...proof, proofs })).toThrow(
            expect.objectContaining({ code: expect.stringMatching(/^UPG_PROOF_/) }),
          );
        }
      }
    }
  });

  test("a proof that a key is absent proves no value → UPG_PROOF_MALFORMED", () => {
    const stores = multiStore(9);
    const { proofs } = proofOf(stores, "upgrade", utf8("no such key"));
    expect(() => verifyStoreProof(sha256, { ...proof, proofs })).toThrow(code("UPG_PROOF_MALFORMED"));
  });
});
