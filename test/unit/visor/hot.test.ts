import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../host/base/terminal/config-file.js";
import { CrashLoop } from "../../../host/visor/decide/decision/crash-loop.js";
import type { Plan } from "../../../host/visor/decide/decision/plan-file.js";
import { startArgs } from "../../../host/visor/hot/start-arguments.js";
import type { Worker } from "../../../host/visor/hot/worker.js";
import { HotHooks } from "../../../host/visor/run/hot/hot-hooks.js";
import { Board } from "../../../host/visor/status/board.js";
import { statusMachine } from "./status-machine.js";

describe("startArgs()", () => {
  const given = (args: readonly string[], env: Readonly<Record<string, string>> = {}, app = "") =>
    startArgs(args, { env, prefix: "CHAIND_", table: parseConfig("app.toml", app) });

  it("start with CometBFT's engine → what is CometBFT's goes to it, what the relay names is left out, the rest is the worker's", () => {
    const args = [
      ...[
        "start",
        "--engine",
        "cometbft",
        "--home",
        "/x",
        "--p2p.laddr",
        "tcp://0.0.0.0:1",
        "--p2p.pex",
        "--moniker=me",
      ],
      ...["--comet.bin", "/usr/bin/cometbft", "--min-retain-blocks", "5", "--api.address=tcp://127.0.0.1:0", "--trace"],
    ];
    expect(given(args)).toEqual({
      program: "/usr/bin/cometbft",
      comet: ["--moniker", "me", "--p2p.laddr=tcp://0.0.0.0:1", "--p2p.pex=true"],
      worker: ["--min-retain-blocks", "5", "--api.address=tcp://127.0.0.1:0", "--trace"],
    });
  });

  it.each([
    ["tcp://127.0.0.1:5", "tcp://127.0.0.1:5"],
    ["127.0.0.1:5", "tcp://127.0.0.1:5"],
    ["http://[::1]:5/", "tcp://[::1]:5"],
    [":5", "tcp://0.0.0.0:5"],
  ])(
    "--rpc.laddr %s, by the command line or the environment → CometBFT serves there, and the worker asks there",
    (text, address) => {
      const both = { comet: ["--rpc.laddr", address], worker: [`--rpc.laddr=${address}`] };
      expect(given(["start", "--engine=cometbft", "--rpc.laddr", text])).toMatchObject(both);
      expect(given(["start", "--engine=cometbft"], { CHAIND_RPC_LADDR: text })).toMatchObject(both);
    },
  );

  it("settings of the environment and app.toml → CometBFT's as with `start`: a flag before a variable, that before the file", () => {
    const app = [
      'moniker = "file"\nengine = "cometbft"',
      '[p2p]\npersistent_peers = ["a@b:1", "c@d:2"]\nseeds = "e@f:3"\npex = false',
      '[rpc]\nladdr = "tcp://127.0.0.1:9"',
    ].join("\n");
    const env = { CHAIND_P2P_SEEDS: "g@h:4", CHAIND_MONIKER: "env", OTHERD_P2P_LADDR: "x", CHAIND_COMET_BIN: "/c" };
    expect(given(["start", "--moniker", "flag"], env, app)).toEqual({
      program: "/c",
      comet: ["--moniker", "flag", "--p2p.persistent_peers=a@b:1,c@d:2", "--p2p.pex=false", "--p2p.seeds=g@h:4"],
      worker: [],
    });
    expect(given(["start"], { CHAIND_MONIKER: "env" }, app)?.comet.slice(0, 2)).toEqual(["--moniker", "env"]);
    expect(given(["start"], {}, app)?.comet.slice(0, 2)).toEqual(["--moniker", "file"]);
  });

  it.each<[string[], Record<string, string>]>([
    [["version"], {}],
    [["start"], {}],
    [["start", "--engine", "embedded"], { CHAIND_ENGINE: "cometbft" }],
    [["start", "--engine=cometbft", "--with-comet=false"], {}],
    [["start", "--engine=cometbft"], { CHAIND_WITH_COMET: "0" }],
  ])("%j with %j → undefined: nothing to hold", (args, env) => {
    expect(given(args, env)).toBeUndefined();
  });
});

