/** Handlers in TypeScript that do not do what a handler must: exit 20, and nothing is written. */
import { describe, expect, test } from "vitest";
import { UpgradeError } from "../../host/base/errors/errors.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { LOG_LINES_MAX } from "../../host/base/types/limits.js";
import type { VersionMap } from "../../host/base/types/types.js";
import type { UpgradeHandler } from "../../host/upgrade/module/upgrade-handler.js";
import { V1, V2 } from "../example-chain.js";
import { Chain, type FunctionHandler } from "./chain.js";
import { toV2 } from "./versions.js";

function halted(): Chain {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 3n });
  old.untilHalt();
  return chain;
}

const changed = (change: (versions: Map<string, bigint>) => void): VersionMap => {
  const versions = new Map(V2.modules);
  change(versions);
  return versions;
};

/** What JavaScript can return and TypeScript forbids. */
const returning = (value: unknown): UpgradeHandler => (() => value) as UpgradeHandler;

const write: UpgradeHandler = (context) => {
  context.store("bank").set(utf8("half"), utf8("migrated"));
  context.store("auth").delete(utf8("anything"));
  return new Error("no");
};

interface Failing {
  readonly what: string;
  readonly run: UpgradeHandler;
  readonly code: string;
  readonly message: string;
  readonly more?: Partial<FunctionHandler>;
}

const FAILED = "UPG_MIGRATION_FAILED";
const VERSION_MAP = "UPG_MIGRATION_VERSION_MAP";

const FAILING: readonly Failing[] = [
  {
    what: "throws",
    run: () => {
      throw new RangeError("out of range");
    },
    code: FAILED,
    message: "out of range",
  },
  {
    what: "throws a text",
    run: () => {
      throw "just words";
    },
    code: FAILED,
    message: "just words",
  },
  { what: "returns an Error", run: () => new Error("I will not"), code: FAILED, message: "I will not" },
  { what: "has written and returns an Error", run: write, code: FAILED, message: "no" },
  {
    what: "returns a promise",
    run: returning(Promise.resolve(new Map(V2.modules))),
    code: FAILED,
    message: "returned a promise; a handler is synchronous",
  },
  { what: "returns nothing", run: returning(undefined), code: FAILED, message: "must return a version map" },
  { what: "returns null", run: returning(null), code: FAILED, message: "must return a version map" },
  { what: "returns an object", run: returning({ auth: 2n }), code: FAILED, message: "must return a version map" },
  {
    what: "reads a store that is not there",
    run: (context) => {
      context.store("purse");
      return new Map(V2.modules);
    },
    code: FAILED,
    message: 'store "purse"',
  },
  {
    what: "throws a migration's own error",
    run: () => {
      throw new UpgradeError("UPG_MIGRATION_STUCK", "no step from 1 to 2");
    },
    code: "UPG_MIGRATION_STUCK",
    message: "no step",
  },
  {
    what: "returns a version that is no bigint",
    run: returning(changed((versions) => (versions as Map<string, unknown>).set("auth", 2))),
    code: VERSION_MAP,
    message: "auth",
  },
  {
    what: "lowers a version",
    run: () => changed((versions) => versions.set("gov", 0n)),
    code: VERSION_MAP,
    message: "gov",
  },
  {
    what: "drops a module without `removes`",
    run: () => changed((versions) => versions.delete("staking")),
    code: VERSION_MAP,
    message: "staking",
  },
  {
    what: "answers another version than the known one",
    run: () => changed((versions) => versions.set("bank", 3n)),
    code: VERSION_MAP,
    message: 'handler "v2" does not lead to app version 2: bank expected 2, got 3',
  },
  {
    what: "answers a module that the known version lacks",
    run: () => changed((versions) => versions.set("oracle", 1n)),
    code: VERSION_MAP,
    message: "oracle expected none, got 1",
  },
];

