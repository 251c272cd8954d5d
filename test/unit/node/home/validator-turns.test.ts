/** A set that is stored once holds for the heights after it, with the proposers' turns that these have. */
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { rotateProposer } from "../../../../host/chain/comet-types/validator-set.js";
import { soleValidator } from "../../../../host/node/blocks/deciding-sets.js";
import { ValidatorStore } from "../../../../host/node/blocks/validator-store.js";
import { consensusKey } from "../../../../host/node/home/consensus-key.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";

const sole = (byte: number) => soleValidator(sha256, consensusKey(new Uint8Array(32).fill(byte)).publicKey);

/** Turns go up by power, and the proposer goes down by the sum. */
function setOf(count: number) {
  const members = Array.from({ length: count }, (_, at) => sole(at + 1).validators[0]);
  const totalPower = sole(1).totalPower * BigInt(count);
  return rotateProposer({ ...sole(1), totalPower, validators: members.flatMap((member) => member ?? []) }, 1);
}

describe("ValidatorStore.at()", () => {
  test.each([1, 2, 3, 5])("%i validators, heights after the stored one → as CometBFT rotates them", (count) => {
    const database = new MemoryDatabase();
    const store = new ValidatorStore(database);
    const set = setOf(count);
    database.transaction((batch) => store.put(batch, 10n, set, true));
    expect(store.at(9n)).toBeUndefined();
    expect(store.at(10n)).toEqual(set);
    for (const later of [1, 2, 3, 7]) {
      expect(store.at(10n + BigInt(later))).toEqual(count === 1 ? set : rotateProposer(set, later));
      expect(store.storedFor(10n + BigInt(later))).toEqual({ from: 10n, set });
    }
    if (count > 1) expect(store.at(11n)).not.toEqual(set);
  });

  test("put() of an unchanged set → stored at each thousandth height alone, and only where turns are taken", () => {
    for (const count of [1, 2]) {
      const database = new MemoryDatabase();
      const store = new ValidatorStore(database);
      const put = (height: bigint) => database.transaction((batch) => store.put(batch, height, setOf(count), false));
      for (const height of [1n, 999n, 1_001n]) put(height);
      expect(store.count()).toBe(0);
      put(2_000n);
      expect(store.count()).toBe(count - 1);
    }
  });
});
