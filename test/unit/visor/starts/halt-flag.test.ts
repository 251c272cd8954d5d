/** `--halt-height` of an operator's plan: when the sidecar gives it, and what it makes of an application that ends for it. */
import { describe, expect, test } from "vitest";
import { requestRestart } from "../../../../host/visor/decide/restart-request.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { HaltFlag } from "../../../../host/visor/run/starts/halt-flag.js";
import { ScriptsHome, walOf } from "../scripts-home.js";

const NEXT = { name: "op", height: 49n, info: "" };

interface Given {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly appToml?: string;
  readonly isHaltedAtHeight?: boolean;
}

function flagOf({ args = ["start", "--x"], env = {}, appToml, isHaltedAtHeight = true }: Given) {
  const home = new ScriptsHome();
  if (appToml !== undefined) home.write("config/app.toml", appToml);
  const log = (level: string, line: string) => void home.lines.push(`${level} ${line}`);
  const settings = home.settings({ isHaltedAtHeight });
  const flag = new HaltFlag({ args, env, log, machine: realMachine, settings, board: home.board });
  return { flag, args, home };
}

describe("HaltFlag", () => {
  test.each<readonly [string, Given, boolean]>([
    ["start", {}, true],
    ["another command", { args: ["version"] }, false],
    ["no arguments", { args: [] }, false],
    ["a flag of the operator's", { args: ["start", "--halt-height", "100"] }, false],
    ["the same in one word", { args: ["start", "--halt-height=100"] }, false],
    ["CHAINVISOR_HALT_AT_HEIGHT=false", { isHaltedAtHeight: false }, false],
    ["an earlier height in the environment", { env: { DUMMYD_HALT_HEIGHT: "48" } }, false],
    ["a later height in the environment", { env: { DUMMYD_HALT_HEIGHT: "50" } }, true],
    ["an earlier height in app.toml", { appToml: "a = 1\nhalt-height = 48\n[api]\nhalt-height = 0\n" }, false],
    ["the same as text", { appToml: 'halt-height = "48"' }, false],
    ["none in app.toml", { appToml: "halt-height = 0\n[api]\nhalt-height = 3\n" }, true],
  ])("%s → %#", (_, given, isGiven) => {
    const { flag, args } = flagOf(given);
    const [command = "", ...rest] = args;
    expect(flag.begin(args, NEXT)).toEqual(isGiven ? [command, "--halt-height", "49", ...rest] : args);
    expect(flag.begin(args, undefined)).toEqual(args);
  });

  test("flags of the whole program before the command → the flag comes after the command", () => {
    const { flag, args } = flagOf({ args: ["--log_level", "info", "start", "--x"] });
    expect(flag.begin(args, NEXT)).toEqual(["--log_level", "info", "start", "--halt-height", "49", "--x"]);
  });

  test("a plan that is queued or taken back while it runs → said once, with what to do", () => {
    const { flag, args, home } = flagOf({});
    flag.begin(args, undefined);
    flag.look(undefined);
    expect(home.lines).toEqual([]);
    for (let look = 0; look < 3; look++) flag.look(NEXT);
    expect(home.board.current.readiness).toMatchObject([
      { what: "halt-height", state: "missing", next: expect.stringMatching(/ restart$/) },
    ]);
    expect(home.lines).toEqual([
      expect.stringMatching(/^warn "op" was queued .* Before height 49: chainvisor .* restart$/),
    ]);
    flag.begin(args, NEXT);
    flag.look(NEXT);
    expect(home.board.current.readiness).toEqual([]);
    expect(home.lines).toHaveLength(1);
    flag.look({ ...NEXT, name: "early", height: 20n });
    expect(home.lines.at(-1)).toContain(
      '"early" was queued for height 20 after the application was started with --halt-height 49',
    );
    for (let look = 0; look < 3; look++) flag.look(undefined);
    expect(home.lines).toHaveLength(3);
    expect(home.lines.at(-1)).toContain("no plan is queued any more");
  });

  test("a plan whose height the application skips → not ready; another height, or no plan → nothing", () => {
    const { flag, home } = flagOf({});
    flag.begin(["start", "--unsafe-skip-upgrades", "49"], undefined);
    flag.look(undefined, NEXT);
    expect(home.board.current.readiness).toMatchObject([
      { what: "skip", state: "wrong", detail: expect.stringContaining("--unsafe-skip-upgrades 49") },
    ]);
    flag.look(undefined, { ...NEXT, height: 50n });
    expect(home.board.current.readiness).toEqual([]);
    flag.look(undefined, NEXT);
    flag.look(undefined, undefined);
    expect(home.board.current.readiness).toEqual([]);
  });
});