describe("handler in TypeScript", () => {
  for (const { what, run, code, message } of FAILING) {
    test(`${what} → ${code} (20), nothing written, and the same again`, () => {
      const chain = halted();
      const before = chain.contents();
      const files = chain.files.contents;
      for (let again = 0; again < 2; again++) {
        const failure = chain.start({ functions: [toV2({ run })] }).untilHalt();
        expect(failure).toMatchObject({ code, kind: { exit: 20 } });
        expect(failure.message).toContain(message);
        expect(chain.contents()).toEqual(before);
      }
      expect(chain.files.contents).toEqual(files);
      expect(chain.start({ functions: [toV2()] }).block().applied?.plan.name).toBe("v2");
    });
  }

  test("for an app that keeps versions of its own making: a version that goes down → UPG_MIGRATION_VERSION_MAP", () => {
    const chain = halted();
    const lower = changed((versions) => versions.set("gov", 0n));
    const version = { ...V2, modules: lower };
    const failure = chain.start({ versions: [V1, version], functions: [toV2({ run: () => lower })] }).untilHalt();
    expect(failure).toMatchObject({ code: VERSION_MAP, kind: { exit: 20 } });
    expect(failure.message).toContain("gov");
  });

  test("a module that vanishes: without `removes` → UPG_MIGRATION_VERSION_MAP; with it → applied", () => {
    const chain = halted();
    const fewer = changed((versions) => versions.delete("staking"));
    const stores = V2.stores.filter((name) => name !== "staking");
    const versions = [V1, { ...V2, modules: fewer, stores }];
    const all = [V1, { ...V2, modules: fewer }];
    const run = () => fewer;
    const storeUpgrades = { added: ["bank"], deleted: ["staking"] };
    const goes = { run, storeUpgrades, removes: ["staking"], allows: { removeModules: ["staking"] } };
    expect(chain.start({ versions: all, functions: [toV2({ run })] }).untilHalt()).toMatchObject({ code: VERSION_MAP });
    const next = chain.start({ versions, functions: [toV2(goes)] });
    next.block();
    expect(next.versions).toEqual({ auth: "2", bank: "2", gov: "1", upgrade: "1" });
  });

  test("what the context gives → chain, block, plan, stored versions; writes land in the block", () => {
    const chain = halted();
    let seen: unknown;
    const run: UpgradeHandler = (context, plan, versions) => {
      const { chainId, height, time } = context;
      seen = { chainId, height, time, plan: plan.name, versions: Object.fromEntries(versions) };
      context.store("bank").set(utf8("k"), utf8("v"));
      context.log("info", "working");
      return new Map(V2.modules);
    };
    const next = chain.start({ functions: [toV2({ run })] });
    next.block();
    expect(seen).toEqual({
      chainId: "scenario-1",
      height: 3n,
      time: { seconds: 1_700_000_015n, nanos: 0 },
      plan: "v2",
      versions: { auth: 1n, bank: 1n, gov: 1n, staking: 1n, upgrade: 1n },
    });
    expect(next.state.store("bank").get(utf8("k"))).toEqual(utf8("v"));
    expect(next.log).toContain("info working");
  });

  test.each([LOG_LINES_MAX, LOG_LINES_MAX + 1])("says %i times how far it is → 10,000 lines in the log", (calls) => {
    const chain = halted();
    const run: UpgradeHandler = (context) => {
      for (let i = 0; i < calls; i++) context.progress(BigInt(i), BigInt(calls));
      return new Map(V2.modules);
    };
    const next = chain.start({ functions: [toV2({ run })] });
    next.block();
    expect(next.log.filter((line) => line.startsWith("debug handler: "))).toHaveLength(LOG_LINES_MAX);
  });

  test("changes the map that it was given → the stored versions are not touched by that", () => {
    const chain = halted();
    const run: UpgradeHandler = (_context, _plan, versions) => {
      (versions as Map<string, bigint>).clear();
      return new Error("after all");
    };
    expect(chain.start({ functions: [toV2({ run })] }).untilHalt()).toMatchObject({ code: FAILED });
    const next = chain.start({ functions: [toV2()] });
    next.block();
    expect(next.versions).toMatchObject({ auth: "2" });
  });
});
