/** The relay at an upgrade: the next program takes over, or is held for. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { RelayHooks } from "../../../../host/visor/hot/hooks.js";
import { splitBalances } from "../../../scenario/versions.js";
import { echo, finalize, INFO } from "../../node/comet/served.js";
import { block, call, planned, QUERY, V2 } from "./calls.js";
import { type Fate, TestNetwork } from "./network.js";
import { until } from "./until.js";

/** The next program may have been started before its turn, from the file that is replaced: then it is started again. */
const REPLACED: readonly Fate[] = [{}, { handlers: [splitBalances()] }, { handlers: [splitBalances()] }];

describe("Relay at an upgrade", () => {
  test("the worker ends with 10 in FinalizeBlock → the next one is given it; no exception, one CometBFT, queries go on", async () => {
    const network = new TestNetwork(planned(), [{}, { handlers: [splitBalances()] }], V2);
    const [engine, queries] = [await network.engine(), await network.engine()];
    expect(await call(queries, INFO)).toMatchObject({ lastBlockHeight: 2n });
    await block(engine, 3n);
    await until(() => network.standby.length > 0);
    expect(await block(engine, 4n)).toMatch(/^[0-9a-f]{64}$/);
    await block(engine, 5n);
    expect(await call(queries, QUERY)).toMatchObject({ log: "somewhere" });
    expect(network.workers.map(({ program }) => program.name)).toEqual(["true", "v2"]);
    expect(network.log.join("\n")).toContain('worker true at FinalizeBlock: UPGRADE "v2" NEEDED at height: 4');
    expect(network.log).toContain("info worker true ended with 10 at height 4");
    expect(network.log).toContain("info FinalizeBlock 4 given again, to worker v2");
    // It was checked and started while the other one ran.
    expect(network.log).toContain('info the upgrade "v2" is due at height 4: /bin/false takes over');
    expect(network.standby).toEqual(["v2"]);
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
    expect(network.log.join("\n")).toContain("SIGTERM ends the relay with 10");
  });

  test("the program is missing, and is fetched → nobody is asked for it: one line, no warning, no command", async () => {
    const holds: (string | undefined)[] = [];
    const onHold = (problem: string, command: string | undefined) => void holds.push(problem, command);
    const hooks = { preparation: { isChecked: () => false }, isFetched: () => true, onHold };
    const network = new TestNetwork(planned(), [{}, { handlers: [splitBalances()] }], undefined, hooks);
    const engine = await network.engine();
    await call(engine, INFO);
    await block(engine, 3n);
    const upgraded = block(engine, 4n);
    const file = join(network.home.path, "cosmovisor/upgrades/v2/bin/chaind");
    await network.says('holding at height 4 for "v2"');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\nexit 0\n");
    await upgraded;
    expect(holds).toEqual([`${file} is not fetched yet`, undefined]);
    expect(network.log.filter((line) => /is due at height|NEW_PROGRAM|^warn holding/.test(line))).toEqual([]);
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
    const network = new TestNetwork(planned(), REPLACED);
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

describe("Relay, CometBFT that ends at the height", () => {
  async function held(hooks: Partial<RelayHooks> = {}) {
    const network = new TestNetwork(planned(), [{}, { handlers: [splitBalances()] }], undefined, hooks);
    const engine = await network.engine();
    await call(engine, INFO);
    await block(engine, 3n);
    const asked = join(network.home.path, "asked");
    const put = () => {
      const file = join(network.home.path, "cosmovisor/upgrades/v2/bin/chaind");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\ntouch ${asked}\n`, { mode: 0o755 });
    };
    void engine.call(finalize(4n)).catch(() => undefined);
    await network.says("holding");
    return { network, asked, put };
  }

  test("while the program is missing → nothing waits for it any more", async () => {
    const { network, asked, put } = await held();
    network.endComet();
    expect(await network.end).toMatchObject({ code: "UPG_HALT_ENGINE" });
    put();
    await sleep(1_000);
    expect(existsSync(asked)).toBe(false);
  });

  test("while the operator's script runs → it is stopped, waited for, and nothing is linked", async () => {
    const done: string[] = [];
    let begun: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { network, put } = await held({
      beforeUpgrade: async (_, signal) => {
        begun();
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        await sleep(50);
        done.push("stopped");
      },
      link: () => void done.push("linked"),
    });
    put();
    await running;
    network.endComet();
    expect(await network.end).toMatchObject({ code: "UPG_HALT_ENGINE" });
    expect(done).toEqual(["stopped"]);
  });

  test("others that ask the program → have stopped before the relay does", async () => {
    const { network, asked, put } = await held({
      beforePreUpgrade: async () => {
        await sleep(50);
        expect(existsSync(asked)).toBe(false);
        network.log.push("others have stopped");
      },
    });
    put();
    await until(() => existsSync(asked));
    expect(network.log).toContain("others have stopped");
  });
});

describe("Relay, a next program that hangs", () => {
  test("`pre-upgrade` that never ends → a program that replaces it goes on", async () => {
    const network = new TestNetwork(planned(), [{}, { handlers: [splitBalances()] }]);
    const file = join(network.home.path, "cosmovisor/upgrades/v2/bin/chaind");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\ntouch ${network.home.path}/asked\nexec sleep 600\n`, { mode: 0o755 });
    const engine = await network.engine();
    await call(engine, INFO);
    await block(engine, 3n);
    const upgraded = block(engine, 4n);
    await until(() => existsSync(join(network.home.path, "asked")));
    writeFileSync(`${file}.new`, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    renameSync(`${file}.new`, file);
    await upgraded;
  });

  test.each([
    { why: "the relay is stopped at the height", exit: 10 },
    // No block is held yet.
    { why: "the relay is stopped in the blocks before the height", exit: 0 },
    { why: "the file is replaced", exit: undefined },
  ])("`pre-upgrade` that has started another process, and $why → both are stopped", async ({ why, exit }) => {
    // Where the sidecar prepares the upgrade, nothing is asked here before the height.
    const hooks = exit === 10 ? { preparation: { isChecked: () => false } } : {};
    const network = new TestNetwork(planned(), REPLACED, undefined, hooks);
    const file = join(network.home.path, "cosmovisor/upgrades/v2/bin/chaind");
    const pidFile = join(network.home.path, "pid");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\nsleep 600 &\necho $! > ${pidFile}.new\nmv ${pidFile}.new ${pidFile}\nwait\n`, {
      mode: 0o755,
    });
    const engine = await network.engine();
    await call(engine, INFO);
    await block(engine, 3n);
    const upgraded = exit === 0 ? undefined : block(engine, 4n).catch(() => "hung up");
    await until(() => existsSync(pidFile));
    if (exit !== undefined) {
      network.stop();
      expect(await network.end, why).toBe(exit);
    } else {
      writeFileSync(`${file}.new`, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
      renameSync(`${file}.new`, file);
    }
    await upgraded;
    const isRunning = () => {
      try {
        return process.kill(Number(readFileSync(pidFile, "utf8")), 0);
      } catch {
        return false;
      }
    };
    await until(() => !isRunning());
  });

  test("`pre-upgrade` that a shell cannot run → holds, as under the sidecar's other switch, and a better program goes on", async () => {
    const network = new TestNetwork(planned(), [{}, { handlers: [splitBalances()] }]);
    const file = join(network.home.path, "cosmovisor/upgrades/v2/bin/chaind");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\nexit 127\n", { mode: 0o755 });
    const engine = await network.engine();
    await call(engine, INFO);
    await block(engine, 3n);
    const upgraded = block(engine, 4n);
    await network.says("chaind cannot be run: pre-upgrade ended with exit status 127");
    writeFileSync(file, "#!/bin/sh\nexit 1\n# better\n");
    await upgraded;
    expect(network.workers).toHaveLength(2);
  });

  test("the worker never serves → a program that replaces it goes on", async () => {
    const hangs = { hangs: true };
    const network = new TestNetwork(planned(), [{}, hangs, hangs, { handlers: [splitBalances()] }]);
    const file = join(network.home.path, "cosmovisor/upgrades/v2/bin/chaind");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const engine = await network.engine();
    await call(engine, INFO);
    await block(engine, 3n);
    const upgraded = block(engine, 4n);
    for (const turn of [1, 2]) {
      // From then on its file is looked at.
      await until(() => network.log.filter((line) => line.includes("worker v2 started")).length === turn);
      writeFileSync(`${file}.new`, `#!/bin/sh\n# ${turn}\nexit 0\n`, { mode: 0o755 });
      renameSync(`${file}.new`, file);
    }
    await upgraded;
    expect(network.log.filter((line) => line.includes("is ended before it served"))).toHaveLength(2);
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
    // The second is started before its turn, and again at its turn.
    const network = new TestNetwork(planned(), [{}, { ends }, { ends }], V2);
    const engine = await network.engine();
    await call(engine, INFO);
    await block(engine, 3n);
    const refused = engine.call(finalize(4n)).catch(() => "hung up");
    expect(await network.end).toBe(30);
    expect(await refused).toBe("hung up");
  });
});
