import { ics23 } from "@confio/ics23";
import { describe, expect, test } from "vitest";
import { compareBytes, equalBytes, toHex, utf8 } from "../../../../host/base/text/bytes.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import type { VersionView } from "../../../../host/state/store/versions/version-view.js";
import { verifyWithOracle } from "../../../vectors/ics23-oracle.js";
import { choices, code, sha256 } from "./support.js";

type Choose = (below: number) => number;

/** A multistore with a few versions of random writes, and what its last version holds. */
class RandomState {
  readonly view: VersionView;
  readonly model = new Map<string, Uint8Array[]>();

  constructor(
    private readonly choose: Choose,
    keysMax: number,
  ) {
    const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
    const names = Array.from({ length: 1 + choose(9) }, (_, i) => `store ${i}${"x".repeat(choose(130))}`);
    stores.mount(...names);
    stores.loadLatestVersion();
    for (let version = 0; version < 3; version++) {
      for (const name of names) {
        for (let i = choose(1 + keysMax); i > 0; i--) {
          const key = this.randomKey();
          if (choose(4) === 0) stores.store(name).delete(key);
          else stores.store(name).set(key, this.#randomBytes(1 + choose(choose(20) === 0 ? 3_000 : 40)));
        }
      }
      stores.store(names[0] as string).set(Uint8Array.of(7), utf8("never empty"));
      stores.commit();
    }
    this.view = stores.at(3n);
    for (const name of names)
      this.model.set(
        name,
        Array.from(this.view.store(name).iterate(), ([key]) => key),
      );
  }

  randomKey(): Uint8Array {
    return this.#randomBytes(1 + this.choose(3));
  }

  #randomBytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.choose(256));
  }

  /** A store that has keys, by chance. */
  filledStore(): string {
    const filled = [...this.model].filter(([, keys]) => keys.length > 0);
    return (filled[this.choose(filled.length)] as [string, unknown])[0];
  }
}

/** The bytes with one of them changed. */
function changed(bytes: Uint8Array, choose: Choose): Uint8Array {
  const at = choose(bytes.length);
  const by = 1 + choose(255);
  return bytes.map((byte, i) => (i === at ? byte ^ by : byte));
}

/**
 * What a proof says to a verifier; undefined: it cannot be decoded. The judge's protobuf decoder ignores wire types,
 * and no ICS-23 verifier looks at the key that an absence proof names: it takes the key from the caller.
 */
function meaning(proof: Uint8Array): string | undefined {
  try {
    const { nonexist, ...rest } = ics23.CommitmentProof.decode(proof).toJSON();
    return JSON.stringify({ ...rest, nonexist: nonexist && { ...nonexist, key: undefined } });
  } catch {
    return undefined;
  }
}

/** Changes a byte until the proof means something else. */
function tampered(proof: Uint8Array, choose: Choose): Uint8Array {
  for (;;) {
    const other = changed(proof, choose);
    if (meaning(other) !== meaning(proof)) return other;
  }
}

/** No key of the store lies at or between the two. */
function inSameGap(keys: readonly Uint8Array[], a: Uint8Array, b: Uint8Array): boolean {
  const [low, high] = compareBytes(a, b) < 0 ? [a, b] : [b, a];
  return !keys.some((key) => compareBytes(key, low) >= 0 && compareBytes(key, high) <= 0);
}

