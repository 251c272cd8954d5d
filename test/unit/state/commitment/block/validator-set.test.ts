import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../../../host/base/text/bytes.js";
import { INT64_MAX } from "../../../../../host/base/types/limits.js";
import {
  compareValidators,
  decodeValidatorSet,
  EMPTY_VALIDATOR_SET,
  encodeValidatorSet,
  rotateProposer,
  TOTAL_POWER_MAX,
  type ValidatorSet,
  validateValidatorSet,
  validatorSetHash,
} from "../../../../../host/chain/comet-types/validator-set.js";
import { createValidatorSet, updateValidatorSet } from "../../../../../host/chain/comet-types/validator-updates.js";
import { sha256, update, updates } from "./arbitraries.js";

const REFUSED = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
const because = (reason: string) => expect.objectContaining({ code: "UPG_INVALID_ARGUMENT", details: { reason } });
const members = updates(1, 1);
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
const priorities = (set: ValidatorSet): bigint[] => set.validators.map(({ priority }) => priority);

function spread(set: ValidatorSet): bigint {
  const sorted = priorities(set).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return (sorted.at(-1) as bigint) - (sorted[0] as bigint);
}

function expectSound(set: ValidatorSet): void {
  expect(set.totalPower).toBe(sum(set.validators.map(({ power }) => power)));
  expect([...set.validators].sort(compareValidators)).toEqual(set.validators);
  expect(new Set(set.validators.map(({ address }) => toHex(address))).size).toBe(set.validators.length);
  const total = sum(priorities(set));
  expect(total >= 0n && total < BigInt(set.validators.length)).toBe(true);
}

describe("rotateProposer()", () => {
  test("keeps sets sound: ordered, centred, and proposers within reach of each other", () => {
    fc.assert(
      fc.property(members, fc.integer({ min: 1, max: 20 }), (list, times) => {
        const set = rotateProposer(createValidatorSet(sha256, list), times);
        expectSound(set);
        expect(spread(set) <= 3n * set.totalPower).toBe(true);
        expect(set.validators).toContainEqual(set.proposer);
        validateValidatorSet(sha256, set);
      }),
    );
  });

  test("gives each validator as many turns as it has power, over as many rounds as there is power", () => {
    const list = fc.uniqueArray(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 6 });
    const powers = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(list, powers, (keys, power) => {
        let set = createValidatorSet(
          sha256,
          keys.map((key, index) => update(key, BigInt(power[index] ?? 1))),
        );
        const turns = new Map<string, bigint>();
        for (let round = 0n; round < set.totalPower; round++) {
          const proposer = toHex(set.proposer?.address ?? new Uint8Array(0));
          turns.set(proposer, (turns.get(proposer) ?? 0n) + 1n);
          set = rotateProposer(set);
        }
        for (const { address, power } of set.validators) expect(turns.get(toHex(address))).toBe(power);
      }),
      { numRuns: 50 },
    );
  });

  test("leaves the set it was given alone", () => {
    const set = createValidatorSet(sha256, [update(1, 3n), update(2, 5n)]);
    const before = priorities(set);
    expect(priorities(rotateProposer(set))).not.toEqual(before);
    expect(priorities(set)).toEqual(before);
  });

  test("of equal priorities chooses the lower address", () => {
    const set = createValidatorSet(
      sha256,
      [1, 2, 3, 4].map((key) => update(key, 1n)),
    );
    const addresses = set.validators.map(({ address }) => toHex(address));
    expect(toHex(set.proposer?.address ?? new Uint8Array(0))).toBe(addresses.sort()[0]);
  });

  test("clips sums at the ends of int64 instead of wrapping", () => {
    const set = createValidatorSet(sha256, [update(1, TOTAL_POWER_MAX / 2n), update(2, TOTAL_POWER_MAX / 2n)]);
    const ends = [INT64_MAX, -INT64_MAX - 1n];
    const validators = set.validators.map((validator, at) => ({ ...validator, priority: ends[at] as bigint }));
    for (const priority of priorities(rotateProposer({ ...set, validators }, 3))) {
      expect(BigInt.asIntN(64, priority)).toBe(priority);
    }
  });

  test.each([0, -1, 0.5, Number.NaN])("%d rounds on → UPG_INVALID_ARGUMENT", (times) => {
    expect(() => rotateProposer(createValidatorSet(sha256, [update(1, 1n)]), times)).toThrow(REFUSED);
  });

  test("of the empty set → UPG_INVALID_ARGUMENT", () => {
    expect(() => rotateProposer(EMPTY_VALIDATOR_SET)).toThrow(REFUSED);
  });
});

