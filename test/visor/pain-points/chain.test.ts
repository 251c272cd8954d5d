/**
 * What the Cosmos SDK's users filed about upgrades (docs/chainvisor.md#pain-points), as far as it is the chain that makes it
 * impossible. The number is that of the table.
 */
import { describe, expect, test } from "vitest";
import type { ChainVersion } from "../../../host/chain/app/versions/version.js";
import { V1, V2 } from "../../example-chain.js";
import { Chain, failureOf } from "../../scenario/chain.js";
import { answering, splitBalances, toV2, toV3, V3 } from "../../scenario/versions.js";

const INFO = '{"binaries":{"any":"https://example.com/chaind"}}';

/** A chain of version 1 that has halted before block 5 for `v2`. */
function halted(options: ConstructorParameters<typeof Chain>[0] = {}): Chain {
  const chain = new Chain(options);
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 5n, info: INFO });
  expect(old.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", kind: { exit: 10 } });
  return chain;
}

describe("what a process ends with", () => {
  test("#9.1 needed, too early, too old → three codes with an exit status each, none that a crash has", () => {
    const chain = halted();
    const needed = chain.start({ versions: [V1] }).untilHalt();
    chain.start({ functions: [toV2()] }).blocks(1);
    const old = chain.failToStart({ versions: [V1] });
    const early = new Chain();
    early.start({ versions: [V1] }).schedule({ name: "v2", height: 9n });
    const soon = early.start({ handlers: [splitBalances()] }).untilHalt();
    const ends = [needed, soon, old].map(({ code, kind }) => [code, kind.exit]);
    expect(ends).toEqual([
      ["UPG_HALT_UPGRADE_NEEDED", 10],
      ["UPG_HALT_BINARY_TOO_EARLY", 11],
      ["UPG_HALT_HANDLER_MISSING", 12],
    ]);
  });

  test("#9.13 an old program on state without consensus parameters → the message and 12, no exception", () => {
    const chain = halted();
    chain.start({ functions: [toV2()] }).blocks(1);
    const failure = chain.failToStart({ versions: [V1] });
    expect(failure).toMatchObject({ code: "UPG_HALT_HANDLER_MISSING", kind: { exit: 12 } });
    expect(failure.message).toContain("v2");
  });

  test("#9.14 who listens to the log throws at the halt → the halt is what the block ends with, and its file is written", () => {
    const chain = new Chain();
    const old = chain.start({ versions: [V1] });
    old.schedule({ name: "v2", height: 5n, info: INFO });
    old.upTo(4n);
    Object.defineProperty(old.log, "push", {
      value: () => {
        throw new TypeError("cannot read properties of undefined");
      },
    });
    expect(failureOf(() => old.block())).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
    expect(chain.files.text("upgrade-info.json")).toContain('"height":5');
  });
});

describe("upgrade-info.json", () => {
  test("#9.6 the process is killed before the file is written → the next start halts and writes it; store upgrades come from state", () => {
    const chain = halted();
    const undisturbed = halted().start({ functions: [toV2()] });
    undisturbed.block();
    chain.files.remove("upgrade-info.json");
    chain.start({ versions: [V1] }).untilHalt();
    expect(chain.files.text("upgrade-info.json")).toContain('"name":"v2"');
    chain.files.remove("upgrade-info.json");
    const next = chain.start({ functions: [toV2()] });
    next.block();
    expect(next.state.names).toEqual(V2.stores);
    expect(next.appHash).toBe(undisturbed.appHash);
  });

  test("#9.8 it is written with the plan's info, byte for byte", () => {
    expect(JSON.parse(halted().files.text("upgrade-info.json") ?? "")).toMatchObject({
      ...{ name: "v2", height: 5, info: INFO },
    });
  });

  test("#9.12 the disk refuses it at the height → 30 and never 10, nothing is committed; the new program makes the same block", () => {
    const chain = new Chain();
    const old = chain.start({ versions: [V1] });
    old.schedule({ name: "v2", height: 5n, info: INFO });
    old.upTo(4n);
    const before = chain.contents();
    chain.files.isRefusing = { write: true };
    expect(failureOf(() => old.block())).toMatchObject({ code: "UPG_STORE_IO", kind: { exit: 30 } });
    expect(chain.contents()).toEqual(before);
    const next = chain.start({ functions: [toV2()] });
    next.block();
    const undisturbed = halted().start({ functions: [toV2()] });
    undisturbed.block();
    expect(next.appHash).toBe(undisturbed.appHash);
  });
});

