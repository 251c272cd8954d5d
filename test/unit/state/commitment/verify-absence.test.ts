import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { compareBytes, concatBytes, equalBytes, utf8 } from "../../../../host/base/text/bytes.js";
import { WireWriter } from "../../../../host/base/wire/wire.js";
import { Fields } from "../../../../host/base/wire/wire-fields.js";
import { type AbsenceProof, verifyStoreAbsence } from "../../../../host/state/commitment/verify-absence.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import type { VersionView } from "../../../../host/state/store/versions/version-view.js";
import { verifyWithOracle } from "../../../vectors/ics23-oracle.js";
import { sha256 } from "../store/support.js";
import { choices, code } from "./support.js";

const STORES = ["auth", "bank", "upgrade"];

/** Keys are even numbers of two bytes, so that each has an absent one on both sides. */
const keyOf = (number: number) => Uint8Array.of(number >> 8, number & 0xff);

function viewOf(keys: number, seed = keys): VersionView {
  const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
  stores.mount(...STORES);
  stores.loadLatestVersion();
  const below = choices(seed);
  // In several versions and in no order, so that trees have every shape.
  for (let version = 0; version < 3; version++) {
    const branch = stores.branch();
    for (const name of STORES) {
      for (let i = 0; i < keys; i++) {
        const number = version === 2 ? 2 * i + 2 : 2 * below(2 * keys) + 2;
        branch.store(name).set(keyOf(number), utf8(`${name} ${version} ${number}`));
      }
    }
    branch.write();
    stores.commit();
  }
  return stores.at(stores.lastCommitID.version);
}

function proofOf(view: VersionView, key: Uint8Array, store = "upgrade"): AbsenceProof {
  const { store: ofKey, app } = view.prove(store, key);
  return { store, key, appHash: view.appHash, proofs: [ofKey, app] };
}

/** Ours; and it is an UpgradeError when it is not true. */
function believed(proof: AbsenceProof): boolean {
  try {
    verifyStoreAbsence(sha256, proof);
    return true;
  } catch (error) {
    if (isUpgradeError(error) && error.code.startsWith("UPG_PROOF_")) return false;
    throw error;
  }
}

/** The same question to the reference, for the part that is the store's. */
function believedByOracle(view: VersionView, key: Uint8Array, proof: Uint8Array): boolean {
  const { root } = rootOf(view);
  return verifyWithOracle(proof, root, key, undefined);
}

function rootOf(view: VersionView): { root: Uint8Array } {
  const { app } = view.prove("upgrade", keyOf(2));
  const existence = new Fields(new Fields(app, "CommitmentProof", ["bytes"]).required(1), "ExistenceProof", [
    "bytes",
    "bytes",
    "bytes",
    "list",
  ]);
  return { root: existence.bytes(2) };
}

/** The two ways of an absence proof, or the one of a presence proof. */
function waysOf(proof: Uint8Array): { left?: Uint8Array; right?: Uint8Array; own?: Uint8Array } {
  const fields = new Fields(proof, "CommitmentProof", ["bytes", "bytes"]);
  if (fields.has(1)) return { own: fields.bytes(1) };
  const absence = new Fields(fields.bytes(2), "NonExistenceProof", ["bytes", "bytes", "bytes"]);
  return {
    ...(absence.has(2) ? { left: absence.bytes(2) } : {}),
    ...(absence.has(3) ? { right: absence.bytes(3) } : {}),
  };
}

function absenceOf(key: Uint8Array, left: Uint8Array | undefined, right: Uint8Array | undefined): Uint8Array {
  const writer = new WireWriter().bytes(1, key);
  if (left) writer.message(2, left);
  if (right) writer.message(3, right);
  return new WireWriter().message(2, writer.finish()).finish();
}

