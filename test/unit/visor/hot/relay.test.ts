/** The relay, where a worker is killed at each moment of a block, or ends in another way. */
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import { CrashLoop } from "../../../../host/visor/decide/decision/crash-loop.js";
import type { ProcessEnd } from "../../../../host/visor/decide/machine.js";
import { Chain } from "../../../scenario/chain.js";
import { COMMIT, echo, finalize, INFO, INIT } from "../../node/comet/served.js";
import { block, CHECK, call, planned, proposal, QUERY, RECHECK } from "./calls.js";
import { type Fate, TestNetwork } from "./network.js";
import { until } from "./until.js";

const codeOf = (error: unknown) => (isUpgradeError(error) ? error.code : error);

/** App hashes of blocks 1 to 3, with nothing that goes wrong. */
const CALM = (() => {
  const process = new Chain().start();
  const hashes = [1n, 2n, 3n].map((height) => {
    const { appHash } = process.app.finalizeBlock({ height, time: finalize(height).value.time });
    process.app.commit();
    return toHex(appHash);
  });
  return hashes;
})();

describe("Relay, a worker that is killed", () => {
  // A relay starts a worker again five times in a minute.
  const MOMENTS: readonly (readonly NonNullable<Fate["dies"]>[])[] = [
    ["before finalizeBlock", "after finalizeBlock", "before commit", "after commit"],
    ["before prepareProposal", "before query", "before checkTx", "after checkTx", "after echo"],
  ];

  test.each(MOMENTS)(
    "%s, %s, %s, %s … → others go on, every response comes, the app hashes are the same",
    async (...moments) => {
      const network = new TestNetwork(
        new Chain(),
        moments.map((dies) => ({ dies })),
      );
      const [engine, other] = [await network.engine(), await network.engine()];
      await call(engine, INFO);
      await call(engine, INIT);
      const hashes: string[] = [];
      for (const height of [1n, 2n, 3n]) {
        await call(engine, proposal(height));
        hashes.push(await block(engine, height));
        expect(await call(other, QUERY)).toMatchObject({ log: "somewhere" });
        expect(await call(other, CHECK)).toHaveProperty("gasWanted");
        await call(other, echo("here"));
      }
      expect(hashes).toEqual(CALM);
      expect(network.workers).toHaveLength(moments.length + 1);
      const killed = network.log.filter((line) => line.startsWith("error worker true ended by SIGKILL"));
      expect(killed).toHaveLength(moments.length);
    },
  );

  test("between two calls → another one goes on", async () => {
    const network = new TestNetwork(new Chain(), []);
    const engine = await network.engine();
    await call(engine, INFO);
    await call(engine, INIT);
    const hashes = [await block(engine, 1n)];
    await network.workers[0]?.kill();
    hashes.push(await block(engine, 2n));
    expect(hashes).toEqual(CALM.slice(0, 2));
  });

  test("between FinalizeBlock and Commit → the block is run again before its Commit", async () => {
    const network = new TestNetwork(new Chain(), []);
    const engine = await network.engine();
    await call(engine, INFO);
    await call(engine, INIT);
    const { appHash } = await call(engine, finalize(1n));
    await network.workers[0]?.kill();
    await call(engine, COMMIT);
    expect([toHex(appHash as Uint8Array), await block(engine, 2n)]).toEqual(CALM.slice(0, 2));
    expect(network.log).toContain("info block 1 run again, before its Commit");
  });

  test("the block that is run again gives another app hash → UPG_HALT_WORKER, no Commit", async () => {
    const changes: Fate["changes"] = (made) =>
      made.case === "finalizeBlock" ? { ...made, value: { ...made.value, appHash: new Uint8Array(32) } } : made;
    const network = new TestNetwork(new Chain(), [{}, { changes }]);
    const engine = await network.engine();
    await call(engine, INFO);
    await call(engine, INIT);
    await call(engine, finalize(1n));
    await network.workers[0]?.kill();
    const commit = engine.call(COMMIT).catch(() => "hung up");
    const end = await network.end;
    expect(codeOf(end)).toBe("UPG_HALT_WORKER");
    expect(String(end)).toContain("block 1, run again, gave the app hash 0000");
    expect(await commit).toBe("hung up");
    expect(network.chain.start().height).toBe(0n);
  });

  test("the next one has another state → UPG_HALT_WORKER, and nothing is given to it", async () => {
    const network = new TestNetwork(new Chain(), []);
    const engine = await network.engine();
    await call(engine, INFO);
    await call(engine, INIT);
    await block(engine, 1n);
    const other = new Chain();
    other.start().blocks(5);
    network.chain = other;
    await network.workers[0]?.kill();
    const end = await network.end;
    expect(codeOf(end)).toBe("UPG_HALT_WORKER");
    expect(String(end)).toMatch(
      /the new worker is at height 5 with app hash [0-9A-F]{64}, where CometBFT knows at height 1/,
    );
  });

  test("twice by the same query → the query gets a code, and others go on", async () => {
    const network = new TestNetwork(new Chain(), [{ dies: "before query" }, { dies: "before query" }]);
    const [engine, other] = [await network.engine(), await network.engine()];
    await call(engine, INFO);
    await call(engine, INIT);
    await block(engine, 1n);
    expect(await call(other, QUERY)).toMatchObject({ code: 1, codespace: "sdk" });
    expect(await call(other, QUERY)).toMatchObject({ code: 0 });
  });

  test("while transactions of the mempool are checked again → they stay in it", async () => {
    const network = new TestNetwork(new Chain(), [{ dies: "before checkTx" }]);
    const [engine, mempool] = [await network.engine(), await network.engine()];
    await call(engine, INFO);
    await call(engine, INIT);
    await block(engine, 1n);
    expect(await Promise.all([call(mempool, RECHECK), call(mempool, RECHECK)])).toMatchObject([
      { code: 0 },
      { code: 0 },
    ]);
    expect(await call(mempool, RECHECK)).not.toMatchObject({ code: 0 });
  });
});

