/** Nothing is left running: the application at a signal, that of a sidecar that was killed, and what either has started. */

import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MARK } from "../../../../host/visor/decide/child-env.js";
import type { Machine } from "../../../../host/visor/decide/machine.js";
import { type Signalled, Signals } from "../../../../host/visor/decide/signals.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { hurried, planText, ScriptsHome, walOf } from "../scripts-home.js";

const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");

describe("signals", () => {
  test.each(["SIGTERM", "SIGINT", "SIGQUIT"] as const)(
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

  test("SIGHUP → only passed on; what it stops is started again, and the upgrade is made", async () => {
    const home = new ScriptsHome();
    // Before its turn it may be asked more than pre-upgrade.
    home.program("upgrades/chain2", 'test "$1" = start || exit 1\necho Chain 2 >> $OUT');
    home.program(
      "genesis",
      `trap 'echo hup >> $OUT; exit 0' HUP\ngrep -q hup $OUT 2>/dev/null && { printf '${planText("chain2", 49)}' > ${home.planFile}; exit 1; }\necho up >> $OUT\nwhile :; do sleep 0.02; done`,
    );
    // An emitter takes any event; its type does not know the names of signals.
    const process = new EventEmitter() as unknown as Signalled & EventEmitter;
    const signals = new Signals(Object.assign(process, { stdin: { isTTY: false } }));
    const others = { signal: signals.signal, onSignal: signals.onLater.bind(signals) };
    const run = home.run(["start"], {}, others);
    while (!home.out.includes("up")) await realMachine.clock.sleep(5);
    process.emit("SIGHUP", "SIGHUP");
    expect(await run, home.lines.join("\n")).toBe(0);
    expect([home.out, signals.signal.aborted]).toEqual(["up\nhup\nChain 2\n", false]);
    process.emit("SIGTERM", "SIGTERM");
    expect(signals.signal.reason).toBe("SIGTERM");
  });

  test("SIGTERM, and the application exits with 1 → 1: it did not stop as it was asked to", async () => {
    const home = new ScriptsHome();
    home.program("genesis", "trap 'exit 1' TERM\necho up >> $OUT\nwhile :; do sleep 0.02; done");
    const run = home.run([]);
    while (!home.out.includes("up")) await realMachine.clock.sleep(5);
    home.stop.abort("SIGTERM");
    expect(await run).toBe(1);
  });

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

  test("its home was named by a link → its application is found as well", async () => {
    const home = new ScriptsHome();
    const link = `${home.path}-link`;
    symlinkSync(home.path, link);
    const app = left(home, `${link}/cosmovisor`);
    while (!home.out.includes("started")) await realMachine.clock.sleep(5);
    home.program("upgrades/next", "echo next >> $OUT");
    symlinkSync("upgrades/next", home.file("cosmovisor", "current"));
    expect(await home.run([], { shutdownGrace: 5_000 }), home.lines.join("\n")).toBe(0);
    expect(home.lines[0]).toContain(`process ${app.pid} is the application of a sidecar that was killed`);
    rmSync(link);
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
      expect(home.lines.join("\n")).toContain(`process ${pid} was started by the application, or before the switch`);
    },
  );

  test("what pre-upgrade has left is ended before the next program runs", async () => {
    const home = new ScriptsHome();
    home.program("genesis", `printf '%s' '${planText("chain2", 49)}' > ${home.planFile}; exit 1`);
    const leave = `${node(home)} & while ! test -s ${home.file("pid")}; do sleep 0.01; done; exit 0`;
    home.program("upgrades/chain2", `if test "$1" = pre-upgrade; then ${leave}; fi\n${beside(home)}\necho up >> $OUT`);
    expect(await home.run(["start"]), home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("up\n");
    expect(isAlive(await runs(home))).toBe(false);
  });

  test("SIGTERM while pre-upgrade runs → 0, the link is the old one, what it has started is ended", async () => {
    const home = new ScriptsHome();
    home.program("genesis", `printf '%s' '${planText("chain2", 49)}' > ${home.planFile}; exit 1`);
    home.program("upgrades/chain2", `test "$1" = pre-upgrade || exit 3\n${node(home)}\nexit $?`);
    const run = home.run(["start"]);
    const pid = await runs(home);
    home.stop.abort("SIGTERM");
    expect(await run, home.lines.join("\n")).toBe(0);
    expect([isAlive(pid), home.current]).toEqual([false, "genesis"]);
    expect(home.lines.join("\n")).toContain("stopped by a signal before the switch was made");
  });

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

describe("a question to the application", () => {
  test("its `status` does not end, SIGTERM → 0, and that process is ended too", async () => {
    const home = new ScriptsHome();
    home.write("data/upgrade-info.json", planText("chain2", 49));
    home.program(
      "genesis",
      `test "$1" = status && { echo $$ > ${home.file("asked")}; exec sleep 60; }\ntrap 'exit 0' TERM; while :; do sleep 0.02; done`,
    );
    let signal: AbortSignal | undefined;
    const processes: Machine["processes"] = {
      ...realMachine.processes,
      run: (file, options) => {
        signal = options.signal;
        return realMachine.processes.run(file, options);
      },
    };
    const run = home.run([], {}, { machine: { ...realMachine, processes } });
    while (!existsSync(home.file("asked")) || home.read("asked") === "") await realMachine.clock.sleep(5);
    home.stop.abort("SIGTERM");
    expect(await run).toBe(0);
    // What ends it does not wait for the limit of its time, which ends with the sidecar.
    expect(signal?.aborted).toBe(true);
    const asked = Number(home.read("asked"));
    while (isAlive(asked)) await realMachine.clock.sleep(5);
  });
});
