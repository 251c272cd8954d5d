/** Store upgrades that do not fit the stores on disk: refused at start, the difference printed, nothing written. */
import { describe, expect, test } from "vitest";
import type { StoreUpgrades } from "../../host/base/types/types.js";
import type { ChainVersion } from "../../host/chain/app/versions/version.js";
import { V1, V2 } from "../example-chain.js";
import { Chain } from "./chain.js";
import { answering, toV2 } from "./versions.js";

/** A chain of version 1 that has halted before block 3, where `v2` is due. */
function halted(): Chain {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 3n });
  old.untilHalt();
  return chain;
}

interface Misfit {
  readonly what: string;
  /** Stores of the new version. */
  readonly stores: readonly string[];
  readonly upgrades: Partial<StoreUpgrades>;
  readonly message: string;
}

const RENAME_GOV = { oldKey: "gov", newKey: "staking" };

const MISFITS: readonly Misfit[] = [
  {
    what: "an added store that already has data",
    stores: V2.stores,
    upgrades: { added: ["bank", "auth"] },
    message: 'store "auth" is to be added but already has data',
  },
  {
    what: "a rename of a store that is absent",
    stores: V2.stores,
    upgrades: { renamed: [{ oldKey: "purse", newKey: "bank" }] },
    message: 'store "purse" is to be renamed but is not stored',
  },
  {
    what: "a rename onto a name that exists",
    stores: ["auth", "bank", "staking", "upgrade"],
    upgrades: { added: ["bank"], renamed: [RENAME_GOV] },
    message: 'store "staking" is the new name of "gov" but already exists',
  },
  {
    what: "a deletion of a store that is absent",
    stores: V2.stores,
    upgrades: { added: ["bank"], deleted: ["purse"] },
    message: 'store "purse" is to be deleted but is not stored',
  },
  {
    what: "a store that is mounted, and neither stored nor added",
    stores: V2.stores,
    upgrades: {},
    message: 'store "bank" is mounted but neither stored nor added',
  },
  {
    what: "a stored store that is neither mounted, deleted nor renamed",
    stores: ["auth", "bank", "gov", "upgrade"],
    upgrades: { added: ["bank"] },
    message: 'store "staking" is stored but neither mounted, deleted nor renamed',
  },
  {
    what: "a store that is named twice",
    stores: V2.stores,
    upgrades: { added: ["bank"], deleted: ["bank"] },
    message: 'store "bank" is named twice',
  },
];

describe("start at the height of an upgrade whose store upgrades do not fit", () => {
  for (const { what, stores, upgrades, message } of MISFITS) {
    test(`${what} → UPG_STORE_UPGRADE (30) each time, nothing written; a handler that fits applies`, () => {
      const chain = halted();
      const before = chain.contents();
      const version: ChainVersion = { ...V2, stores };
      for (let again = 0; again < 2; again++) {
        const failure = chain.failToStart({
          versions: [V1, version],
          functions: [toV2({ storeUpgrades: upgrades })],
        });
        expect(failure).toMatchObject({ code: "UPG_STORE_UPGRADE", kind: { exit: 30 } });
        expect(failure.message).toContain(message);
      }
      expect(chain.contents()).toEqual(before);
      expect(chain.start({ functions: [toV2()] }).block().applied?.plan.name).toBe("v2");
    });
  }
});

/** Modules that lose their stores go with them. */
const GONE: readonly string[] = ["gov", "staking"];
const REST = new Map([...V2.modules].filter(([name]) => !GONE.includes(name)));

describe("store upgrades that fit", () => {
  test("a rename and a deletion → the pairs under the new name, the old names gone, and so after each restart", () => {
    const chain = halted();
    const version: ChainVersion = { ...V2, modules: REST, stores: ["auth", "bank", "government", "upgrade"] };
    const storeUpgrades = {
      added: ["bank"],
      renamed: [{ oldKey: "gov", newKey: "government" }],
      deleted: ["staking"],
    };
    const options = {
      versions: [V1, version],
      functions: [answering("v2", REST, { storeUpgrades, removes: GONE, allows: { removeModules: GONE } })],
    };
    const started = chain.start(options);
    const gov = [...started.app.multiStore.at(2n).store("gov").iterate()];
    expect(gov.length).toBeGreaterThan(3);
    started.block();
    expect(started.state.names).toEqual(version.stores);
    expect([...started.state.store("government").iterate()]).toEqual(gov);
    const hash = started.appHash;
    for (let again = 0; again < 2; again++) {
      const next = chain.start(options);
      expect(next.app.version).toBe(version);
      expect(next.state.names).toEqual(version.stores);
      next.block();
      expect(next.appHash).toBe(hash);
    }
  });

  test("started twice before the block → they take effect once", () => {
    const chain = halted();
    const options = { functions: [toV2()] };
    chain.start(options);
    const before = chain.contents();
    chain.start(options);
    expect(chain.contents()).toEqual(before);
    const next = chain.start(options);
    next.block();
    expect(next.state.names).toEqual(V2.stores);
  });

  test("of a handler that fails → none of them is on disk", () => {
    const chain = halted();
    const before = chain.contents();
    const failing = answering("v2", new Map(), { storeUpgrades: { added: ["bank"], renamed: [], deleted: [] } });
    expect(chain.start({ functions: [failing] }).untilHalt()).toMatchObject({ kind: { exit: 20 } });
    expect(chain.contents()).toEqual(before);
    const old = chain.start({ versions: [V1], skipHeights: [3n] });
    old.blocks(2);
    expect(old.state.names).toEqual(V1.stores);
  });

  test("a name that was deleted → it can be added again later, empty", () => {
    const chain = halted();
    const modules = new Map([...V2.modules].filter(([name]) => name !== "staking"));
    const without: ChainVersion = { ...V2, modules, stores: ["auth", "bank", "gov", "upgrade"] };
    const drop = answering("v2", modules, {
      storeUpgrades: { added: ["bank"], deleted: ["staking"] },
      removes: ["staking"],
      allows: { removeModules: ["staking"] },
    });
    const second = chain.start({ versions: [V1, without], functions: [drop] });
    second.block();
    second.schedule({ name: "v3", height: 5n });
    second.untilHalt();
    const third: ChainVersion = { ...V2, number: 3n, plan: "v3" };
    const again = answering("v3", V2.modules, { storeUpgrades: { added: ["staking"] } });
    const process = chain.start({ versions: [V1, without, third], functions: [again] });
    process.block();
    expect(process.state.names).toEqual(V2.stores);
    expect([...process.state.store("staking").iterate()]).toEqual([]);
  });
});