describe("proofs of keys, by random trees", () => {
  const PROOFS = 600;

  function checkExistence(state: RandomState, choose: Choose): void {
    const name = state.filledStore();
    const keys = state.model.get(name) ?? [];
    const key = keys[choose(keys.length)] as Uint8Array;
    const { store: proof, value } = state.view.prove(name, key);
    const root = state.view.rootHash(name);
    if (!value) throw new Error("a key of the model is there");
    expect(verifyWithOracle(proof, root, key, value)).toBe(true);
    expect(verifyWithOracle(tampered(proof, choose), root, key, value)).toBe(false);
    expect(verifyWithOracle(proof, changed(root, choose), key, value)).toBe(false);
    expect(verifyWithOracle(proof, root, changed(key, choose), value)).toBe(false);
    expect(verifyWithOracle(proof, root, key, changed(value, choose))).toBe(false);
    expect(verifyWithOracle(proof, root, key, undefined)).toBe(false);
  }

  function checkAbsence(state: RandomState, choose: Choose): void {
    const name = state.filledStore();
    const keys = state.model.get(name) ?? [];
    let key = state.randomKey();
    while (keys.some((each) => equalBytes(each, key))) key = state.randomKey();
    const { store: proof, value } = state.view.prove(name, key);
    const root = state.view.rootHash(name);
    expect(value).toBeUndefined();
    expect(verifyWithOracle(proof, root, key, undefined)).toBe(true);
    expect(verifyWithOracle(tampered(proof, choose), root, key, undefined)).toBe(false);
    expect(verifyWithOracle(proof, changed(root, choose), key, undefined)).toBe(false);
    expect(verifyWithOracle(proof, root, key, utf8("a value"))).toBe(false);
    const present = keys[choose(keys.length)] as Uint8Array;
    expect(verifyWithOracle(proof, root, present, undefined)).toBe(false);
    // A proof of absence shows a gap, so it holds for the other keys of that gap and for no others.
    const other = changed(key, choose);
    expect(verifyWithOracle(proof, root, other, undefined)).toBe(inSameGap(keys, key, other));
  }

  function checkApp(state: RandomState, choose: Choose): void {
    const name = state.filledStore();
    const key = (state.model.get(name) as Uint8Array[])[0] as Uint8Array;
    const { app } = state.view.prove(name, key);
    const root = state.view.rootHash(name);
    const { appHash } = state.view;
    const verify = (proof: Uint8Array, hash: Uint8Array, text: Uint8Array, value: Uint8Array) =>
      verifyWithOracle(proof, hash, text, value, "tendermint");
    expect(verify(app, appHash, utf8(name), root)).toBe(true);
    expect(verify(tampered(app, choose), appHash, utf8(name), root)).toBe(false);
    expect(verify(app, changed(appHash, choose), utf8(name), root)).toBe(false);
    expect(verify(app, appHash, changed(utf8(name), choose), root)).toBe(false);
    expect(verify(app, appHash, utf8(name), changed(root, choose))).toBe(false);
    expect(toHex(state.view.computeAppHash())).toBe(toHex(appHash));
  }

  const checks = [
    ["prove() of a key that is there", checkExistence],
    ["prove() of a key that is not", checkAbsence],
    ["prove() of a store in the app hash", checkApp],
  ] as const;
  for (const [what, check] of checks) {
    test(`${what} → accepted by an ICS-23 verifier; with any byte of proof, key, value or root changed refused`, () => {
      for (let seed = 0; seed < PROOFS / 20; seed++) {
        const choose = choices(seed);
        const state = new RandomState(choose, [1, 2, 10, 150][seed % 4] as number);
        for (let i = 0; i < 20; i++) check(state, choose);
      }
    });
  }
});

describe("prove() where no verifier would accept", () => {
  const key = (text: string) => utf8(text);
  const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
  stores.mount("empty", "one", "some");
  stores.loadLatestVersion();
  stores.store("one").set(key("b"), new Uint8Array());
  for (const name of ["b", "d", "f", "h", "j"]) stores.store("some").set(key(name), key(name));
  stores.store("some").set(key("f"), new Uint8Array());
  stores.commit();
  const view = stores.at(1n);

  test("an empty value, or absence next to one, or absence in an empty tree → UPG_PROOF_EMPTY_VALUE", () => {
    const refused: [string, string][] = [
      ["empty", "a"],
      ["one", "b"],
      ["one", "a"],
      ["one", "c"],
      ["some", "f"],
      ["some", "e"],
      ["some", "g"],
    ];
    for (const [name, text] of refused) {
      expect(() => view.prove(name, key(text))).toThrow(code("UPG_PROOF_EMPTY_VALUE"));
      expect(view.proveUnchecked(name, key(text)).store.length).toBeGreaterThan(0);
    }
  });

  test("keys in the same tree that do not touch the empty value → proofs that verify", () => {
    for (const text of ["a", "b", "c", "d", "h", "i", "j", "k"]) {
      const { store, value } = view.prove("some", key(text));
      expect(verifyWithOracle(store, view.rootHash("some"), key(text), value)).toBe(true);
    }
  });

  test("a key that is empty or too long → UPG_INVALID_KEY; a store that is absent → UPG_NOT_FOUND_STORE", () => {
    expect(() => view.prove("some", new Uint8Array())).toThrow(code("UPG_INVALID_KEY"));
    expect(() => view.prove("some", new Uint8Array(65_536))).toThrow(code("UPG_INVALID_KEY"));
    expect(() => view.prove("none", key("a"))).toThrow(code("UPG_NOT_FOUND_STORE"));
  });
});