describe("HotHooks", () => {
  const { signal } = new AbortController();

  function made(
    isDownloadAllowed = false,
    next = "/no/such/program",
    board = new Board(statusMachine.clock),
    { isStaged = true, customPreUpgrade = "", underWay = undefined as Plan | undefined } = {},
  ) {
    const staged: (string | undefined)[] = [];
    const settings = { home: "/x", root: "/x/cosmovisor", customPreUpgrade, isDownloadAllowed };
    const layout = { of: () => ({ name: "v2", file: next, folder: undefined }) };
    const of = { settings, machine: statusMachine, layout, board, log: () => undefined, childEnv: {} } as unknown;
    const staging = {
      plan: (plan: { name: string } | undefined) => void staged.push(plan?.name),
      hurry: () => void staged.push("hurry"),
      asked: () => undefined,
      close: async () => void staged.push("closed"),
    };
    const planned: (string | undefined)[] = [];
    const loop = {
      ...{ runBegins: () => undefined, switched: () => undefined, underWay },
      crashes: new CrashLoop({ restartsMax: 5, restartWindow: 600_000 }),
      planned: (plan: { name: string } | undefined) => void planned.push(plan?.name),
    };
    const hooks = new HotHooks(of as ConstructorParameters<typeof HotHooks>[0], isStaged ? staging : undefined, loop);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    // HotHooks reads these three members of a worker.
    const worker = (name: string, pid: number) =>
      ({ program: { name, file: `/x/${name}`, folder: undefined }, pid, ended }) as unknown as Worker;
    return { board, hooks, worker, staged, planned, end };
  }

  it("a whole upgrade → its phases, heights and plan; the plan is staged when it is scheduled", async () => {
    const { board, hooks, worker, staged, end } = made();
    const phases: string[] = [];
    board.onChange(({ phase }) => phases.at(-1) !== phase && phases.push(phase));
    const plan = { name: "v2", height: 10n, info: "" };
    hooks.onWorker(worker("genesis", 7));
    hooks.onLastBlock(0n);
    hooks.onCommitted(8n);
    hooks.onPlan(plan);
    hooks.onPlan(plan);
    expect(board.current).toMatchObject({
      height: { value: "8" },
      plan: { name: "v2", height: "10", origin: "chain" },
    });
    hooks.onDue(plan);
    end();
    await Promise.resolve();
    expect(board.current.program).toMatchObject({ name: "genesis", pid: null });
    hooks.onHold("/x/v2 is missing", "cp");
    expect(board.current).toMatchObject({ phase: "halted", message: "/x/v2 is missing", next: ["cp"] });
    await hooks.beforeUpgrade(plan, signal);
    // Nothing is tried beside the program that makes the block, and nothing is said of it that was right before the switch.
    expect(staged).toEqual(["v2", "v2", "hurry", "closed"]);
    hooks.onWorker(worker("v2", 8));
    hooks.onCommitted(10n);
    hooks.onAgain();
    expect(board.current).toMatchObject({ plan: null, upgrades: 1, restarts: 1, height: { value: "10" } });
    expect(phases).toEqual(["running", "halted", "switching", "migrating", "running"]);
    expect(staged).toHaveLength(4);
    expect(board.lastHaltSeconds).toBeGreaterThanOrEqual(0);
  });

  it("a program that is fetched → nobody is asked for it; where the plan names none, or downloads are off, an operator is", () => {
    const info = JSON.stringify({ binaries: { any: "http://127.0.0.1:1/chaind" } });
    const plan = { name: "v2", height: 10n, info };
    const { board, hooks } = made(true);
    expect([hooks.isFetched(plan), hooks.isFetched({ ...plan, info: "" }), made().hooks.isFetched(plan)]).toEqual([
      ...[true, false, false],
    ]);
    hooks.onHold("/x/v2 is missing", "cp");
    hooks.onHold("/x/v2 is not fetched yet", undefined);
    expect(board.current).toMatchObject({ phase: "halted", message: "/x/v2 is not fetched yet", next: [] });
  });

  // The switch was counted when it was made, by a hold before this one or by the loop.
  it.each(["migrating", "switching"] as const)(
    "a hold begins while the upgrade's block is still to be made (%s) → shown until the block is committed",
    (phase) => {
      const plan = { name: "v2", height: "10", info: "", origin: "chain" } as const;
      const { board, hooks, worker } = made(false, undefined, new Board(statusMachine.clock, { phase, plan }));
      hooks.onWorker(worker("v2", 8));
      expect(board.current).toMatchObject({ phase: "migrating", plan });
      hooks.onPlan(undefined);
      hooks.onCommitted(10n);
      expect(board.current).toMatchObject({ phase: "running", plan: null, upgrades: 0 });
    },
  );

  it("a hold begins, and the plan that was known is canceled meanwhile → none is shown", () => {
    const plan = { name: "v2", height: "10", info: "", origin: "chain" } as const;
    const { board, hooks, worker } = made(false, undefined, new Board(statusMachine.clock, { phase: "ready", plan }));
    hooks.onWorker(worker("genesis", 8));
    hooks.onPlan(undefined);
    expect(board.current).toMatchObject({ phase: "running", plan: null });
  });

  it("no plan is scheduled → the status says that the node's plan was read", () => {
    const { board, hooks } = made();
    expect(board.current.is_plan_read).toBeUndefined();
    hooks.onPlan(undefined);
    expect(board.current.is_plan_read).toBe(true);
  });

  it("the height comes while the program is tried → that ends before the program is asked at the height", async () => {
    const { hooks, staged } = made(false, "/bin/true");
    hooks.onPlan({ name: "v2", height: 10n, info: "" });
    hooks.onDue({ name: "v2", height: 10n, info: "" });
    await hooks.beforePreUpgrade();
    expect(staged).toEqual(["v2", "closed"]);
  });

  it("a program that was there at the height, and refused, is removed → it is fetched", async () => {
    const { hooks, staged } = made(true, "/bin/true");
    hooks.onDue({ name: "v2", height: 10n, info: "" });
    await hooks.beforePreUpgrade();
    hooks.onHold("/bin/true is not fetched yet", undefined);
    expect(staged).toEqual(["closed", "v2", "hurry"]);
  });

  it("the relay is to stop before the switch is made → nothing is counted, and the plan is still due", async () => {
    const { board, hooks } = made();
    const plan = { name: "v2", height: 10n, info: "" };
    hooks.onDue(plan);
    await expect(hooks.beforeUpgrade(plan, AbortSignal.abort())).rejects.toMatchObject({ exit: 0 });
    expect(board.current).toMatchObject({ phase: "halted", upgrades: 0, plan: { name: "v2" } });
  });

  it("a switch that is counted, whose worker ends before it serves → counted once", async () => {
    const { board, hooks } = made();
    const plan = { name: "v2", height: 10n, info: "" };
    for (const _ of [1, 2]) {
      hooks.onDue(plan);
      await hooks.beforeUpgrade(plan, signal);
    }
    expect(board.current.upgrades).toBe(1);
  });

  it("programs that are in no folder → the operator's script does not run", async () => {
    const { hooks } = made(false, undefined, undefined, { isStaged: false, customPreUpgrade: "no-such-script" });
    await hooks.beforeUpgrade({ name: "v2", height: 10n, info: "" }, signal);
  });

  it("a sidecar before this one has switched, and the block is still to be made → migrating with that plan until it is", () => {
    const plan = { name: "v2", height: 10n, info: "" };
    const { board, hooks, worker } = made(false, undefined, undefined, { underWay: plan });
    hooks.onWorker(worker("v2", 8));
    hooks.onLastBlock(9n);
    expect(board.current).toMatchObject({ phase: "migrating", plan: { name: "v2", height: "10" } });
    hooks.onCommitted(10n);
    expect(board.current).toMatchObject({ phase: "running", plan: null, upgrades: 0 });
  });

  it("after each look at the plan → the flags and settings that the application runs with are judged", () => {
    const { hooks, planned } = made();
    const plan = { name: "v2", height: 10n, info: "" };
    for (const each of [undefined, plan, plan]) hooks.onPlan(each);
    expect(planned).toEqual([undefined, "v2", "v2"]);
  });

  it("a worker that crashed is started again → starting until a block is committed, then as before", () => {
    const { board, hooks, worker } = made();
    const plan = { name: "v2", height: 10n, info: "" };
    hooks.onWorker(worker("genesis", 7));
    hooks.onPlan(plan);
    board.update({ phase: "ready", readiness: [{ what: "program", state: "ready", detail: "", next: null }] });
    hooks.onAgain();
    hooks.onWorker(worker("genesis", 8));
    expect(board.current.phase).toBe("starting");
    hooks.onLastBlock(8n);
    expect(board.current.phase).toBe("starting");
    hooks.onCommitted(9n);
    expect(board.current.phase).toBe("ready");
  });

  it("a worker that is started again while a plan is due → the phase is not taken for running", () => {
    const { board, hooks, worker } = made();
    hooks.onDue({ name: "v2", height: 10n, info: "" });
    hooks.onWorker(worker("genesis", 9));
    expect(board.current.phase).toBe("halted");
  });
});
