/** Who decides blocks: powers from state, two blocks later, in headers and commits that a light client accepts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import { FLAG_ABSENT, FLAG_COMMIT } from "../../../../host/chain/comet-types/commit.js";
import { writeConsensusKey } from "../../../../host/cli/flags/key-files.js";
import { rollback } from "../../../../host/cli/offline/rollback.js";
import { verifyHome } from "../../../../host/cli/offline/verify.js";
import { decidingPowers, soleValidator } from "../../../../host/node/blocks/deciding-sets.js";
import { ValidatorStore } from "../../../../host/node/blocks/validator-store.js";
import { consensusKey } from "../../../../host/node/home/consensus-key.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { followHeaders, Home, member, OTHER, OWN, service, THIRD } from "./member-home.js";

describe("powers of a chain whose validators have this node's key among them", () => {
  test("a change in block 3 → in force at 5, announced by 4; a light client follows every header, verify finds all as it must be", () => {
    const home = new Home([member(OWN, 100), member(OTHER, 20), member(THIRD, 0)]);
    home.make(2);
    home.make(3, [member(OWN, 70), member(THIRD, 14)]);
    home.make(1, [member(OTHER, 0)]);
    home.make(4);
    const first = "own 100, other 20";
    const second = "own 70, other 20, third 14";
    expect(home.powers()).toEqual([
      first,
      first,
      first,
      first,
      second,
      second,
      second,
      ...Array(4).fill("own 70, third 14"),
    ]);
    home.use((node) => {
      followHeaders(node);
      const flags = node.blocks.at(5n).commit.signatures.map(({ flag }) => flag);
      expect(flags).toEqual([FLAG_COMMIT, FLAG_ABSENT, FLAG_ABSENT]);
      expect(node.blocks.results(3n).validatorUpdates.map(({ power }) => power)).toEqual([70n, 14n]);
      expect(node.blocks.results(6n).validatorUpdates.map(({ power }) => power)).toEqual([0n]);
      expect(node.blocks.results(4n).validatorUpdates).toEqual([]);
    });
    expect(verifyHome(home.path, () => undefined)).toMatchObject({ blocks: "10", commits: "10" });
    expect(home.log.filter((line) => line.startsWith("warn"))).toEqual([]);
  });

  test("jailed, unbonded, less than one unit of power → no power; 100 at most", () => {
    const others = Array.from({ length: 101 }, (_, at) => member(consensusKey(sha256(Uint8Array.of(at))), 10 + at));
    const home = new Home([
      ...[member(OWN, 100_000), member(OTHER, 500, { jailed: true })],
      ...[member(THIRD, 500, { status: "BOND_STATUS_UNBONDING" }), ...others],
      { key: new Uint8Array(32).fill(9), tokens: 999_999n },
    ]);
    home.make(1);
    home.use((node) => {
      const { validators } = service(node).validatorsAt(1n);
      // Own, and the 99 with most.
      expect(validators.map(({ power }) => power)).toEqual([
        100_000n,
        ...Array.from({ length: 99 }, (_, at) => 110n - BigInt(at)),
      ]);
      followHeaders(node);
    });
  });

  test("not more than two thirds → the key decides alone with its power, and warns; more again → the whole set", () => {
    const home = new Home([member(OWN, 100), member(OTHER, 49)]);
    home.make(1);
    home.make(3, [member(OTHER, 50)]);
    home.make(3, [member(OTHER, 49)]);
    expect(home.powers()).toEqual([
      ...["own 100, other 49", "own 100, other 49", "own 100, other 49"],
      ...["own 100", "own 100", "own 100", "own 100, other 49", "own 100, other 49"],
    ]);
    home.use(followHeaders);
    const warnings = home.log.filter((line) => line.startsWith("warn")).map((line) => line.slice(0, 93));
    expect(new Set(warnings)).toEqual(
      new Set([
        "warn this node's consensus key has 100 of 150 voting power in state, not more than two thirds",
        "warn this node's consensus key has 100 of 149 voting power in state: the set of all validator",
      ]),
    );
  });

  test("nobody has power, or only others → the key decides alone with power 10", () => {
    for (const members of [[member(OWN, 0)], [member(OTHER, 5), member(THIRD, 6)]]) {
      const home = new Home(members);
      home.make(2);
      expect(home.powers()).toEqual(["own 10", "own 10", "own 10"]);
      home.use(followHeaders);
    }
  });

  test("stopped at any block → the same blocks as without a stop", () => {
    const run = (stops: number) => {
      const home = new Home([member(OWN, 100), member(OTHER, 20), member(THIRD, 10)]);
      const blocks = [...home.make(2), ...home.make(stops, [member(OTHER, 30)])];
      for (let left = 6 - stops; left > 0; left--) blocks.push(...home.make(1));
      return {
        ids: blocks.map(({ blockId }) => toHex(blockId.hash)),
        turns: home.use((node) => service(node).validatorsAt(8n)),
      };
    };
    const straight = run(6);
    for (const stops of [1, 2, 3]) expect(run(stops)).toEqual(straight);
  });

  test("rollback of the block that changes powers, and of the first that they decide → made again, the same; verify holds", () => {
    const home = new Home([member(OWN, 100), member(OTHER, 20)]);
    home.make(2);
    const ids = home.make(3, [member(OTHER, 30)]).map(({ blockId }) => toHex(blockId.hash));
    const powers = home.powers();
    for (const count of [1, 2]) {
      for (let back = 0; back < count; back++) rollback(home.path);
      expect(verifyHome(home.path, () => undefined).blocks).toBe(String(5 - count));
      const again = home.make(count).map(({ blockId }) => toHex(blockId.hash));
      expect(again).toEqual(ids.slice(-count));
    }
    expect(home.powers()).toEqual(powers);
    expect(verifyHome(home.path, () => undefined).blocks).toBe("5");
  });

  test("another key in the home → UPG_INVALID_CONFIG at start, nothing is signed", () => {
    const home = new Home([member(OWN, 100)]);
    home.make(2);
    const signed = readFileSync(home.data("priv_validator_state.json"), "utf8");
    writeConsensusKey(join(home.path, "config", "priv_validator_key.json"), OTHER);
    expect(() => home.make(1)).toThrowError(expect.objectContaining({ code: "UPG_INVALID_CONFIG" }));
    expect(readFileSync(home.data("priv_validator_state.json"), "utf8")).toBe(signed);
    writeConsensusKey(join(home.path, "config", "priv_validator_key.json"), OWN);
    expect(home.make(1)[0]?.header.height).toBe(3n);
  });

  test("a stored set that no header names → verify: UPG_STORE_CORRUPT with the height", () => {
    const home = new Home([member(OWN, 100)]);
    home.make(3);
    const database = new LmdbDatabase(home.data("chain.mdb"));
    const store = new ValidatorStore(database);
    database.transaction((batch) => store.put(batch, 2n, soleValidator(sha256, OWN.publicKey), true));
    database.close();
    expect(() => verifyHome(home.path, () => undefined)).toThrowError(
      /block 2: .*another validator set than is stored/,
    );
  });
});

describe("decidingPowers()", () => {
  const powers = fc.array(fc.bigInt({ min: 1n, max: 1_000n }), { maxLength: 6 });

  test("any powers of others and of the own key → the key signs more than two thirds of what decides", () => {
    fc.assert(
      fc.property(powers, fc.bigInt({ min: 0n, max: 3_000n }), (others, own) => {
        const rest = others.map((power, at) => ({
          publicKey: { type: "ed25519", bytes: Uint8Array.of(at) } as const,
          power,
        }));
        const given = own > 0n ? [{ publicKey: OWN.publicKey, power: own }, ...rest] : rest;
        const deciding = decidingPowers(given, OWN.publicKey);
        const total = deciding.reduce((sum, { power }) => sum + power, 0n);
        const mine = deciding.find(({ publicKey }) => publicKey === OWN.publicKey)?.power ?? 0n;
        expect(mine * 3n > total * 2n).toBe(true);
        const sum = others.reduce((all, power) => all + power, own);
        expect(deciding === given).toBe(own * 3n > sum * 2n);
      }),
    );
  });
});
