import { existsSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { listBackups } from "../../../../host/visor/backup/list.js";
import { verdictOf } from "../../../../host/visor/decide/readiness.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { hurried, planText, ScriptsHome } from "../scripts-home.js";

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
    expect(home.lines.at(-1)).toContain("is run by /no/such/interpreter, which this machine does not have");
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
    // Also where no crash is to be started again.
    expect(await home.run(["start"], { restartsMax: 0 })).toBe(0);
    expect(home.out).toBe("run\nrun\n");
  });

  test("exit 14 for a plan, and backups → one of before the upgrade; no room for it → the upgrade is not made", async () => {
    const home = new ScriptsHome();
    const again = `test -e ${home.file("once")} && exit 0; touch ${home.file("once")}`;
    home.write("data/state", "before");
    home.program(
      "genesis",
      `echo run >> $OUT\n${again}\n${halt(home, "UPG_HALT_RESTART", 6)}\nprintf after >> ${home.file("once")}\nexit 14`,
    );
    const phases: string[] = [];
    home.board.onChange(({ phase, plan }) => phases.push(`${phase} ${plan?.name}`));
    expect(await home.run(["start"], { restartsMax: 5, isBackupSkipped: false }), home.lines.join("\n")).toBe(0);
    // Nobody takes this for a node that serves, or that is ready.
    expect([...new Set(phases)].join(", ")).toContain("halted v2, backing up v2, migrating v2");
    expect(home.out).toBe("run\nrun\n");
    const [backup] = listBackups(realMachine.files, home.path);
    expect(backup?.manifest).toMatchObject({ plan: { name: "v2", height: "6" }, program: "genesis" });
    rmSync(home.file("once"));
    const full = { ...realMachine, files: { ...realMachine.files, freeBytes: () => 5 } };
    const settings = { isBackupSkipped: false, backupKind: "copy" as const, restartsMax: 5 };
    home.write("data/state", "another");
    expect(await home.run(["start"], settings, { machine: full })).toBe(1);
    expect(home.out).toBe("run\nrun\nrun\n");
    expect(home.lines.at(-1)).toContain("error while taking data backup: a backup takes");
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

  test("exit 2 with the error that it kept, and no database → stopped at once; the error is in message and record, next is init", async () => {
    const home = new ScriptsHome();
    const error = (exit: number) =>
      JSON.stringify({ v: 1, exit, code: "UPG_INVALID_CONFIG", message: "genesis.json is missing: make a home." });
    home.program("genesis", `echo run >> $OUT; printf '%s' '${error(2)}' > $CHAINVISOR_APP_FAILURE; exit 2`);
    expect(await home.run(["start"], { restartsMax: 5 })).toBe(2);
    expect(home.out).toBe("run\n");
    const message =
      "exit status 2: genesis.json is missing: make a home [UPG_INVALID_CONFIG]: this machine's settings, files, programs or disk need a change";
    const next = [`${home.file("cosmovisor/genesis/bin/dummyd")} init NAME --home ${home.path}`, expect.any(String)];
    expect(home.board.current).toMatchObject({ phase: "failed", message, next });
    expect(JSON.parse(home.read("cosmovisor/failure.json"))).toMatchObject({ exit: 2, message, next });
    // Of a run before, with another exit status: a crash, which is started again.
    home.program("genesis", `echo run >> $OUT; printf '%s' '${error(3)}' > $CHAINVISOR_APP_FAILURE; exit 2`);
    expect(await home.run(["start"], { restartsMax: 1 }, { machine: hurried([]) })).toBe(1);
    expect(home.out).toBe("run\n".repeat(3));
  });

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

  test("a refusal for a local cause and `retry` → started again, later each time", async () => {
    const home = new ScriptsHome();
    const slept: number[] = [];
    home.write("data/chain.mdb", "");
    home.program("genesis", "echo run >> $OUT; test $(wc -l < $OUT) -gt 3 && exit 0; exit 30");
    const machine = hurried(slept);
    expect(await home.run(["start"], { onRefusal: "retry" }, { machine })).toBe(0);
    expect([home.out, slept]).toEqual(["run\n".repeat(4), [1_000, 2_000, 4_000]]);
    expect(home.lines.join("\n")).toContain("this machine's settings, files, programs or disk need a change");
  });

  test.each([
    ["a handler", "handlers/staged/v2.wasm"],
    ["the configuration", "config/app.toml"],
    ["a request to restart", "cosmovisor/restart.json"],
  ])("a refusal that follows from the state and `retry` → never in a loop; %s → once more", async (_, file) => {
    const home = new ScriptsHome();
    const looks: number[] = [];
    let waiting = home.board.current;
    home.write("data/chain.mdb", "");
    const record = halt(home, "UPG_HANDLER_TRAP", 6);
    home.program("genesis", `echo run >> $OUT; test $(wc -l < $OUT) -gt 1 && exit 0; ${record}; exit 21`);
    const { clock } = realMachine;
    const sleep: typeof clock.sleep = (millis, signal) => {
      if (millis >= 1_000 && looks.push(millis) === 50) {
        waiting = home.board.current;
        home.write(file, "another");
      }
      return clock.sleep(millis >= 1_000 ? 1 : millis, signal);
    };
    const machine = { ...realMachine, clock: { ...clock, sleep } };
    expect(await home.run(["start"], { onRefusal: "retry" }, { machine }), home.lines.join("\n")).toBe(0);
    expect([home.out, looks.length]).toEqual(["run\nrun\n", 50]);
    expect(waiting).toMatchObject({ phase: "halted", next: ["chaind start"], program: { pid: null } });
    expect(verdictOf(waiting)).toBe("not ready");
    expect(home.lines.join("\n")).toMatch(/every node with this state and these files fails alike.*chainvisor restart/);
  });

  test("exit 21, and the record says that the machine failed the handler → started again, later each time; else not", async () => {
    for (const [code, runs, exit] of [
      ["UPG_HANDLER_ENGINE", 4, 21],
      ["UPG_HANDLER_TRAP", 1, 21],
      ["UPG_HANDLER_HASH", 1, 21],
    ] as const) {
      const home = new ScriptsHome();
      const slept: number[] = [];
      home.write("data/chain.mdb", "");
      home.program("genesis", `echo run >> $OUT; ${halt(home, code, 6)}; exit ${exit}`);
      expect(await home.run(["start"], { restartsMax: 3 }, { machine: hurried(slept) }), code).toBe(exit);
      expect([home.out, slept], code).toEqual(["run\n".repeat(runs), [1_000, 2_000, 4_000].slice(0, runs - 1)]);
    }
  });

  test("exit 70 → not started again; the log says where to report it, and with what", async () => {
    const home = new ScriptsHome();
    home.write("data/chain.mdb", "");
    home.program("genesis", `echo run >> $OUT; ${halt(home, "UPG_BUG_ASSERT", 6)}; exit 70`);
    expect(await home.run(["start"], { restartsMax: 3 })).toBe(70);
    expect(home.out).toBe("run\n");
    expect(home.lines.join("\n")).toMatch(/a defect of the program.*report it where you got/);
    expect(home.lines.join("\n")).toContain(`\`dummyd rescue --home ${home.path}\` writes`);
  });

  test("a failure and CHAINVISOR_HOLD → it stays, and names `chainvisor restart`, which starts the application again", async () => {
    const home = new ScriptsHome();
    home.write("data/chain.mdb", "");
    home.program("genesis", `echo run >> $OUT; test $(wc -l < $OUT) -gt 1 && exit 0; exit 70`);
    const ended = home.run(["start"], { isHeldOnFailure: true });
    await home.says("CHAINVISOR_HOLD");
    const restart = `chainvisor --home ${home.path} --name dummyd restart`;
    expect(home.board.current).toMatchObject({ phase: "failed", next: [restart] });
    home.write("cosmovisor/restart.json", "{}");
    expect(await ended).toBe(0);
    expect([home.out, home.board.current]).toMatchObject(["run\nrun\n", { phase: "stopped", message: "", next: [] }]);
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

    test("exit 20 of a plan by a handler, at the agreed height → the same program, with the flag; nothing is linked", async () => {
      const home = new ScriptsHome();
      home.write("data/chain.mdb", "");
      const flag = "--unsafe-skip-upgrades=6";
      home.program(
        "genesis",
        `echo "$@" >> $OUT; test "$2" = ${flag} && exit 0; ${halt(home, "UPG_MIGRATION_FAILED", 6)}; exit 20`,
      );
      expect(await home.run(["start"], { onRefusal: "return", returnHeight: 6n }), home.lines.join("\n")).toBe(0);
      expect([home.out, home.current]).toEqual([`start\nstart ${flag}\n`, "genesis"]);
      expect(JSON.parse(home.read("cosmovisor/returned.json"))).toEqual({ v: 1, heights: ["6"] });
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
