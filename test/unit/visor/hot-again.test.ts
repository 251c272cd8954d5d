/** What follows an end of the application where the sidecar holds CometBFT's connections: the same as after a run without that. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { UpgradeError } from "../../../host/base/errors/errors.js";
import { diskFiles } from "../../../host/base/files/disk-files.js";
import { Halt } from "../../../host/upgrade/module/halt.js";
import { queuePlans } from "../../../host/visor/decide/decision/queue.js";
import { requestRestart } from "../../../host/visor/decide/restart-request.js";
import type { Settings } from "../../../host/visor/decide/settings.js";
import type { HoldEnd, HoldOptions } from "../../../host/visor/hot/hold-connections.js";
import type { VisorOptions } from "../../../host/visor/run/loop/visor.js";
import { until } from "./hot/until.js";
import { hurried, ScriptsHome } from "./scripts-home.js";

type Held = (options: HoldOptions) => Promise<HoldEnd>;

/** Holds until it is to stop. */
const untilStopped =
  (end: HoldEnd): Held =>
  async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    return end;
  };

/**
 * A home whose program knows the flags of the hot switch, and a `cometbft` that is never started: no program serves.
 * @param ends of CometBFT and the application, in place of theirs
 */
function hotHome(script: string, ends?: (HoldEnd | UpgradeError | Held)[], settings: Partial<Settings> = {}) {
  const home = new ScriptsHome();
  home.write("config/genesis.json", "{}");
  const comet = home.write("cometbft", "#!/bin/sh\necho 0.38.17\n", 0o755);
  const help = 'test "$2" = --help && exec echo --engine --with-comet --transport --halt-linger\n';
  for (const folder of ["genesis", "upgrades/v2"]) home.program(folder, `${help}echo run >> $OUT\n${script}`);
  const slept: number[] = [];
  const hold = async (options: HoldOptions): Promise<HoldEnd> => {
    const end = ends?.shift() ?? { exit: 0 };
    if (typeof end === "function") {
      home.write("held", "");
      return end(options);
    }
    if (end instanceof UpgradeError) throw end;
    return end;
  };
  const run = (restartsMax: number, flags: readonly string[] = [], others: Partial<VisorOptions> = {}) =>
    home.run(
      ["start", "--engine", "cometbft", "--comet.bin", comet, ...flags],
      { isHotSwitch: true, restartsMax, ...settings },
      { machine: hurried(slept), ...(ends && { hold }), ...others },
    );
  return { home, run, slept };
}

/** The program leaves this error in its record and exits. */
function halting(code: string, exit: number, home = "$(dirname $OUT)"): string {
  const record = { v: 1, code, message: "it halts", next: "start it", commands: ["chaind start"], height: "6" };
  const text = JSON.stringify({ ...record, last_committed_height: "5" });
  return `printf '%s' '${text}' > ${home}/data/halt.json\nexit ${exit}`;
}

describe("an application that exits under the hot switch", () => {
  test("UPG_HANDLER_ENGINE (21): this machine had no memory or time for the handler → started again after 1 s", async () => {
    const { home, run, slept } = hotHome(
      `test -e $OUT.once && exit 13; touch $OUT.once\n${halting("UPG_HANDLER_ENGINE", 21)}`,
    );
    expect(await run(5), home.lines.join("\n")).toBe(13);
    // The others are of what a hold waits for: an exit, and the next reminder.
    expect(slept.filter((millis) => millis < 15_000)).toEqual([1_000]);
    expect(home.out).toBe("run\nrun\n");
    expect(home.board.current.restarts).toBe(1);
  });

  test("another refusal (21), and a defect (70) → not started again; the log says what it needs, the status has commands", async () => {
    const { home, run } = hotHome(halting("UPG_HANDLER_HASH", 21));
    expect(await run(5)).toBe(21);
    expect(home.out).toBe("run\n");
    expect(home.lines.at(-1)).toMatch(/it halts \[UPG_HANDLER_HASH\]/);
    expect(home.board.current).toMatchObject({ phase: "failed", next: ["chaind start"] });
    const defect = hotHome(halting("UPG_BUG_MODULE", 70));
    expect(await defect.run(5)).toBe(70);
    expect(defect.home.lines.at(-1)).toContain("Please report it");
  });
});

/** As the hold returns it: halt.json has the same. */
const failed = (failure: UpgradeError): HoldEnd => ({ exit: failure.kind.exit, failure });
const killed = () => failed(new Halt("UPG_HALT_ENGINE", "CometBFT ended by itself (signal SIGKILL)", 5n));
const lost = () => failed(new Halt("UPG_HALT_WORKER", "worker v2 crashed", 5n));