describe("updateValidatorSet()", () => {
  test("keeps sets sound, and applies all updates", () => {
    fc.assert(
      fc.property(members, updates(1, 1), (first, changes) => {
        const before = createValidatorSet(sha256, first);
        const after = updateValidatorSet(sha256, before, changes);
        expectSound(after);
        expect(after.proposer).toBe(before.proposer);
        const powers = new Map(after.validators.map(({ publicKey, power }) => [toHex(publicKey.bytes), power]));
        for (const { publicKey, power } of changes) expect(powers.get(toHex(publicKey.bytes))).toBe(power);
        for (const { publicKey } of first) expect(powers.has(toHex(publicKey.bytes))).toBe(true);
      }),
    );
  });

  test("removes those whose power becomes 0, and refuses to remove the last", () => {
    fc.assert(
      fc.property(members, (list) => {
        const set = createValidatorSet(sha256, list);
        const [first, ...others] = list.map((member) => ({ ...member, power: 0n }));
        const rest = updateValidatorSet(sha256, set, others);
        expectSound(rest);
        expect(rest.validators.map(({ publicKey }) => publicKey)).toEqual([first?.publicKey]);
        const all = first ? [first, ...others] : [];
        expect(() => updateValidatorSet(sha256, set, all)).toThrow(because("empty"));
      }),
    );
  });

  test("puts a newcomer last in the rotation, so that leaving and coming back wins nothing", () => {
    let set = createValidatorSet(sha256, [update(1, 10n), update(2, 10n), update(3, 10n)]);
    set = updateValidatorSet(sha256, set, [update(3, 0n)]);
    set = updateValidatorSet(sha256, set, [update(3, 10n)]);
    const newcomer = set.validators.find(
      ({ publicKey }) => toHex(publicKey.bytes) === toHex(update(3, 0n).publicKey.bytes),
    );
    expect(priorities(set).every((priority) => newcomer && newcomer.priority <= priority)).toBe(true);
  });

  test("without updates is the set itself", () => {
    const set = createValidatorSet(sha256, [update(1, 1n)]);
    expect(updateValidatorSet(sha256, set, [])).toBe(set);
  });

  const set = createValidatorSet(sha256, [update(1, 5n), update(2, 7n)]);
  test.each([
    ["the same key twice", [update(3, 1n), update(3, 2n)], "duplicate"],
    ["a negative power", [update(1, -1n)], "negative"],
    ["the removal of a stranger", [update(9, 0n)], "unknown"],
    ["the removal of all", [update(1, 0n), update(2, 0n)], "empty"],
    ["a power above TOTAL_POWER_MAX", [update(1, TOTAL_POWER_MAX + 1n)], "too-much"],
    ["a sum above TOTAL_POWER_MAX", [update(1, TOTAL_POWER_MAX - 6n)], "too-much"],
  ])("with %s → UPG_INVALID_ARGUMENT", (_, changes, reason) => {
    expect(() => updateValidatorSet(sha256, set, changes)).toThrow(because(reason));
  });

  test("with a sum of exactly TOTAL_POWER_MAX → taken, also when removals make the room", () => {
    expect(updateValidatorSet(sha256, set, [update(1, TOTAL_POWER_MAX - 7n)]).totalPower).toBe(TOTAL_POWER_MAX);
    const swapped = updateValidatorSet(sha256, set, [update(1, 0n), update(2, 0n), update(3, TOTAL_POWER_MAX)]);
    expect(swapped.totalPower).toBe(TOTAL_POWER_MAX);
  });

  test("with 10,000 validators, all of them changed → sound", () => {
    const many = (power: (key: number) => bigint) =>
      Array.from({ length: 10_000 }, (_, key) => update(key, power(key)));
    const before = createValidatorSet(
      sha256,
      many((key) => BigInt(1 + (key % 97))),
    );
    expectSound(
      rotateProposer(
        updateValidatorSet(
          sha256,
          before,
          many((key) => BigInt(key % 89)),
        ),
      ),
    );
  });
});

