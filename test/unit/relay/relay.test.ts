/** The relay, where a worker ends: at an upgrade, or killed at each moment of a block. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../host/bytes.js";
import { isUpgradeError } from "../../../host/errors.js";
import { Chain } from "../../scenario/chain.js";
import { splitBalances } from "../../scenario/versions.js";
import type { AbciClient, RequestInit } from "../abci/client.js";
import { COMMIT, echo, finalize, INFO, INIT } from "../abci/served.js";
import { type Fate, TestNetwork } from "./network.js";
import { until } from "./until.js";

/** Ends with 1, as a program without `pre-upgrade` does. */
const V2 = new Map([["v2", "/bin/false"]]);
const CHECK = { case: "checkTx" as const, value: { tx: Uint8Array.of(1, 2, 3) } };
const RECHECK = { case: "checkTx" as const, value: { tx: Uint8Array.of(1, 2, 3), type: 1 } };
const QUERY = { case: "query" as const, value: { path: "somewhere" } };
const proposal = (height: bigint) => ({ case: "prepareProposal" as const, value: { height, maxTxBytes: 1_000n } });

/** A chain with a plan at its height 4, and blocks up to 2. */
function planned(): Chain {
  const chain = new Chain();
  const process = chain.start();
  process.block();
  process.schedule({ name: "v2", height: 4n });
  return chain;
}

/** @throws Error: the response is another one */
async function call<K extends RequestInit["case"]>(engine: AbciClient, request: RequestInit & { case: K }) {
  const response = await engine.call(request);
  if (response.case !== request.case) throw new Error(`${request.case}: ${JSON.stringify(response)}`);
  return response.value as never as Record<string, unknown>;
}

async function block(engine: AbciClient, height: bigint): Promise<string> {
  const { appHash } = await call(engine, finalize(height));
  await call(engine, COMMIT);
  return toHex(appHash as Uint8Array);
}

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

describe("Relay at an upgrade", () => {
  test("the worker ends with 10 in FinalizeBlock → the next one is given it; no exception, one CometBFT, queries go on", async () => {
    const network = new TestNetwork(planned(), [{}, { handlers: [splitBalances()] }], V2);
    const [engine, queries] = [await network.engine(), await network.engine()];
    expect(await call(queries, INFO)).toMatchObject({ lastBlockHeight: 2n });
    await block(engine, 3n);
    await until(() => network.heldBack.length > 0);
    expect(await block(engine, 4n)).toMatch(/^[0-9a-f]{64}$/);
    await block(engine, 5n);
    expect(await call(queries, QUERY)).toMatchObject({ log: "somewhere" });
    expect(network.workers.map(({ program }) => program.name)).toEqual(["true", "v2"]);
    expect(network.log.join("\n")).toContain('worker true at FinalizeBlock: UPGRADE "v2" NEEDED at height: 4');
    expect(network.log).toContain("info worker true ended with 10 at height 4");
    expect(network.log).toContain("info FinalizeBlock 4 given again, to worker v2");
    // It was checked and started while the other one ran.
    expect(network.log).toContain('info the upgrade "v2" is due at height 4: /bin/false takes over');
    expect(network.heldBack).toEqual(["v2"]);
    network.stop();
    expect(await network.end).toBe(0);
  });

  test("the program is missing → holds, goes on when it comes; what waits meanwhile is responded to", async () => {
    const network = new TestNetwork(planned(), [{}, { handlers: [splitBalances()] }]);
    const [engine, mempool] = [await network.engine(), await network.engine()];
    await call(engine, INFO);
    await block(engine, 3n);
    await network.says('the upgrade "v2" is due at height 4, and');
    const upgraded = block(engine, 4n);
    await network.says('holding at height 4 for "v2"');
    const waiting = [call(mempool, echo("a")), call(mempool, QUERY), call(mempool, echo("b"))];
    const file = join(network.home.path, "cosmovisor/upgrades/v2/bin/chaind");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\nexit 0\n");
    await upgraded;
    expect(await Promise.all(waiting)).toMatchObject([{ message: "a" }, { log: "somewhere" }, { message: "b" }]);
    expect(network.log.filter((line) => line.includes("holding"))).toHaveLength(1);
  });

  test("a signal while it holds → 10", async () => {
    const network = new TestNetwork(planned(), []);
    const engine = await network.engine();
    await call(engine, INFO);
    await block(engine, 3n);
    const refused = engine.call(finalize(4n)).catch(() => "hung up");
    await network.says("holding");
    network.stop();
    expect(await network.end).toBe(10);
    expect(await refused).toBe("hung up");
  });

  test("`pre-upgrade` that ends with 30 → holds, and a better program goes on", async () => {
    const network = new TestNetwork(planned(), [{}, { handlers: [splitBalances()] }]);
    const file = join(network.home.path, "cosmovisor/upgrades/v2/bin/chaind");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\nexit 30\n");
    const engine = await network.engine();
    await call(engine, INFO);
    await block(engine, 3n);
    const upgraded = block(engine, 4n);
    await network.says("pre-upgrade ended with 30");
    writeFileSync(file, "#!/bin/sh\nexit 1\n# better\n");
    await upgraded;
  });
});