describe("CometBFT that exits by itself under the hot switch", () => {
  test("twice, and a worker once → started again after 1, 2 and 4 s; then the last end's status", async () => {
    const { home, run, slept } = hotHome("", [killed(), killed(), lost(), { exit: 13 }]);
    expect(await run(5)).toBe(13);
    expect(slept).toEqual([1_000, 2_000, 4_000]);
    expect(home.board.current.restarts).toBe(3);
    expect(home.lines[0]).toMatch(
      /^warn the application has ended: exit status 16: CometBFT ended by itself \(signal SIGKILL\) \[UPG_HALT_ENGINE\]: .* It is started again in 1 s$/,
    );
  });

  test("a worker's crashes → counted as the settings have it", async () => {
    const given: unknown[] = [];
    const crashing: Held = async ({ restarts, machine }) => {
      given.push(restarts?.options, ...[1, 2, 3].map(() => restarts?.next(machine.clock.now())));
      return lost();
    };
    const { run } = hotHome("", [crashing, { exit: 13 }]);
    // What happened within the hold counts: it is not started again.
    expect(await run(3)).toBe(17);
    expect(given).toMatchObject([{ restartsMax: 3, restartWindow: 600_000 }, 1_000, 2_000, 4_000]);
  });

  test("once, after blocks → starting until the next block is committed", async () => {
    const phases: string[] = [];
    const runs: Held = async ({ hooks }) => {
      hooks.onWorker({ program: { name: "genesis", file: "/x" }, ended: new Promise(() => undefined) } as never);
      phases.push(home.board.current.phase);
      hooks.onCommitted(5n);
      phases.push(home.board.current.phase);
      return killed();
    };
    const { home, run } = hotHome("", [runs, runs, { exit: 13 }]);
    expect([await run(5), phases]).toEqual([13, ["running", "running", "starting", "running"]]);
  });

  test("more often than CHAINVISOR_RESTARTS_MAX → fails with 16; with 0 at the first one", async () => {
    const twice = hotHome("", [killed(), killed()]);
    expect(await twice.run(1)).toBe(16);
    expect(twice.home.lines.at(-1)).toMatch(
      /ended, after 1 restarts in 600 s: exit status 16: CometBFT ended by itself/,
    );
    const never = hotHome("", [killed()]);
    expect(await never.run(0)).toBe(16);
    expect([twice.slept, never.slept]).toEqual([[1_000], []]);
  });

  test("a signal while it waits → 0, nothing is started; an error of the settings → fails at once", async () => {
    const stopped = hotHome("", [killed(), { exit: 7 }]);
    const run = stopped.run(5);
    stopped.home.board.onChange(({ restarts }) => restarts === 1 && stopped.home.stop.abort());
    expect([await run, stopped.home.lines.length]).toEqual([0, 1]);
    const wrong = hotHome("", [new UpgradeError("UPG_INVALID_CONFIG", "no cometbft")]);
    expect([await wrong.run(5), wrong.home.lines]).toEqual([2, ["error no cometbft [UPG_INVALID_CONFIG]"]]);
    expect(wrong.slept).toEqual([]);
  });
});

describe("a sidecar that is stopped under the hot switch", () => {
  test.each<[string, HoldEnd, number]>([
    ["both have stopped in order", { exit: 0 }, 0],
    ["it held at an upgrade's height", { exit: 10 }, 0],
    ["the worker's own failure in the block that it finished", { exit: 30 }, 30],
    ["CometBFT's disk is full", failed(new UpgradeError("UPG_STORE_FULL", "no space")), 30],
  ])("%s → %j: its exit status is %i", async (_, end, exit) => {
    const { home, run } = hotHome("", [untilStopped(end)]);
    const running = run(5);
    await until(() => existsSync(home.file("held")));
    home.stop.abort();
    expect(await running).toBe(exit);
    expect(home.lines.filter((line) => line.includes("started again"))).toEqual([]);
  });

  test.each(["stopped", "started again"])(
    "what a script has left → is ended before the sidecar has %s",
    async (what) => {
      let left: ChildProcess | undefined;
      const leaves: Held = async (options) => {
        left = spawn("/bin/sleep", ["600"], { env: { ...options.env }, stdio: "ignore" });
        return untilStopped({ exit: 0 })(options);
      };
      const isEnded = () => until(() => left?.signalCode !== null);
      const next: Held = () => isEnded().then(() => ({ exit: 13 }));
      const { home, run } = hotHome("", [leaves, next]);
      const running = run(0);
      await until(() => existsSync(home.file("held")));
      if (what === "stopped") home.stop.abort();
      else requestRestart(diskFiles, home.file("cosmovisor/restart.json"));
      expect(await running).toBe(what === "stopped" ? 0 : 13);
      await isEnded();
    },
  );
});

