/** Validator sets go with the blocks that they decided; those that decide a kept block stay. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { writeValidator } from "../../../../host/chain/modules/staking/records.js";
import { rollback } from "../../../../host/cli/offline/rollback.js";
import { verifyHome } from "../../../../host/cli/offline/verify.js";
import { PRUNE_BLOCKS_MIN } from "../../../../host/node/blocks/block-pruner.js";
import { soleValidator } from "../../../../host/node/blocks/deciding-sets.js";
import { ValidatorStore } from "../../../../host/node/blocks/validator-store.js";
import { consensusKey } from "../../../../host/node/home/consensus-key.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { makeHome, withNode } from "../../../e2e/prepared-home.js";
import { genesisDocument } from "../../../scenario/genesis-text.js";
import { memberGenesis, memberRecord } from "../../../scenario/members.js";

const keyOf = (byte: number) => consensusKey(new Uint8Array(32).fill(byte)).publicKey;
const heights = fc.uniqueArray(fc.bigInt({ min: 1n, max: 40n }), { minLength: 1, maxLength: 12 });
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-pruned-sets-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("removeBelow() any stored heights, any lowest block, some at once → what decides it and later blocks stays, all else goes", () => {
  fc.assert(
    fc.property(heights, fc.bigInt({ min: 1n, max: 45n }), fc.integer({ min: 1, max: 4 }), (stored, lowest, most) => {
      const database = new MemoryDatabase();
      const store = new ValidatorStore(database);
      database.transaction((batch) => {
        for (const height of stored) store.put(batch, height, soleValidator(sha256, keyOf(Number(height))), true);
      });
      const seen = () => Array.from({ length: 46 }, (_, at) => store.at(lowest + BigInt(at)));
      const [before, count] = [seen(), store.count()];
      database.transaction((batch) => store.removeBelow(batch, lowest, most));
      expect(count - store.count()).toBeLessThanOrEqual(most);
      expect(seen()).toEqual(before);
      for (let step = 0; step < stored.length; step++)
        database.transaction((batch) => store.removeBelow(batch, lowest, most));
      expect(seen()).toEqual(before);
      const needed = stored.filter((height) => height <= lowest).sort((a, b) => Number(b - a))[0];
      expect(store.count()).toBe(stored.filter((height) => height >= (needed ?? 0n)).length);
    }),
  );
});

test("min-retain-blocks on a chain whose powers change with every block → sets of kept blocks alone; verify and rollback hold", () => {
  const [own, other] = [keyOf(1).bytes, keyOf(2).bytes];
  const members = (units: number) => [
    { key: own, tokens: 1_000_000_000n },
    { key: other, tokens: BigInt(units) * 1_000_000n },
  ];
  const path = join(root, "home");
  makeHome(path, JSON.stringify(memberGenesis(genesisDocument(), members(1))));
  const retained = 5;
  const last = PRUNE_BLOCKS_MIN + retained + 1;
  withNode({ path, handlers: join(path, "none"), blocks: { minRetainBlocks: retained } }, (node) => {
    for (let height = 1; height <= last; height++) {
      node.makeBlock([
        ({ store }) => {
          for (const member of members(height)) writeValidator(store("staking"), memberRecord(member));
        },
      ]);
    }
    const lowest = node.blocks.lowest();
    expect(lowest).toBe(BigInt(last - retained));
    expect(node.validators.at((lowest ?? 0n) - 1n)).toBeUndefined();
    // Those of the blocks that are kept, and of the two after them that are known.
    expect(node.validators.count()).toBe(retained + 2);
  });
  expect(verifyHome(path, () => undefined)).toMatchObject({ ok: true, blocks: String(retained + 1) });
  rollback(path);
  expect(verifyHome(path, () => undefined)).toMatchObject({ ok: true, blocks: String(retained) });
});
