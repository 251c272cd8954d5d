/** The probes of an upgrade: the state that a handler leaves is used before it is written, and nothing of that use stays. */
import { create } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { UpgradeError } from "../../host/base/errors/errors.js";
import { CoinSchema } from "../../host/base/gen/cosmos/base/v1beta1/coin_pb.js";
import { type Params, ProposalSchema } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { utf8 } from "../../host/base/text/bytes.js";
import type { ProbeContext } from "../../host/chain/app/context.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import type { Module } from "../../host/chain/app/module.js";
import { readParams, writeParams, writeProposal } from "../../host/chain/modules/gov/records.js";
import { setValidator, validators } from "../../host/chain/modules/staking/records.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import type { UpgradeContext } from "../../host/upgrade/module/upgrade-handler.js";
import { exampleChain, V1, V2 } from "../example-chain.js";
import { Chain, failureOf } from "./chain.js";
import { genesisDocument } from "./genesis-text.js";
import { type Register, setToV2, upgraded, upgradedBySplit } from "./one-upgrade.js";
import { stakeGenesis } from "./stakers.js";
import { toV2, toV3, V3 } from "./versions.js";

const PROBE = "UPG_MIGRATION_PROBE";

/** A chain whose modules have probes alone: what these find is found without invariants. */
const probedChain = {
  ...exampleChain,
  modules: exampleChain.modules.map(({ invariants, ...module }): Module => module),
};

/** The upgrade to V2, whose handler also does this; refused twice with these words, with nothing written. */
function expectRefused(breaks: (context: UpgradeContext) => void, text: string, genesis = stakeGenesis()): void {
  const chain = new Chain({ genesis: JSON.stringify(genesis), chain: probedChain });
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 3n });
  old.untilHalt();
  const run = (context: UpgradeContext) => {
    breaks(context);
    return new Map(V2.modules);
  };
  const functions = [toV2({ run, allows: { writeStores: ["auth", "gov", "staking"] } })];
  for (let again = 0; again < 2; again++) {
    const process = chain.start({ functions });
    const before = chain.contents();
    const failure = failureOf(() => process.block());
    expect(failure).toMatchObject({ code: PROBE, kind: { exit: 20, cause: "state" } });
    expect(failure.details).toMatchObject({ plan: "v2", plan_height: "3" });
    expect(failure.message).toContain(text);
    expect(chain.contents()).toEqual(before);
  }
}

const changeParams = (change: Partial<Params>) => (context: UpgradeContext) => {
  const gov = context.store("gov");
  writeParams(gov, { ...readParams(gov), ...change });
};

describe("a handler that leaves a module broken → UPG_MIGRATION_PROBE (20), nothing written", () => {
  test("bank: accounts get no numbers any more", () => {
    expectRefused((context) => context.store("auth").set(Uint8Array.of(2), new Uint8Array(3)), "probe of module bank");
  });

  test("bank: the supply of the bond denomination is no number, and no invariant says so", () => {
    const modules = exampleChain.modules.map((each) => (each.name === "bank" ? { ...each, invariants: [] } : each));
    const register: Register = ({ keeper }) =>
      setToV2(keeper, ({ store }) => store("bank").set(Uint8Array.of(0, ...utf8("ustake")), utf8("many")));
    const failure = failureOf(() => upgraded({ ...exampleChain, modules }, { plan: "v2", register }));
    expect(failure).toMatchObject({ code: PROBE });
    expect(failure.message).toContain("probe of module bank failed");
  });

  const BROKEN_GOV: readonly (readonly [what: string, breaks: (context: UpgradeContext) => void, text: string])[] = [
    ["no parameters", ({ store }) => store("gov").delete(Uint8Array.of(0x30)), "holds no parameters"],
    [
      "parameters that are no message",
      ({ store }) => store("gov").set(Uint8Array.of(0x30), Uint8Array.of(7)),
      "decoded",
    ],
    ["a vote that lasts no time", changeParams({ votingPeriod: create(DurationSchema) }), "voting_period"],
    ["a quorum of 200 %", changeParams({ quorum: "2" }), "the parameter quorum"],
    ["a threshold that is never passed", changeParams({ threshold: "1" }), "even if everybody votes yes"],
    [
      "deposits that are no coins",
      changeParams({ minDeposit: [create(CoinSchema, { denom: "", amount: "x" })] }),
      "module gov",
    ],
    ["no deposit that is enough", changeParams({ minDeposit: [] }), "minimum deposit is too small"],
  ];
  for (const [what, breaks, text] of BROKEN_GOV) test(`gov: ${what}`, () => expectRefused(breaks, text));

  test("gov: the next proposal would take the place of one", () => {
    const breaks = ({ store }: UpgradeContext) => writeProposal(store("gov"), create(ProposalSchema, { id: 1n }));
    expectRefused(breaks, "the id of the next proposal is 1");
  });

  test("staking: nobody is left to decide blocks", () => {
    const jail = ({ store }: UpgradeContext) => {
      for (const validator of [...validators(store("staking"))])
        setValidator(store("staking"), { ...validator, jailed: true });
    };
    expectRefused(jail, "probe of module staking failed: no validator would have power");
  });

  test("staking: shares that cannot be read, which votes are counted by", () => {
    const breaks = ({ store }: UpgradeContext) => {
      for (const validator of [...validators(store("staking"))])
        setValidator(store("staking"), { ...validator, delegatorShares: "all" });
    };
    expectRefused(breaks, "probe of module gov failed");
  });
});

