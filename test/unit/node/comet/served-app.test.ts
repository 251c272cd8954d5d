import { describe, expect, test } from "vitest";
import type { KVStore } from "../../../../host/base/types/types.js";
import { writeValidator } from "../../../../host/chain/modules/staking/records.js";
import { ServedApp } from "../../../../host/node/comet/served-app.js";
import { Chain, failureOf } from "../../../scenario/chain.js";
import { genesisDocument } from "../../../scenario/genesis-text.js";
import { memberGenesis, memberRecord } from "../../../scenario/members.js";
import { splitBalances } from "../../../scenario/versions.js";
import { TIME } from "./served.js";

const served = (chain: Chain, handlers = [splitBalances()]) => {
  const { app } = chain.start({ handlers });
  const port = new ServedApp({ app, genesis: chain.genesis }, () => Promise.reject(new Error("not asked")));
  const block = () => {
    const result = port.finalizeBlock({ height: app.nextHeight, time: TIME });
    port.commit();
    return result;
  };
  return { port, block };
};

describe("ServedApp", () => {
  test("a chain that begins → its parameters name app version 1, whatever genesis names; an ordinary block → no parameters", () => {
    const { port, block } = served(new Chain(), []);
    const begun = port.initChain({ chainId: "scenario-1", time: TIME, initialHeight: 1n, validators: [] });
    expect(begun.params.version.app).toBe(1n);
    expect(port.info().appVersion).toBe(1n);
    expect(block().paramUpdates).toBeUndefined();
  });

  test("an upgrade → info() says 1 until its block is committed, whose parameters name 2, and 2 from then on", () => {
    const chain = new Chain();
    const old = chain.start();
    old.schedule({ name: "v2", height: 4n });
    old.untilHalt();
    const { port, block } = served(chain);
    expect(port.info()).toMatchObject({ lastHeight: 3n, appVersion: 1n });
    expect(block().paramUpdates?.version.app).toBe(2n);
    expect(port.info()).toMatchObject({ lastHeight: 4n, appVersion: 2n });
    expect(block().paramUpdates).toBeUndefined();
  });

  test("a block that takes power from all validators → UPG_INVALID_ARGUMENT, nothing committed; from all but one → its updates", () => {
    const members = [1, 2].map((byte) => ({ key: new Uint8Array(32).fill(byte), tokens: 5_000_000n }));
    const begin = () => {
      const chain = new Chain({ genesis: JSON.stringify(memberGenesis(genesisDocument(), members)) });
      const { app } = chain.start();
      const port = new ServedApp({ app, genesis: chain.genesis }, () => Promise.reject(new Error("not asked")));
      const jail = (count: number) => {
        const changes = members.slice(0, count).map((member) => (context: { store(name: string): KVStore }) => {
          writeValidator(context.store("staking"), memberRecord({ ...member, jailed: true }));
        });
        return port.finalizeBlock({ height: app.nextHeight, time: TIME, changes });
      };
      port.finalizeBlock({ height: 1n, time: TIME });
      port.commit();
      return { app, jail };
    };
    expect(
      begin()
        .jail(1)
        .validatorUpdates.map(({ power }) => power),
    ).toEqual([0n]);
    const { app, jail } = begin();
    expect(failureOf(() => jail(2))).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect(app.lastCommitID.version).toBe(1n);
  });
});