test("a height that is queued under the hot switch → both are stopped in order, and the application runs with --halt-height", async () => {
  const { home, run } = hotHome("exit 13", [untilStopped({ exit: 0 })]);
  const running = run(0);
  await until(() => existsSync(home.file("held")));
  queuePlans(diskFiles, home.file("cosmovisor"), [{ name: "v2", height: 1_000n, info: "" }]);
  const exit = await running;
  const lines = home.lines.join("\n");
  expect(exit, lines).toBe(1);
  expect(lines).toContain('"v2" is queued for height 1000');
  expect(lines).toContain("a height of the operator's own is queued");
  expect(lines).toContain("args=[start --halt-height 1000 --engine cometbft");
});

test("`chainvisor restart` under the hot switch → CometBFT and the application are stopped in order and started again, no crash", async () => {
  const { home, run, slept } = hotHome("", [untilStopped({ exit: 0 }), { exit: 13 }]);
  const running = run(0);
  await until(() => existsSync(home.file("held")));
  requestRestart(diskFiles, home.file("cosmovisor/restart.json"));
  expect(await running).toBe(13);
  expect(home.lines).toContain("info the application is started again, as `chainvisor restart` asks");
  // The block under way has half a minute.
  expect([slept, existsSync(home.file("cosmovisor/restart.json"))]).toEqual([[30_000], false]);
});

test.each([
  ["`chainvisor restart`, DAEMON_SHUTDOWN_GRACE is not set", 0, 30_000],
  ["`chainvisor restart`, DAEMON_SHUTDOWN_GRACE=5s", 5_000, 5_000],
])("%s, and the block under way does not end → given up in time", async (_, shutdownGrace, millis) => {
  const hung: Held = async ({ late }) => {
    await new Promise((resolve) => late?.addEventListener("abort", resolve, { once: true }));
    return { exit: 0 };
  };
  const { home, run, slept } = hotHome("", [hung, { exit: 13 }], { shutdownGrace });
  const running = run(0);
  await until(() => existsSync(home.file("held")));
  requestRestart(diskFiles, home.file("cosmovisor/restart.json"));
  expect([await running, slept]).toEqual([13, [millis]]);
});

test("`chainvisor restart` while the switch is made → taken when it is made: the operator's script is not cut off", async () => {
  const seen: boolean[] = [];
  const switching: Held = async (options) => {
    home.board.update({ phase: "switching" });
    requestRestart(diskFiles, home.file("cosmovisor/restart.json"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    seen.push(options.signal.aborted);
    home.board.update({ phase: "migrating" });
    return untilStopped({ exit: 10 })(options);
  };
  const { home, run } = hotHome("", [switching, { exit: 13 }]);
  expect([await run(0), seen]).toEqual([13, [false]]);
});

test("a sidecar is started while the block of a linked upgrade is still to be made → migrating with that plan", async () => {
  const seen: unknown[] = [];
  const { home, run } = hotHome("", [
    async ({ hooks }) => {
      hooks.onWorker({ program: { name: "v2", file: "/x" }, ended: new Promise(() => undefined) } as never);
      seen.push(home.board.current);
      return { exit: 13 };
    },
  ]);
  home.write("cosmovisor/upgrades/v2/upgrade-info.json", JSON.stringify({ name: "v2", height: 6, info: "" }));
  symlinkSync("upgrades/v2", home.file("cosmovisor", "current"));
  home.write("data/chain.mdb", "");
  expect(await run(0, [], { storeHeight: async () => 5n })).toBe(13);
  expect(seen).toMatchObject([{ phase: "migrating", plan: { name: "v2", height: "6" } }]);
});

test("a plan at a height that the flags skip → the status has it under the hot switch too", async () => {
  const seen: unknown[] = [];
  const { home, run } = hotHome("", [
    async ({ hooks }) => {
      hooks.beforeWorker();
      hooks.onPlan({ name: "v2", height: 10n, info: "" });
      seen.push(home.board.current.readiness.find(({ what }) => what === "skip")?.state);
      return { exit: 13 };
    },
  ]);
  await run(0, ["--unsafe-skip-upgrades", "10"]);
  expect(seen).toEqual(["wrong"]);
});