describe("app.toml is changed while the application runs", () => {
  const BEFORE = "halt-height = 150\nmax-blocks = 0\n[api]\nhalt-height = 3\n";
  const rowsAfter = (appToml: string, plan: typeof NEXT | undefined = NEXT) => {
    const { flag, args, home } = flagOf({ appToml: BEFORE });
    flag.begin(args, undefined);
    home.write("config/app.toml", appToml);
    flag.look(undefined, plan);
    return { flag, args, home };
  };

  test.each([
    ["halt-height is removed", "[api]\n"],
    ["another halt-height", "halt-height = 160\n"],
    ["max-blocks", `max-blocks = 7\nhalt-height = 150\n`],
    ["heights to skip", `halt-height = 150\nunsafe-skip-upgrades = [40,\n 50]\n`],
    ["a folder of handlers", `halt-height = 150\nhandlers-staged = "/h"\n`],
  ])("%s → not ready, until the application is started again", (_, appToml) => {
    const { flag, args, home } = rowsAfter(appToml);
    flag.look(undefined, NEXT);
    expect(home.board.current.readiness).toEqual([
      {
        ...{ what: "settings", state: "missing", next: expect.stringMatching(/^chainvisor .*restart$/) },
        detail: expect.stringContaining("app.toml has changed since the application was started"),
      },
    ]);
    flag.begin(args, undefined);
    flag.look(undefined, NEXT);
    expect(home.board.current.readiness).toEqual([]);
  });

  test.each([
    ["another table", "halt-height = 150\n[api]\nhalt-height = 9\n"],
    ["another setting, and a comment", 'pruning = "nothing"\nhalt-height = "150" # the old one\n'],
    ["a file that is no TOML", "halt-height = = 1\n"],
  ])("%s → no row", (_, appToml) => {
    expect(rowsAfter(appToml).home.board.current.readiness).toEqual([]);
  });

  test("changed back, or no plan is left → the row goes", () => {
    const { flag, home } = rowsAfter("");
    expect(home.board.current.readiness).toHaveLength(1);
    home.write("config/app.toml", BEFORE);
    flag.look(undefined, NEXT);
    expect(home.board.current.readiness).toEqual([]);
    home.write("config/app.toml", "");
    flag.look(undefined, NEXT);
    expect(home.board.current.readiness).toHaveLength(1);
    flag.look(undefined, undefined);
    expect(home.board.current.readiness).toEqual([]);
  });
});