describe("verifyStoreAbsence()", () => {
  test.each([1, 2, 3, 5, 8, 13, 100])("every absent key of trees with about %i keys → its neighbours", (keys) => {
    const view = viewOf(keys);
    const present = [...Array(8 * keys + 8).keys()].map(keyOf).filter((key) => view.prove("upgrade", key).value);
    for (let number = 1; number < 8 * keys + 8; number += 2) {
      const key = keyOf(number);
      const { left, right } = verifyStoreAbsence(sha256, proofOf(view, key));
      const before = present.filter((each) => compareBytes(each, key) < 0).at(-1);
      const after = present.find((each) => compareBytes(each, key) > 0);
      expect([left?.[0], right?.[0]].map((each) => each && Buffer.from(each).toString("hex"))).toEqual(
        [before, after].map((each) => each && Buffer.from(each).toString("hex")),
      );
    }
  });

  test("every pair of ways of a tree, around every key → the verdict of the reference, and true", () => {
    let [honest, forged] = [0, 0];
    for (const keys of [1, 2, 3, 5]) {
      const view = viewOf(keys);
      const all = [...Array(4 * keys + 6).keys()].slice(1).map(keyOf);
      const ways = all.flatMap((key) => waysOf(view.prove("upgrade", key).store).own ?? []);
      const { app } = view.prove("upgrade", keyOf(2));
      for (const key of all) {
        const isPresent = view.prove("upgrade", key).value !== undefined;
        for (const left of [undefined, ...ways]) {
          for (const right of [undefined, ...ways]) {
            const bytes = absenceOf(key, left, right);
            const verdict = believed({ store: "upgrade", key, appHash: view.appHash, proofs: [bytes, app] });
            expect(verdict).toBe(believedByOracle(view, key, bytes));
            if (verdict) {
              expect(isPresent).toBe(false);
              honest++;
            } else forged++;
          }
        }
      }
    }
    expect(honest).toBeGreaterThan(30);
    expect(forged).toBeGreaterThan(2_000);
  });

  test("bytes changed, cut or swapped at random → nothing is believed that the reference refuses, and nothing untrue", () => {
    const view = viewOf(20);
    const below = choices(7);
    for (let round = 0; round < 3_000; round++) {
      const key = keyOf(1 + below(80));
      const { store: proof, app, value } = view.prove("upgrade", key);
      const changed = proof.slice(0, below(20) === 0 ? below(proof.length) : proof.length);
      for (let flips = 1 + below(3); flips > 0 && changed.length > 0; flips--) {
        const at = below(changed.length);
        changed[at] = (changed[at] as number) ^ (1 << below(8));
      }
      if (!believed({ store: "upgrade", key, appHash: view.appHash, proofs: [changed, app] })) continue;
      expect(value).toBeUndefined();
      expect(believedByOracle(view, key, changed)).toBe(true);
    }
  });

  const view = viewOf(9);
  const proof = proofOf(view, keyOf(7));
  const [ofKey = new Uint8Array(), ofStore = new Uint8Array()] = proof.proofs;
  const otherTree = viewOf(9, 5).prove("upgrade", keyOf(7)).store;
  const { left, right } = waysOf(ofKey);
  const { right: otherRight } = waysOf(otherTree);

  test.each<[string, string, Partial<AbsenceProof>]>([
    ["UPG_PROOF_KEY", "the left neighbour itself", { key: keyOf(6) }],
    ["UPG_PROOF_KEY", "a key outside", { key: keyOf(9) }],
    ["UPG_PROOF_EMPTY_VALUE", "the empty key", { key: new Uint8Array() }],
    ["UPG_PROOF_KEY", "another store", { store: "bank" }],
    ["UPG_PROOF_ROOT", "another app hash", { appHash: new Uint8Array(32) }],
    ["UPG_PROOF_MALFORMED", "one proof", { proofs: [ofKey] }],
    ["UPG_PROOF_MALFORMED", "no neighbour", { proofs: [absenceOf(proof.key, undefined, undefined), ofStore] }],
    ["UPG_PROOF_MALFORMED", "a presence proof", { proofs: [view.prove("upgrade", keyOf(6)).store, ofStore] }],
    [
      "UPG_PROOF_MALFORMED",
      "only the left one, as if the tree ended",
      { proofs: [absenceOf(proof.key, left, undefined), ofStore] },
    ],
    ["UPG_PROOF_MALFORMED", "only the right one", { proofs: [absenceOf(proof.key, undefined, right), ofStore] }],
    ["UPG_PROOF_MALFORMED", "neighbours of two trees", { proofs: [absenceOf(proof.key, left, otherRight), ofStore] }],
  ])("%s for %s", (name, _case, change) => {
    expect(() => verifyStoreAbsence(sha256, { ...proof, ...change })).toThrow(code(name));
  });

  test("the key that the proof itself names decides nothing", () => {
    const renamed = absenceOf(concatBytes(proof.key, proof.key), left, right);
    expect(equalBytes(renamed, ofKey)).toBe(false);
    expect(believed({ ...proof, proofs: [renamed, ofStore] })).toBe(true);
  });
});