describe("an upgrade that leaves a chain that works", () => {
  test("its probes change nothing: app hash, events and results as without them", () => {
    const modules = exampleChain.modules.map(({ probe, ...module }) => module);
    const [probed, bare] = [exampleChain, { ...exampleChain, modules }].map((chain) =>
      upgradedBySplit(chain, stakeGenesis()),
    );
    expect(probed?.applied?.probes).toEqual({ passed: ["bank", "staking", "gov"], skipped: [] });
    expect(bare?.applied?.probes).toEqual({ passed: ["staking"], skipped: [] });
    for (const field of ["appHash", "events", "txResults", "validatorUpdates", "paramUpdates"] as const) {
      expect(probed?.[field]).toEqual(bare?.[field]);
    }
  });

  test("a chain without power before and after → applied; it has no validators of state", () => {
    const result = upgradedBySplit(exampleChain, genesisDocument());
    expect(result.applied?.probes?.passed).toEqual(["bank", "staking", "gov"]);
  });

  test("modules that the handler may remove, and what depends on them → skipped and listed", () => {
    const chain = new Chain();
    const start = (options: Parameters<Chain["start"]>[0]) => chain.start({ versions: [V1, V2, V3], ...options });
    const old = start({ versions: [V1] });
    old.schedule({ name: "v2", height: 3n });
    old.untilHalt();
    const second = start({ versions: [V1, V2], functions: [toV2()] });
    second.block();
    second.schedule({ name: "v3", height: 6n });
    second.untilHalt();
    const { applied } = start({ functions: [toV3()] }).block();
    expect(applied?.probes).toEqual({ passed: ["bank"], skipped: ["staking", "gov"] });
  });
});

describe("a module's own probe", () => {
  const NOTES: Module = { name: "notes", consensusVersion: 1n };
  const withProbe = (probe: Module["probe"]) =>
    defineChain({ name: "notesd", modules: [...exampleChain.modules, { ...NOTES, probe } as Module] });

  test("writes and events are dropped, its account is new", () => {
    let ran = 0;
    const chain = withProbe((context) => {
      ran += 1;
      context.store("notes").set(Uint8Array.of(1), context.unusedAddress("a"));
      context.emit("probed");
      expect(context.unusedAddress("a")).toHaveLength(20);
      expect(context.unusedAddress("a")).not.toEqual(context.unusedAddress("b"));
      return undefined;
    });
    const { result, app } = upgraded(chain);
    expect(ran).toBe(1);
    expect(result.applied?.probes?.passed).toContain("notes");
    expect(JSON.stringify(result.events)).not.toContain("probed");
    expect(app.multiStore.at(2n).store("notes").has(Uint8Array.of(1))).toBe(false);
  });

  const BAD: readonly (readonly [what: string, probe: (context: ProbeContext) => unknown, text: string])[] = [
    ["says what is wrong", () => "no notes", "probe of module notes failed: no notes. Nothing was written"],
    ["throws", () => BigInt("no number"), "probe of module notes failed: Cannot convert"],
    ["returns a promise", () => Promise.resolve(), "returned a promise"],
    ["never stops reading", (context) => forever(() => context.store("notes").has(Uint8Array.of(1))), "out of gas"],
    [
      "never stops writing",
      (context) => forever(() => context.store("notes").set(Uint8Array.of(1), Uint8Array.of(2))),
      "out of gas",
    ],
  ];
  for (const [what, probe, text] of BAD) {
    test(`${what} → ${PROBE} (20)`, () => {
      const failure = failureOf(() => upgraded(withProbe(probe as Module["probe"])));
      expect(failure).toMatchObject({ code: PROBE, kind: { exit: 20 } });
      expect(failure.message).toContain(text);
    });
  }

  test("a disk that fails under it → this machine's error, even where the probe catches it", () => {
    const database = new MemoryDatabase();
    const chain = withProbe((context) => {
      database.get = () => {
        throw new UpgradeError("UPG_STORE_IO", "the disk does not answer");
      };
      try {
        context.store("staking").get(Uint8Array.of(0x77));
      } catch {
        return "caught";
      }
      return undefined;
    });
    expect(failureOf(() => upgraded(chain, { database })).code).toBe("UPG_STORE_IO");
  });
});

function forever(act: () => unknown): never {
  for (;;) act();
}