describe("createValidatorSet()", () => {
  test("does not look at the order of its input", () => {
    fc.assert(
      fc.property(members, (list) => {
        expect(createValidatorSet(sha256, [...list].reverse())).toEqual(createValidatorSet(sha256, list));
      }),
    );
  });

  test("of nobody is the empty set", () => {
    expect(createValidatorSet(sha256, [])).toBe(EMPTY_VALIDATOR_SET);
  });

  test("with a power of 0 → UPG_INVALID_ARGUMENT", () => {
    expect(() => createValidatorSet(sha256, [update(1, 1n), update(2, 0n)])).toThrow(because("zero"));
  });
});

describe("decodeValidatorSet() and validateValidatorSet()", () => {
  const set = createValidatorSet(sha256, [update(1, 5n), update(2, 7n)]);
  const [first, second] = set.validators as [ValidatorSet["validators"][0], ValidatorSet["validators"][0]];

  test("do not trust a total that came along", () => {
    const padded = Uint8Array.of(...encodeValidatorSet(set), 0x18, 1);
    expect(decodeValidatorSet(padded).totalPower).toBe(12n);
  });

  test("with a sum at TOTAL_POWER_MAX → taken; with one more → UPG_INVALID_ARGUMENT", () => {
    const encoded = (power: bigint) => encodeValidatorSet({ ...set, validators: [{ ...first, power }, second] });
    expect(decodeValidatorSet(encoded(TOTAL_POWER_MAX - 5n)).totalPower).toBe(TOTAL_POWER_MAX);
    expect(() => decodeValidatorSet(encoded(TOTAL_POWER_MAX - 4n))).toThrow(REFUSED);
    expect(() => decodeValidatorSet(encoded(-1n))).toThrow(/negative/);
  });

  test("with an address of another length → UPG_INVALID_ARGUMENT", () => {
    for (const length of [0, 19, 21]) {
      const validators = [{ ...first, address: new Uint8Array(length) }, second];
      expect(() => decodeValidatorSet(encodeValidatorSet({ ...set, validators }))).toThrow(REFUSED);
    }
  });

  test("take a validator without power, as CometBFT does", () => {
    const powerless = { ...set, validators: [first, { ...second, power: 0n }] };
    const decoded = decodeValidatorSet(encodeValidatorSet(powerless));
    expect(decoded.totalPower).toBe(7n);
    validateValidatorSet(sha256, decoded);
  });

  test.each<[string, Partial<ValidatorSet>]>([
    ["no proposer", { proposer: undefined }],
    ["a proposer who is no member", { validators: [first], proposer: second }],
    ["somebody's address with another key", { validators: [{ ...first, publicKey: second.publicKey }, second] }],
    ["a negative power", { validators: [{ ...first, power: -1n }, second] }],
  ])("with %s → UPG_INVALID_ARGUMENT", (_, change) => {
    expect(() => validateValidatorSet(sha256, { ...set, ...change })).toThrow(REFUSED);
  });

  test("priorities and proposer are no part of the hash; powers are", () => {
    const hash = toHex(validatorSetHash(sha256, set));
    expect(toHex(validatorSetHash(sha256, rotateProposer(set)))).toBe(hash);
    expect(toHex(validatorSetHash(sha256, updateValidatorSet(sha256, set, [update(1, 6n)])))).not.toBe(hash);
  });
});
