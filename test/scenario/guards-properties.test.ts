/**
 * Handlers that delete, rename and remove stores and modules at random: after each upgrade that is applied every module of the version
 * map runs, and one that is refused has written nothing. What a guard refuses was reported before the block, with the same message. fast-check prints seed and manifest of a case that fails.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import type { App } from "../../host/chain/app/app.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import { type Module, storesOf } from "../../host/chain/app/module.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import type { WasmHandler } from "../../host/upgrade/handler/handler.js";
import { handlerReadiness, judgeUpgrade } from "../../host/upgrade/module/handler-readiness.js";
import type { FoundHandler } from "../../host/upgrade/module/handler-set.js";
import { wasmHandler } from "../../host/upgrade/module/handlers.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { exampleChain } from "../example-chain.js";
import { load } from "../guest/build.js";
import { sampled } from "../sample.js";
import { thrownBy } from "../thrown-by.js";
import { next, type Register, upgraded } from "./one-upgrade.js";
import { stakeGenesis } from "./stakers.js";

const RUNS = sampled(60, 1_000);
const MINUTES = 600_000;

/** With a store of its own, with several, with none; one that depends on another. */
const MORE: readonly Module[] = [
  { name: "notes", consensusVersion: 1n, stores: ["notes", "notes-index"], endBlock: use("notes", "notes-index") },
  { name: "dots", consensusVersion: 1n, dependsOn: ["notes"], endBlock: use("dots") },
  { name: "plain", consensusVersion: 1n, stores: [] },
];
const chain = defineChain({ name: "notesd", modules: [...exampleChain.modules, ...MORE] });
const MODULES = chain.modules.map(({ name }) => name);
const STORES = chain.modules.flatMap(storesOf).filter((name) => name !== UPGRADE_STORE);

/** Stores that the end of the last block has read. */
const read = new Set<string>();

function use(...stores: readonly string[]): NonNullable<Module["endBlock"]> {
  return (context) => {
    for (const name of stores) {
      context.store(name).get(Uint8Array.of(1));
      read.add(name);
    }
  };
}

/** Removes modules with their stores, or leaves stores out, or takes more; declares some of it. */
const manifests = fc
  .record({
    removes: fc.subarray(MODULES, { maxLength: 3 }),
    // Mostly what belongs to the removed modules, so that some upgrades are applied.
    isTidy: fc.boolean(),
    deleted: fc.subarray(STORES, { maxLength: 3 }),
    renamed: fc.subarray(STORES, { maxLength: 2 }),
    added: fc.subarray(["fresh", "more"]),
    allowsDeletes: fc.boolean(),
    allowsRemoves: fc.boolean(),
    allowsKept: fc.boolean(),
  })
  .map(({ removes, isTidy, deleted, renamed, added, ...allowed }) => {
    const own = chain.modules.filter(({ name }) => removes.includes(name)).flatMap(storesOf);
    const gone = isTidy ? own.filter((name) => name !== UPGRADE_STORE) : deleted;
    const moved = (isTidy ? [] : renamed.filter((name) => !gone.includes(name))).map((name, at) => ({
      old_key: name,
      new_key: `moved${at}`,
    }));
    const taken = [...gone, ...moved.map(({ old_key }) => old_key)];
    const kept = removes.length === 0 ? [] : own.filter((name) => !taken.includes(name) && name !== UPGRADE_STORE);
    return {
      removes,
      storeUpgrades: { added, renamed: moved, deleted: gone },
      allows: {
        deleteStores: allowed.allowsDeletes ? taken : [],
        removeModules: allowed.allowsRemoves ? removes : [],
        keepStores: allowed.allowsKept ? kept : [],
      },
    };
  });

function contentsOf(database: MemoryDatabase): string[] {
  const range = { start: Uint8Array.of(0), end: Uint8Array.of(0xff) };
  return database.keys(range).map((key) => `${toHex(key)} ${toHex(sha256(database.get(key) ?? new Uint8Array()))}`);
}

type Outcome = "applied" | "refused" | "no manifest";

function outcomeOf(manifest: Record<string, unknown>): Outcome {
  let handler: WasmHandler;
  try {
    handler = load({}, { name: "next", ...manifest });
  } catch (error) {
    expect(error).toMatchObject({ code: "UPG_HANDLER_MANIFEST" });
    return "no manifest";
  }
  const database = new MemoryDatabase();
  let before: string[] = [];
  const register: Register = ({ keeper }) => {
    before = contentsOf(database);
    keeper.setWasmHandler(handler, { isOfHome: true });
  };
  let readiness: FoundHandler | undefined;
  let opened: unknown;
  const onLoaded = ({ keeper, plan, multiStore }: App) => {
    if (!plan) throw new Error("no plan is scheduled");
    readiness = handlerReadiness(keeper, multiStore.at(1n), plan, () => undefined);
    const judged = { plan, handler: wasmHandler(handler), height: plan.height };
    opened = thrownBy(() => judgeUpgrade(keeper, multiStore.loaded(), judged));
  };
  try {
    const genesis = JSON.stringify(stakeGenesis());
    const { result, app } = upgraded(chain, { register, database, genesis, onLoaded });
    expect([readiness?.state, opened]).toEqual(["ready", undefined]);
    const after = result.applied?.versionsAfter ?? new Map();
    const { names } = app.multiStore.at(2n);
    for (const module of chain.modules.filter(({ name }) => after.has(name))) {
      expect(
        storesOf(module).filter((name) => !names.includes(name)),
        `stores that ${module.name} lacks`,
      ).toEqual([]);
    }
    expect(app.validators?.length).not.toBe(0);
    read.clear();
    next(app);
    const running = MORE.filter(({ name }) => after.has(name)).flatMap(storesOf);
    expect(running.filter((name) => !read.has(name))).toEqual([]);
    return "applied";
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    expect(error.kind.exit, error.message).toBe(20);
    expect(error.code).toMatch(/^UPG_MIGRATION_(VERSION_MAP|PROBE|INVARIANT)$/);
    expect(contentsOf(database)).toEqual(before);
    if (error.code === "UPG_MIGRATION_VERSION_MAP") {
      expect(readiness).toMatchObject({ state: "unfit", problem: (opened as Error).message });
      expect(error.message).toContain(readiness?.problem);
    } else expect([readiness?.state, opened]).toEqual(["ready", undefined]);
    return "refused";
  }
}

test(
  "any stores and modules deleted, renamed and removed → applied, and every module of the map runs; or refused, and nothing is written",
  () => {
    const counts: Record<Outcome, number> = { applied: 0, refused: 0, "no manifest": 0 };
    fc.assert(
      fc.property(manifests, (manifest) => {
        counts[outcomeOf(manifest)] += 1;
      }),
      { numRuns: RUNS },
    );
    // Neither outcome is left out.
    expect(counts.applied).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(0);
  },
  MINUTES,
);
