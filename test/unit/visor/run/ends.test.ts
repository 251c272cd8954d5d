/** Ends of the application: crashes, signals, refusals, and a sidecar that was killed. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Machine } from "../../../../host/sidecar/machine.js";
import { realMachine } from "../../../../host/visor/real-machine.js";
import { MARK } from "../../../../host/visor/run/child-env.js";
import { CrashLoop } from "../../../../host/visor/run/crash-loop.js";
import { planText, ScriptsHome, walOf } from "../scripts-home.js";

/** Its sleeps pass at once, but those of a poll, and are kept. */
function hurried(slept: number[]): Machine {
  const sleep: Machine["clock"]["sleep"] = (millis, signal) => {
    if (millis >= 1_000) slept.push(millis);
    return realMachine.clock.sleep(millis >= 1_000 ? 1 : millis, signal);
  };
  return { ...realMachine, clock: { ...realMachine.clock, sleep } };
}

const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");

describe("CrashLoop", () => {
  test("each restart waits twice as long, up to a minute; too many within the window → none; later → again", () => {
    const loop = new CrashLoop({ restartsMax: 8, restartWindow: 600_000 });
    expect(Array.from({ length: 9 }, () => loop.next(5))).toEqual([
      ...[1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000],
      undefined,
    ]);
    expect(loop.next(600_005)).toBe(1_000);
    expect(new CrashLoop({ restartsMax: 0, restartWindow: 1 }).next(0)).toBeUndefined();
  });
});

describe("an application that ends by itself", () => {
  test("with 0 → the sidecar ends with 0; a crash and no restarts → 1, with the status in words", async () => {
    const home = new ScriptsHome();
    home.program("genesis", "exit $(( $1 + 0 ))");
    expect(await home.run([])).toBe(0);
    expect(home.board.current.phase).toBe("stopped");
    expect(await home.run(["7"])).toBe(1);
    expect(home.lines.at(-1)).toBe("error the application has ended: exit status 7");
    expect(home.board.current).toMatchObject({ phase: "failed", message: "the application has ended: exit status 7" });
  });

  test("crashes → started again, later each time, then it stops", async () => {
    const home = new ScriptsHome();
    const slept: number[] = [];
    home.program("genesis", "echo run >> $OUT; exit 2");
    expect(await home.run([], { restartsMax: 3 }, { machine: hurried(slept) })).toBe(1);
    expect(home.out).toBe("run\n".repeat(4));
    expect(slept).toEqual([1_000, 2_000, 4_000]);
    expect(home.lines.at(-1)).toContain("after 3 restarts in 600 s: exit status 2");
    expect(home.board.current.restarts).toBe(3);
  });

  test("a signal's end is a crash; a program that cannot be run → 1, at once", async () => {
    const home = new ScriptsHome();
    home.program("genesis", "kill -9 $$");
    expect(await home.run([])).toBe(1);
    expect(home.lines.at(-1)).toContain("signal SIGKILL");
    home.write("cosmovisor/genesis/bin/dummyd", "#!/no/such/interpreter\n", 0o755);
    expect(await home.run([], { restartsMax: 5 })).toBe(1);
    expect(home.lines.at(-1)).toContain("ENOENT");
  });

  test("no program at all → 1, with Cosmovisor's words", async () => {
    const home = new ScriptsHome();
    expect(await home.run([])).toBe(1);
    expect(home.lines.at(-1)).toMatch(/^error current binary is invalid: .*dummyd is missing/);
  });
});