/** A relay that was asked to stop after CometBFT got the response to FinalizeBlock of block 1, and before its Commit. */
async function stoppedInBlock() {
  const network = new TestNetwork(new Chain(), []);
  const engine = await network.engine();
  await call(engine, INFO);
  await call(engine, INIT);
  await call(engine, finalize(1n));
  network.stop();
  await network.says("finishing block 1, then stopping");
  return { network, engine };
}

describe("Relay, ends of its own", () => {
  test("a worker's failure that no other one repairs → its exception for CometBFT, its exit status", async () => {
    const network = new TestNetwork(planned(), [{ haltHeight: 3n }]);
    const engine = await network.engine();
    await call(engine, INFO);
    expect(await engine.call(finalize(3n))).toMatchObject({ case: "exception" });
    expect(await network.end).toBe(13);
    expect(network.workers).toHaveLength(1);
  });

  test("an exception at Commit → CometBFT's; the block is not taken for committed", async () => {
    const changes: Fate["changes"] = (made) =>
      made.case === "commit" ? { case: "exception", value: { error: "the disk is full" } } : made;
    const network = new TestNetwork(new Chain(), [{}, { changes }]);
    const engine = await network.engine();
    await call(engine, INFO);
    await call(engine, INIT);
    await block(engine, 1n);
    await network.workers[0]?.kill();
    await call(engine, finalize(2n));
    expect(await engine.call(COMMIT)).toMatchObject({ case: "exception" });
    expect(codeOf(await network.end)).toBe("UPG_HALT_WORKER");
    expect(network.log.join("\n")).not.toContain("block 2 committed");
    expect(network.lastBlock?.height).toBe(1n);
  });

  test("a signal in the middle of a block → the block is committed before the end", async () => {
    const { network, engine } = await stoppedInBlock();
    await call(engine, COMMIT);
    expect(await network.end).toBe(0);
    expect(network.chain.start().height).toBe(1n);
  });

  test("a signal in the middle of a block, and its time is over → all end without it; the next start makes it", async () => {
    const { network } = await stoppedInBlock();
    network.giveUp();
    expect(await network.end).toBe(0);
    expect(network.log).toContain("warn block 1 is not finished in time: all end without it");
    expect(network.chain.start().height).toBe(0n);
  });

  test("CometBFT ends by itself → UPG_HALT_ENGINE", async () => {
    const network = new TestNetwork(new Chain(), []);
    await network.engine();
    network.endComet();
    expect(codeOf(await network.end)).toBe("UPG_HALT_ENGINE");
  });

  test("a worker that crashes more often than the sidecar's settings allow → UPG_HALT_WORKER", async () => {
    const ends: ProcessEnd = { exit: null, signal: "SIGKILL", error: undefined };
    const restarts = new CrashLoop({ restartsMax: 1, restartWindow: 600_000 });
    const network = new TestNetwork(new Chain(), [{ ends }, { ends }], undefined, {}, restarts);
    const end = await network.end;
    expect(codeOf(end)).toBe("UPG_HALT_WORKER");
    expect(String(end)).toContain("started again 1 times in 600 s");
    expect(network.workers).toHaveLength(2);
  });

  test("a worker that ends before it serves, with what no other one repairs → its exit status, CometBFT is not started", async () => {
    const network = new TestNetwork(new Chain(), [{ ends: { exit: 30, signal: null, error: undefined } }]);
    expect(await network.end).toBe(30);
    expect(network.log.join("\n")).not.toContain("CometBFT started");
  });

  test("a program that is too old for the state → that of the last plan", async () => {
    const chain = planned();
    const network = new TestNetwork(
      chain,
      [{ ends: { exit: 12, signal: null, error: undefined } }],
      new Map([["v2", "/bin/cat"]]),
    );
    chain.start().untilHalt();
    network.writePlan();
    await until(() => network.workers.length === 2);
    expect(network.workers[1]?.program).toMatchObject({ name: "v2", file: "/bin/cat" });
  });
});
