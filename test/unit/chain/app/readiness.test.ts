/** The tally of attestations, on random validators and statements. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../../host/base/text/bytes.js";
import { type Statement, tallyReadiness } from "../../../../host/chain/modules/upgrade/readiness.js";

const bytes = (byte: number, length = 32) => new Uint8Array(length).fill(byte);

/** Few values, so that many agree. */
const statement: fc.Arbitrary<Statement> = fc.record({
  artifactSha256: fc.integer({ min: 0, max: 2 }).map((byte) => bytes(byte)),
  appHash: fc.integer({ min: 0, max: 2 }).map((byte) => (byte === 0 ? new Uint8Array() : bytes(byte))),
  rehearsedHeight: fc.bigInt(0n, 2n),
  height: fc.bigInt(1n, 9n),
});

const validators = fc.uniqueArray(fc.integer({ min: 0, max: 255 }), { maxLength: 40 }).chain((operators) =>
  fc.tuple(
    ...operators.map((operator) =>
      fc.record({
        operator: fc.constant(bytes(operator, 20)),
        moniker: fc.string(),
        power: fc.bigInt(1n, 5n),
        statement: fc.option(statement, { nil: undefined }),
      }),
    ),
  ),
);

describe("tallyReadiness()", () => {
  test("random validators → all power counted once; a group is exactly those who said the same; order is the power's", () => {
    fc.assert(
      fc.property(validators, (list) => {
        const of = new Map(list.map((each) => [toHex(each.operator), each]));
        const { totalPower, attestedPower, groups, silent } = tallyReadiness(
          list,
          (operator) => of.get(toHex(operator))?.statement,
        );
        expect(totalPower).toBe(list.reduce((sum, { power }) => sum + power, 0n));
        expect(attestedPower + silent.power).toBe(totalPower);
        const counted = [...groups, silent].flatMap((group) => group.validators.map(({ operator }) => toHex(operator)));
        expect([...counted].sort()).toEqual([...of.keys()].sort());
        for (const group of groups) {
          expect(group.power).toBe(group.validators.reduce((sum, { power }) => sum + power, 0n));
          for (const { operator, height } of group.validators) {
            const said = of.get(toHex(operator))?.statement;
            expect(said).toEqual({ ...pick(group), height });
          }
        }
        const keys = groups.map((group) =>
          JSON.stringify(pick(group), (_, value) => (typeof value === "bigint" ? String(value) : value)),
        );
        expect(new Set(keys).size).toBe(groups.length);
        for (const [at, { power }] of groups.entries()) expect(power <= (groups[at - 1]?.power ?? power)).toBe(true);
        expect(silent.validators.every(({ operator }) => of.get(toHex(operator))?.statement === undefined)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("the same validators in another order → the same tally", () => {
    fc.assert(
      fc.property(validators, fc.integer(), (list, seed) => {
        const of = new Map(list.map((each) => [toHex(each.operator), each.statement]));
        const said = (operator: Uint8Array) => of.get(toHex(operator));
        const shuffled = [...list].sort(
          (a, b) => (((a.operator[0] ?? 0) * 31 + seed) % 17) - (((b.operator[0] ?? 0) * 31 + seed) % 17),
        );
        expect(tallyReadiness(shuffled, said)).toEqual(tallyReadiness(list, said));
      }),
      { numRuns: 100 },
    );
  });

  test("nobody → zero power, no group", () => {
    expect(tallyReadiness([], () => undefined)).toMatchObject({
      totalPower: 0n,
      attestedPower: 0n,
      groups: [],
      silent: { power: 0n },
    });
  });
});

const pick = ({ artifactSha256, appHash, rehearsedHeight }: Omit<Statement, "height">) => ({
  artifactSha256,
  appHash,
  rehearsedHeight,
});