describe("ends of this project's programs", () => {
  const halt = (home: ScriptsHome, code: string, height: number, plan = "v2") => {
    const record = {
      v: 1,
      code,
      message: "it halts",
      next: "start it",
      commands: ["chaind start"],
      height: `${height}`,
    };
    const text = {
      ...record,
      last_committed_height: `${height - 1}`,
      plan: { name: plan, height: `${height}`, info: "" },
    };
    return `printf '%s' '${JSON.stringify(text)}' > ${home.file("data", "halt.json")}`;
  };

  test("exit 10 with its record, and no plan's file → the switch is made", async () => {
    const home = new ScriptsHome();
    home.program("genesis", `${halt(home, "UPG_HALT_UPGRADE_NEEDED", 6)}\nexit 10`);
    home.program("upgrades/v2", `test "$1" = pre-upgrade && exit 1\necho v2 >> $OUT`);
    expect(await home.run(["start"]), home.lines.join("\n")).toBe(0);
    expect([home.out, home.current]).toEqual(["v2\n", "upgrades/v2"]);
    expect(JSON.parse(home.read("cosmovisor/current/upgrade-info.json"))).toMatchObject({ name: "v2", height: 6 });
  });

  test("exit 10 and no program of the plan → it ends with Cosmovisor's words, the link is the old one", async () => {
    const home = new ScriptsHome();
    home.program("genesis", `${halt(home, "UPG_HALT_UPGRADE_NEEDED", 6)}\nexit 10`);
    expect(await home.run(["start"])).toBe(1);
    expect(home.lines.at(-1)).toContain("binary not present, downloading disabled");
    expect(home.current).toBe("genesis");
  });

  test("exit 14 → the same program again, at once", async () => {
    const home = new ScriptsHome();
    const again = `test -e ${home.file("once")} && exit 0; touch ${home.file("once")}`;
    home.program("genesis", `echo run >> $OUT\n${again}\n${halt(home, "UPG_HALT_RESTART", 6)}\nexit 14`);
    expect(await home.run(["start"], { restartsMax: 5 })).toBe(0);
    expect(home.out).toBe("run\nrun\n");
  });

  test.each([2, 11, 12, 21, 30, 70])(
    "exit %d → it is not started again, and the sidecar ends with it",
    async (status) => {
      const home = new ScriptsHome();
      home.write("data/chain.mdb", "");
      home.program("genesis", `echo run >> $OUT; ${halt(home, "UPG_HANDLER_HASH", 6)}; exit ${status}`);
      expect(await home.run(["start"], { restartsMax: 5 })).toBe(status);
      expect(home.out).toBe("run\n");
      expect(home.board.current).toMatchObject({ phase: "failed", next: ["chaind start"] });
      expect(home.lines.join("\n")).toContain("it halts [UPG_HANDLER_HASH]. start it");
    },
  );

  test("exit 12, and the program of the plan is there → it goes forward", async () => {
    const home = new ScriptsHome();
    home.write("data/upgrade-info.json", planText("v2", 6));
    const storeHeight = async () => 9n;
    home.program("genesis", `${halt(home, "UPG_HALT_HANDLER_MISSING", 10, "v2")}; exit 12`);
    home.program("upgrades/v2", `test "$1" = pre-upgrade && exit 1\necho v2 >> $OUT`);
    home.write("data/chain.mdb", "");
    expect(await home.run(["start"], {}, { storeHeight }), home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("v2\n");
  });

  test("a refusal and `retry` → the new program is asked again, later each time", async () => {
    const home = new ScriptsHome();
    const slept: number[] = [];
    home.write("data/chain.mdb", "");
    home.program("genesis", "echo run >> $OUT; test $(wc -l < $OUT) -gt 3 && exit 0; exit 20");
    const machine = hurried(slept);
    expect(await home.run(["start"], { onRefusal: "retry" }, { machine })).toBe(0);
    expect([home.out, slept]).toEqual(["run\n".repeat(4), [1_000, 2_000, 4_000]]);
  });

  describe("a refusal and `return`", () => {
    const refusing = (status: number) => {
      const home = new ScriptsHome();
      home.program(
        "genesis",
        `test "$2" = --unsafe-skip-upgrades=6 && { echo old "$@" >> $OUT; exit 0; }\n${halt(home, "UPG_HALT_UPGRADE_NEEDED", 6)}\nexit 10`,
      );
      home.program(
        "upgrades/v2",
        `test "$1" = pre-upgrade && exit 0\necho new >> $OUT\n${halt(home, "UPG_MIGRATION_FAILED", 6)}\nexit ${status}`,
      );
      return home;
    };

    test("exit 20 at the agreed height → the old program, with the flag at every start from then on", async () => {
      const home = refusing(20);
      expect(await home.run(["start"], { onRefusal: "return", returnHeight: 6n }), home.lines.join("\n")).toBe(0);
      expect(home.out).toBe("new\nold start --unsafe-skip-upgrades=6\n");
      expect(home.current).toBe("genesis");
      expect(JSON.parse(home.read("cosmovisor/returned.json"))).toEqual({ v: 1, heights: ["6"] });
      // Another sidecar, later: the plan is no reason any more.
      home.write("data/upgrade-info.json", planText("v2", 6));
      expect(await home.run(["start"])).toBe(0);
      expect(home.out).toBe("new\nold start --unsafe-skip-upgrades=6\nold start --unsafe-skip-upgrades=6\n");
    });

    test.each([
      [21, 6n],
      [30, 6n],
      [20, 7n],
      [20, undefined],
    ])("exit %d, agreed height %s → no return", async (status, returnHeight) => {
      const home = refusing(status);
      expect(await home.run(["start"], { onRefusal: "return", returnHeight })).toBe(status);
      expect([home.out, home.current]).toEqual(["new\n", "upgrades/v2"]);
      expect(existsSync(home.file("cosmovisor", "returned.json"))).toBe(false);
    });
  });
});

describe("signals", () => {
  test.each(["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const)(
    "%s → the application gets it and is waited for; 0",
    async (signal) => {
      const home = new ScriptsHome();
      const name = signal.slice(3);
      home.program(
        "genesis",
        `trap 'sleep 0.1; echo got ${name} >> $OUT; exit 143' ${name}\necho up >> $OUT\nwhile :; do sleep 0.02; done`,
      );
      const run = home.run([]);
      while (!home.out.includes("up")) await realMachine.clock.sleep(5);
      home.stop.abort(signal);
      expect(await run).toBe(0);
      expect(home.out).toBe(`up\ngot ${name}\n`);
    },
  );

  test("SIGTERM after an upgrade → 0, and nothing is left running", async () => {
    const home = new ScriptsHome();
    home.program("genesis", `printf '${planText("chain2", 49)}' > ${home.planFile}; exit 1`);
    home.program("upgrades/chain2", 'test "$1" = pre-upgrade && exit 1\necho up >> $OUT; while :; do sleep 0.02; done');
    const run = home.run([]);
    while (!home.out.includes("up")) await realMachine.clock.sleep(5);
    const pid = home.board.current.program?.pid as number;
    home.stop.abort("SIGTERM");
    expect(await run).toBe(0);
    expect([pid > 0, isAlive(pid)]).toEqual([true, false]);
  });

  test("an application that does not end, and a grace → it is killed after it; a later signal is passed on too", async () => {
    const home = new ScriptsHome();
    home.program("genesis", "trap '' TERM\necho up >> $OUT\nwhile :; do sleep 0.02; done");
    const run = home.run([], { shutdownGrace: 200 });
    while (!home.out.includes("up")) await realMachine.clock.sleep(5);
    home.stop.abort("SIGTERM");
    expect(await run).toBe(0);
    const other = new ScriptsHome();
    other.program("genesis", "trap '' TERM\necho up >> $OUT\nwhile :; do sleep 0.02; done");
    let pass: (signal: NodeJS.Signals) => void = () => undefined;
    const onSignal = (listener: typeof pass) => {
      pass = listener;
      return () => undefined;
    };
    const second = other.run([], {}, { onSignal });
    while (!other.out.includes("up")) await realMachine.clock.sleep(5);
    other.stop.abort("SIGTERM");
    await other.says("is waited for");
    pass("SIGKILL");
    expect(await second).toBe(0);
  });

  test("between a crash and the next start → 0, without one", async () => {
    const home = new ScriptsHome();
    home.program("genesis", "echo run >> $OUT; exit 3");
    const run = home.run([], { restartsMax: 5 });
    await home.says("It is started again in 1 s");
    home.stop.abort("SIGTERM");
    expect(await run).toBe(0);
    expect(home.out).toBe("run\n");
  });
});

describe("a sidecar that was killed", () => {
  const left = (home: ScriptsHome, root = home.file("cosmovisor")) => {
    const file = home.program(
      "genesis",
      "echo started >> $OUT; trap 'echo ended >> $OUT; exit 0' INT TERM; while :; do sleep 0.02; done",
    );
    return spawn(file, [], { stdio: "ignore", env: { ...process.env, [MARK]: root } });
  };

  test("its application still runs → it is ended before another is started", async () => {
    const home = new ScriptsHome();
    const app = left(home);
    while (!home.out.includes("started")) await realMachine.clock.sleep(5);
    home.program("upgrades/next", "echo next >> $OUT");
    symlinkSync("upgrades/next", home.file("cosmovisor", "current"));
    expect(await home.run([], { shutdownGrace: 5_000 }), home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("started\nended\nnext\n");
    expect(home.lines[0]).toContain(`process ${app.pid} is the application of a sidecar that was killed`);
  });

  test("one that another home's sidecar has left → it goes on", async () => {
    const home = new ScriptsHome();
    const app = left(home, "/another/cosmovisor");
    while (!home.out.includes("started")) await realMachine.clock.sleep(5);
    home.program("upgrades/next", "echo next >> $OUT");
    symlinkSync("upgrades/next", home.file("cosmovisor", "current"));
    expect(await home.run([])).toBe(0);
    expect(isAlive(app.pid as number)).toBe(true);
    app.kill("SIGKILL");
  });
});

describe("an application that is a script without exec", () => {
  /** It goes on when the script is ended, as a node does that is none's process group. */
  const node = (home: ScriptsHome) =>
    home.write(
      "node.sh",
      `#!/bin/sh\necho $$ > ${home.file("pid")}\ntrap 'echo ended >> ${home.outFile}; exit 0' INT TERM\nwhile :; do sleep 0.02; done\n`,
      0o755,
    );
  const beside = (home: ScriptsHome) =>
    `grep -q ") [^Z]" /proc/$(cat ${home.file("pid")})/stat && echo TWO AT ONCE >> $OUT`;
  const runs = async (home: ScriptsHome) => {
    while (!existsSync(home.file("pid")) || home.read("pid") === "") await realMachine.clock.sleep(5);
    return Number(home.read("pid"));
  };

  test.each([0, 2_000])(
    "a switch with %d ms of grace → what the script has started is ended before the next program runs",
    async (shutdownGrace) => {
      const home = new ScriptsHome();
      home.program("genesis", `test "$1" = status && exit 1\n${node(home)}\nexit $?`);
      home.program("upgrades/chain2", `test "$1" = pre-upgrade && exit 1\n${beside(home)}\necho Chain 2 >> $OUT`);
      const run = home.run(["start"], { shutdownGrace });
      const pid = await runs(home);
      home.write("data/upgrade-info.json", planText("chain2", 49));
      home.write("data/cs.wal/wal", walOf(49n));
      expect(await run, home.lines.join("\n")).toBe(0);
      expect(home.out).toBe(shutdownGrace === 0 ? "Chain 2\n" : "ended\nChain 2\n");
      expect(isAlive(pid)).toBe(false);
      expect(home.lines.join("\n")).toContain(`process ${pid} was started by the application and goes on without it`);
    },
  );

  test("SIGTERM → it has the signal too, and is waited for", async () => {
    const home = new ScriptsHome();
    home.program("genesis", `${node(home)}\nexit $?`);
    const run = home.run(["start"]);
    const pid = await runs(home);
    home.stop.abort("SIGTERM");
    expect(await run).toBe(0);
    expect([home.out, isAlive(pid)]).toEqual(["ended\n", false]);
  });

  test("the script ends and leaves it → it is ended before the script is started again", async () => {
    const home = new ScriptsHome();
    home.program(
      "genesis",
      `${beside(home)}\n${node(home)} &\nwhile ! test -s ${home.file("pid")}; do sleep 0.01; done\nexit 1`,
    );
    expect(await home.run(["start"], { restartsMax: 1 }, { machine: hurried([]) })).toBe(1);
    expect(home.out).not.toContain("TWO");
    expect(isAlive(await runs(home))).toBe(false);
  });
});
