/** What a block's result says of validators: as ABCI's FinalizeBlock, from whatever wrote to the staking store. */
import { describe, expect, test } from "vitest";
import type { KVStore } from "../../host/base/types/types.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import { writeValidator } from "../../host/chain/modules/staking/records.js";
import type { UpgradeHandler } from "../../host/upgrade/module/upgrade-handler.js";
import { exampleChain } from "../example-chain.js";
import { Chain, type MadeBlock } from "./chain.js";
import { genesisDocument } from "./genesis-text.js";
import { type Member, memberGenesis, memberRecord } from "./members.js";
import { toV2 } from "./versions.js";

const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
const member = (byte: number, units: number): Member => ({ key: keyOf(byte), tokens: BigInt(units) * 1_000_000n });
const updates = ({ validatorUpdates }: Pick<MadeBlock, "validatorUpdates">) =>
  validatorUpdates.map(({ publicKey, power }) => [publicKey.bytes[0], Number(power)]);

function chainOf(members: readonly Member[], params = {}): Chain {
  return new Chain({ genesis: JSON.stringify(memberGenesis(genesisDocument(), members, params)) });
}

const THREE = [member(1, 10), member(2, 30), member(3, 20)];
const writes = (members: readonly Member[]) => (context: { store(name: string): KVStore }) => {
  for (const each of members) writeValidator(context.store("staking"), memberRecord(each));
};

/** The upgrade of the example chain whose handler leaves these validators besides. */
function upgraded(members: readonly Member[]) {
  const chain = chainOf(THREE);
  const { run, ...rest } = toV2();
  const withMembers: UpgradeHandler = (context, plan, versions) => {
    writes(members)({ store: (name) => context.stores.store(name) });
    return run(context, plan, versions);
  };
  const handler = { ...rest, run: withMembers, allows: { writeStores: ["staking"] } };
  const old = chain.start();
  old.schedule({ name: "v2", height: 3n });
  old.untilHalt();
  return chain.start({ functions: [handler] });
}

describe("validator updates", () => {
  test("initChain() → all, the greatest first; a block without a change → none; with one → what differs, 0 for who left", () => {
    const { app, block } = bound(chainOf(THREE));
    expect(updates({ validatorUpdates: app.initChain().validators })).toEqual([
      [2, 30],
      [3, 20],
      [1, 10],
    ]);
    expect(updates(block())).toEqual([]);
    expect(updates(block({ changes: [writes([member(1, 25), member(3, 0), member(4, 5)])] }))).toEqual([
      [1, 25],
      [4, 5],
      [3, 0],
    ]);
    expect(updates(block({ changes: [writes([member(1, 25)])] }))).toEqual([]);
    expect(app.validators?.map(({ power }) => Number(power))).toEqual([30, 25, 5]);
  });

  test("with initChain() or without → the same app hash", () => {
    const [one, other] = [bound(chainOf(THREE)), bound(chainOf(THREE))];
    one.app.initChain();
    const time = one.app.initChain() && { seconds: 1_800_000_000n, nanos: 0 };
    expect(one.block({ time }).appHash).toEqual(other.block({ time }).appHash);
  });

  test("max_validators 2 → the third has no power until one of the two has less", () => {
    const { app, block } = bound(chainOf(THREE, { max_validators: 2 }));
    expect(updates({ validatorUpdates: app.initChain().validators })).toEqual([
      [2, 30],
      [3, 20],
    ]);
    expect(updates(block({ changes: [writes([member(1, 21)])] }))).toEqual([
      [1, 21],
      [3, 0],
    ]);
  });

  test("a handler that writes the staking store → in the result of the upgrade's block", () => {
    const process = upgraded([member(1, 40), member(2, 0)]);
    const made = process.block();
    expect(made.applied?.plan.name).toBe("v2");
    expect(updates(made)).toEqual([
      [1, 40],
      [2, 0],
    ]);
    expect(updates(process.block())).toEqual([]);
  });

  test("a handler that leaves two validators with one key → UPG_MIGRATION_INVARIANT, nothing committed", () => {
    const same = { ...memberRecord(member(2, 5)), operator: new Uint8Array(20).fill(9) };
    const chain = chainOf(THREE);
    const { run, ...rest } = toV2();
    const handler = {
      ...rest,
      run: ((context, plan, versions) => {
        writeValidator(context.stores.store("staking"), same);
        return run(context, plan, versions);
      }) satisfies UpgradeHandler,
      allows: { writeStores: ["staking"] },
    };
    const old = chain.start();
    old.schedule({ name: "v2", height: 3n });
    old.untilHalt();
    const failure = chain.start({ functions: [handler] }).untilHalt();
    expect(failure).toMatchObject({ code: "UPG_MIGRATION_INVARIANT" });
    expect(failure.message).toContain("have the same consensus key");
  });

  test("a genesis document with two validators of one key, or max_validators 0 → UPG_INVALID_GENESIS", () => {
    const twice = memberGenesis(genesisDocument(), [member(1, 1), member(2, 1)]);
    const text = JSON.stringify(twice).replaceAll(
      Buffer.from(keyOf(2)).toString("base64"),
      Buffer.from(keyOf(1)).toString("base64"),
    );
    expect(() => parseGenesis(exampleChain, text)).toThrowError(
      /validators\[1\]: is a second entry for the key of .*\[0\]/,
    );
    const none = JSON.stringify(memberGenesis(genesisDocument(), THREE, { max_validators: 0 }));
    expect(() => parseGenesis(exampleChain, none)).toThrowError(/max_validators: must be from 1/);
  });
});

/** A process, and its next block. */
function bound(chain: Chain) {
  const process = chain.start();
  return { app: process.app, block: (request: Parameters<typeof process.block>[0] = {}) => process.block(request) };
}