describe("stores", () => {
  test("#9.9 a new module's store is in no StoreUpgrades → refused before a block with its name, nothing written; with it the upgrade applies", () => {
    const chain = halted();
    const before = chain.contents();
    const failure = failureOf(() => chain.start({ functions: [answering("v2", V2.modules)] }).block());
    expect(failure).toMatchObject({ code: "UPG_STORE_UPGRADE", kind: { exit: 30 } });
    expect(failure.message).toContain('store "bank" is mounted but neither stored nor added');
    expect(chain.contents()).toEqual(before);
    expect(chain.start({ functions: [toV2()] }).block().applied?.plan.name).toBe("v2");
  });

  test("#9.10 stores of different ages, few versions kept → all have the same heights, before and long after the upgrade; a restart goes on", () => {
    const chain = halted({ versionsKept: 2 });
    const next = chain.start({ functions: [toV2()] });
    next.blocks(8);
    const { version } = next.app.lastCommitID;
    for (const height of [version, version - 1n]) {
      const view = next.app.multiStore.at(height);
      expect(view.names).toEqual(V2.stores);
      const pairs = view.names.map((name) => [...view.store(name).iterate()].length);
      expect(pairs.every((count, at) => count > 0 || view.names[at] === "bank")).toBe(true);
    }
    expect(() => next.app.multiStore.at(version - 3n)).toThrow(/there is no state of height/);
    expect(chain.start({ functions: [toV2()] }).blocks(1)[0]?.height).toBe(version + 1n);
  });
});

describe("handlers", () => {
  test("#9.15 the last applied upgrade is that of the greatest height, whatever the names sort like", () => {
    const chain = halted();
    const first = chain.start({ functions: [toV2()] });
    first.blocks(1);
    // Sorts before "v2".
    const ten: ChainVersion = { ...V2, number: 3n, plan: "v10" };
    first.schedule({ name: "v10", height: first.height + 2n });
    first.untilHalt();
    const functions = [toV2(), answering("v10", V2.modules)];
    const options = { versions: [V1, V2, ten], functions };
    expect(chain.start(options).blocks(2)[0]?.applied?.plan.name).toBe("v10");
    expect(chain.start(options).blocks(1)).toHaveLength(1);
    const failure = chain.failToStart({ versions: [V1, V2], functions: [toV2()] });
    expect(failure).toMatchObject({ code: "UPG_HALT_HANDLER_MISSING" });
    expect(failure.message).toContain("v10");
  });

  test("#9.16 a handler may come early, staged, and stay for ever → it waits for its height; other plans go by", () => {
    const handlers = [splitBalances()];
    const chain = new Chain();
    const first = chain.start({ handlers, staged: () => handlers });
    first.schedule({ name: "v2", height: 5n });
    expect(first.untilHalt()).toMatchObject({ code: "UPG_HALT_RESTART", kind: { exit: 14 } });
    chain.start({ handlers, staged: () => handlers }).blocks(2);
    const next = chain.start({ handlers, staged: () => handlers });
    next.schedule({ name: "v3", height: next.height + 3n });
    expect(next.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
    const versions = [V1, V2, V3];
    expect(chain.start({ versions, handlers, functions: [toV3()] }).block().applied?.plan.name).toBe("v3");
  });

  test("#9.17 a handler that returns versions of its own making → refused by module, nothing written; migrations run once", () => {
    const chain = halted();
    const before = chain.contents();
    const wrong = toV2({ run: () => new Map([...V2.modules, ["bank", 7n]]) });
    const failure = failureOf(() => chain.start({ functions: [wrong] }).block());
    expect(failure).toMatchObject({ code: "UPG_MIGRATION_VERSION_MAP", kind: { exit: 20 } });
    expect(failure.message).toContain("bank");
    expect(chain.contents()).toEqual(before);
    let runs = 0;
    const counted = toV2({
      run: () => {
        runs++;
        return new Map(V2.modules);
      },
    });
    chain.start({ functions: [counted] }).blocks(2);
    chain.start({ functions: [counted] }).blocks(2);
    expect(runs).toBe(1);
  });
});