describe("runVisor() a plan of the operator's own", () => {
  const queue = (home: ScriptsHome, ...heights: readonly number[]) => {
    const plans = heights.map((height) => ({ name: `v${height}`, height: String(height), info: "" }));
    home.write("cosmovisor/queue.json", JSON.stringify({ v: 1, plans }));
  };
  /** CometBFT's log has a block before the application runs it; as one of the Cosmos SDK, it stays when it has refused it. */
  const sdk = (home: ScriptsHome) => {
    home.write("wal", walOf(47n, 48n, 49n));
    home.program(
      "genesis",
      `test "$1" = status && exit 1\necho Genesis "$@" >> $OUT\nsleep 0.1\ncp ${home.file("wal")} ${home.file("data/cs.wal/wal")}\nwhile :; do sleep 0.02; done`,
    );
    home.write("data/cs.wal/wal", walOf(47n, 48n));
  };

  test("an application of the Cosmos SDK → it has --halt-height; its block in CometBFT's log → the switch, and the next plan's flag", async () => {
    const home = new ScriptsHome();
    sdk(home);
    home.program("upgrades/v49", 'test "$1" = pre-upgrade && exit 1\necho V49 "$@" >> $OUT');
    queue(home, 49, 60);
    expect(await home.run(["start", "--x"]), home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("Genesis start --halt-height 49 --x\nV49 start --halt-height 60 --x\n");
    expect(home.current).toBe("upgrades/v49");
  });

  test("queued while it runs → the log says that it has no flag; the switch is made as soon as the height is known", async () => {
    const home = new ScriptsHome();
    home.write("data/cs.wal/wal", walOf(48n));
    home.program("genesis", `test "$1" = status && exit 1\necho Genesis "$@" >> $OUT\nwhile :; do sleep 0.02; done`);
    home.program("upgrades/v49", 'test "$1" = pre-upgrade && exit 1\necho V49 "$@" >> $OUT');
    const run = home.run(["start"]);
    while (home.out === "") await realMachine.clock.sleep(5);
    queue(home, 49);
    await home.says("Before height 49: chainvisor");
    home.write("data/cs.wal/wal", walOf(48n, 49n));
    expect(await run, home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("Genesis start\nV49 start\n");
  });

  test("queued while it runs, and a restart is asked for → it is ended gently, once, and has the flag", async () => {
    const home = new ScriptsHome();
    home.write("data/cs.wal/wal", walOf(47n));
    home.program(
      "genesis",
      'test "$1" = status && exit 1\ntrap "echo SIGTERM >> $OUT; exit 0" TERM\necho Genesis "$@" >> $OUT\nwhile :; do sleep 0.02; done',
    );
    const run = home.run(["start"]);
    while (home.out === "") await realMachine.clock.sleep(5);
    queue(home, 49);
    await home.says("Before height 49: chainvisor");
    expect(home.board.current.readiness).toContainEqual(
      expect.objectContaining({ what: "halt-height", state: "missing" }),
    );
    requestRestart(realMachine.files, home.file("cosmovisor/restart.json"));
    while (!home.out.includes("--halt-height")) await realMachine.clock.sleep(5);
    await realMachine.clock.sleep(100);
    expect(home.out).toBe("Genesis start\nSIGTERM\nGenesis start --halt-height 49\n");
    expect(home.board.current.readiness.filter(({ what }) => what === "halt-height")).toEqual([]);
    home.stop.abort("SIGTERM");
    expect(await run).toBe(0);
  });

  /** As ours does it. */
  const ours = (home: ScriptsHome, more = "") => {
    const record = { v: 1, code: "UPG_HALT_HEIGHT", message: "halt", next: "", commands: [], height: "49" };
    home.write("halt", JSON.stringify({ ...record, last_committed_height: "48", plan: null }));
    home.write("data/chain.mdb", "");
    home.program(
      "genesis",
      `test "$1" = status && exit 1\necho Genesis "$@" >> $OUT\n${more}\ntest "$2" = --halt-height || exit 0\ncp ${home.file("halt")} ${home.file("data/halt.json")}\nexit 13`,
    );
  };

  test("one of ours ends with 13 at the height that it was given → the switch, not the end", async () => {
    const home = new ScriptsHome();
    ours(home);
    home.program("upgrades/v49", 'test "$1" = pre-upgrade && exit 0\necho V49 "$@" >> $OUT');
    queue(home, 49);
    const storeHeight = async () => 48n;
    expect(await home.run(["start"], {}, { storeHeight }), home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("Genesis start --halt-height 49\nV49 start\n");
    expect(JSON.parse(home.read("cosmovisor/queue.json"))).toEqual({ v: 1, plans: [] });
  });

  test("the sidecar died between the end and the switch → the next one switches before a start", async () => {
    const home = new ScriptsHome();
    ours(home);
    home.write("data/halt.json", home.read("halt"));
    home.program("upgrades/v49", 'test "$1" = pre-upgrade && exit 0\necho V49 "$@" >> $OUT');
    queue(home, 49);
    expect(await home.run(["start"], {}, { storeHeight: async () => 48n }), home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("V49 start\n");
  });

  test("the plan is taken back while it runs → it stops there, and is started again without the flag", async () => {
    const home = new ScriptsHome();
    ours(home, `echo '{"v":1,"plans":[]}' > ${home.file("cosmovisor/queue.json")}`);
    queue(home, 49);
    const run = home.run(["start"], { restartsMax: 2 }, { storeHeight: async () => 48n });
    expect(await run, home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("Genesis start --halt-height 49\nGenesis start\n");
  });

  test("a height of the operator's own that is no plan's → the end, with 13", async () => {
    const home = new ScriptsHome();
    ours(home);
    expect(await home.run(["start", "--halt-height", "49"], {}, { storeHeight: async () => 48n })).toBe(13);
  });

  test("the queue cannot be read after it was → its plans still count", async () => {
    const home = new ScriptsHome();
    ours(home, `echo '{"v":' > ${home.file("cosmovisor/queue.json")}`);
    home.program("upgrades/v49", 'test "$1" = pre-upgrade && exit 0\necho V49 "$@" >> $OUT');
    queue(home, 49);
    expect(await home.run(["start"], {}, { storeHeight: async () => 48n }), home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("Genesis start --halt-height 49\nV49 start\n");
  });
});