describe("Relay, a next program that is none", () => {
  test.each([0, 1, 2, 126, 127])(
    "it ends with %i before it serves → holds, and a better program goes on",
    async (exit) => {
      const ends = { exit, signal: null, error: undefined };
      const network = new TestNetwork(planned(), [{}, { ends }, { handlers: [splitBalances()] }]);
      const file = join(network.home.path, "cosmovisor/upgrades/v2/bin/chaind");
      const engine = await network.engine();
      await call(engine, INFO);
      await block(engine, 3n);
      const upgraded = block(engine, 4n);
      await network.says("chaind is missing");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "#!/bin/sh\nexit 0\n");
      await network.says(`chaind ended with ${exit} before it served. CometBFT goes on waiting`);
      writeFileSync(file, "#!/bin/sh\nexit 0\n# better\n");
      expect(await upgraded).toMatch(/^[0-9a-f]{64}$/);
      expect(network.workers).toHaveLength(3);
    },
  );

  test("it ends with a status of the chain's programs → that ends all", async () => {
    const ends = { exit: 30, signal: null, error: undefined };
    const network = new TestNetwork(planned(), [{}, { ends }], V2);
    const engine = await network.engine();
    await call(engine, INFO);
    await block(engine, 3n);
    const refused = engine.call(finalize(4n)).catch(() => "hung up");
    expect(await network.end).toBe(30);
    expect(await refused).toBe("hung up");
  });
});

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

describe("Relay, ends of its own", () => {
  test("a worker's failure that no other one repairs → its exception for CometBFT, its exit status", async () => {
    const network = new TestNetwork(planned(), [{ haltHeight: 3n }]);
    const engine = await network.engine();
    await call(engine, INFO);
    expect(await engine.call(finalize(3n))).toMatchObject({ case: "exception" });
    expect(await network.end).toBe(13);
    expect(network.workers).toHaveLength(1);
  });

  test("a signal in the middle of a block → the block is committed before the end", async () => {
    const network = new TestNetwork(new Chain(), []);
    const engine = await network.engine();
    await call(engine, INFO);
    await call(engine, INIT);
    await call(engine, finalize(1n));
    network.stop();
    await network.says("finishing block 1, then stopping");
    await call(engine, COMMIT);
    expect(await network.end).toBe(0);
    expect(network.chain.start().height).toBe(1n);
  });

  test("CometBFT ends by itself → UPG_HALT_ENGINE", async () => {
    const network = new TestNetwork(new Chain(), []);
    await network.engine();
    const pid = Number(/CometBFT started: .*, process (\d+)/.exec(network.log.join("\n"))?.[1]);
    process.kill(pid, "SIGKILL");
    expect(codeOf(await network.end)).toBe("UPG_HALT_ENGINE");
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
