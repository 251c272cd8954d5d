/** The sidecar over programs that are scripts: Cosmovisor's process tests, and the rules that it has besides. */
import { readlinkSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { planText, ScriptsHome, walOf } from "../scripts-home.js";

/** `status --home` says which height the node has come to, as a chain's program does: Cosmovisor's tests leave that out. */
const status = (height: number) =>
  `if [ "$1" = status ]; then echo '{"sync_info":{"latest_block_height":"${height}"}}'; exit 0; fi`;

const genesis = (home: ScriptsHome, plan = "chain2") =>
  home.program(
    "genesis",
    [
      status(49),
      'echo Genesis "$@" >> $OUT',
      "sleep 0.1",
      `echo 'UPGRADE "${plan}" NEEDED at height: 49: {}' >> $OUT`,
      `printf '${planText(plan, 49)}' > "$4"`,
      "sleep 30",
      "echo Never should be printed!!! >> $OUT",
    ].join("\n"),
  );
const chain2 = (home: ScriptsHome, folder = "upgrades/chain2") =>
  home.program(
    folder,
    'test "$1" = pre-upgrade && exit 1\necho Chain 2 is live! >> $OUT\necho Args: "$@" >> $OUT\necho Finished successfully >> $OUT',
  );

const ARGS = (home: ScriptsHome) => ["foo", "bar", "1234", home.planFile];

describe("runVisor() over two scripts", () => {
  test("the plan's file is written and its height is reached → the old one is ended, the new one runs with the same arguments", async () => {
    const home = new ScriptsHome();
    genesis(home);
    chain2(home);
    const exit = await home.run(ARGS(home));
    expect(exit, home.lines.join("\n")).toBe(0);
    const args = ARGS(home).join(" ");
    expect(home.out).toBe(
      `Genesis ${args}\nUPGRADE "chain2" NEEDED at height: 49: {}\nChain 2 is live!\nArgs: ${args}\nFinished successfully\n`,
    );
    expect(home.current).toBe("upgrades/chain2");
    expect(readlinkSync(home.file("cosmovisor", "previous"))).toBe("genesis");
    expect(JSON.parse(home.read("cosmovisor/current/upgrade-info.json"))).toMatchObject({ name: "chain2", height: 49 });
    // A second run is one of the program that is current, and changes no link.
    expect(await home.run(["second", "run", "--verbose"])).toBe(0);
    expect(home.out.endsWith("Chain 2 is live!\nArgs: second run --verbose\nFinished successfully\n")).toBe(true);
    expect(home.current).toBe("upgrades/chain2");
  });

  test.each([
    [47n, "running"],
    [48n, "migrating"],
    [49n, "migrating"],
    [50n, "running"],
  ])(
    "a sidecar that starts after the switch to the plan of height 49, block %i is the last → begins in phase %s",
    async (last, phase) => {
      const home = new ScriptsHome();
      home.program("upgrades/chain2", "sleep 0.2");
      home.write("cosmovisor/upgrades/chain2/upgrade-info.json", planText("chain2", 49));
      symlinkSync("upgrades/chain2", home.file("cosmovisor", "current"));
      home.write("data/upgrade-info.json", planText("chain2", 49));
      home.write("data/cs.wal/wal", walOf(last));
      const phases: string[] = [];
      home.board.onChange(({ phase, plan }) => phases.push(`${phase} ${plan?.name}`));
      expect(await home.run(["start"]), home.lines.join("\n")).toBe(0);
      expect(phases.filter((each) => !each.startsWith("stopped"))).toContain(
        phase === "migrating" ? "migrating chain2" : "running undefined",
      );
      expect(phases.some((each) => each.startsWith("running"))).toBe(phase === "running");
    },
  );

  test("names are kept in their case → upgrades/Chain2; else upgrades/chain2", async () => {
    for (const [isCaseKept, folder] of [
      [true, "upgrades/Chain2"],
      [false, "upgrades/chain2"],
    ] as const) {
      const home = new ScriptsHome();
      genesis(home, "Chain2");
      chain2(home, folder);
      expect(await home.run(ARGS(home), { isCaseKept }), home.lines.join("\n")).toBe(0);
      expect(home.current).toBe(folder);
    }
  });

  test("a restart delay → the switch comes after it", async () => {
    const home = new ScriptsHome();
    genesis(home);
    chain2(home);
    const begin = performance.now();
    expect(await home.run(ARGS(home), { restartDelay: 600 })).toBe(0);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(700);
  });

  test("a grace → SIGINT first; the program writes what it has, and is killed when it does not end", async () => {
    const home = new ScriptsHome();
    home.program(
      "genesis",
      `${status(49)}\ntrap 'echo WARN Need Flush >> $OUT; echo Flushed >> $OUT; while :; do sleep 0.05; done' INT\nprintf '${planText("Chain2", 49)}' > "$4"\nwhile :; do sleep 0.05; done`,
    );
    chain2(home);
    expect(await home.run(ARGS(home), { shutdownGrace: 300 })).toBe(0);
    expect(home.out).toMatch(/^WARN Need Flush\nFlushed\nChain 2 is live!\n/);
    expect(home.lines).toContain("warn DAEMON_SHUTDOWN_GRACE exceeded, killing app");
    expect(home.current).toBe("upgrades/chain2");
  });

  test("DAEMON_RESTART_AFTER_UPGRADE is off → the link is changed, and the sidecar ends with 0", async () => {
    const home = new ScriptsHome();
    genesis(home);
    chain2(home);
    expect(await home.run(ARGS(home), { isRestartedAfterUpgrade: false })).toBe(0);
    expect([home.current, home.out.includes("Chain 2")]).toEqual(["upgrades/chain2", false]);
    expect(home.lines.join("\n")).toContain("DAEMON_RESTART_AFTER_UPGRADE is off. Verify new upgrade and start");
  });
});

describe("what the sidecar knows of the height", () => {
  test("no program of the plan and no downloads → the application is not ended; its file comes → the switch is made", async () => {
    const home = new ScriptsHome();
    genesis(home);
    const run = home.run(ARGS(home));
    await home.says("is missing");
    expect(home.board.current.readiness[0]).toMatchObject({ what: "program", state: "missing" });
    chain2(home);
    expect(await run, home.lines.join("\n")).toBe(0);
    expect(home.out).toContain("Chain 2 is live!");
  });

  test("a plan's file long before its height → nothing; the application ends with 0 → so does the sidecar", async () => {
    const home = new ScriptsHome();
    home.program("genesis", `${status(48)}\nprintf '${planText("chain2", 49)}' > "$4"\nsleep 0.4`);
    chain2(home);
    expect(await home.run(ARGS(home))).toBe(0);
    expect([home.current, home.out]).toEqual(["genesis", ""]);
    expect(home.board.current.upgrades).toBe(0);
  });

  test("nothing says a height; the application wrote the plan and failed → the switch is made", async () => {
    const home = new ScriptsHome();
    home.program("genesis", `test "$1" = status && exit 1\nprintf '${planText("chain2", 49)}' > "$4"\nexit 1`);
    chain2(home);
    expect(await home.run(ARGS(home)), home.lines.join("\n")).toBe(0);
    expect(home.current).toBe("upgrades/chain2");
  });

  test("nothing says a height; the file was there, and the application fails → a crash, and no switch", async () => {
    const home = new ScriptsHome();
    home.write("data/upgrade-info.json", planText("chain2", 49));
    home.program("genesis", "exit 3");
    chain2(home);
    expect(await home.run(ARGS(home))).toBe(1);
    expect(home.current).toBe("genesis");
    expect(home.lines.at(-1)).toContain("exit status 3");
  });

  test("CometBFT's log has the height and the program is gone → the switch is made before a start", async () => {
    const home = new ScriptsHome();
    home.program("genesis", "echo Genesis ran >> $OUT; exit 1");
    chain2(home);
    home.write("data/upgrade-info.json", planText("chain2", 49));
    home.write("data/cs.wal/wal", walOf(47n, 48n, 49n));
    expect(await home.run(["start"]), home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("Chain 2 is live!\nArgs: start\nFinished successfully\n");
  });

  test("CometBFT's log is one block short → the old program runs", async () => {
    const home = new ScriptsHome();
    home.program("genesis", "echo Genesis ran >> $OUT");
    chain2(home);
    home.write("data/upgrade-info.json", planText("chain2", 49));
    home.write("data/cs.wal/wal", walOf(47n, 48n));
    expect(await home.run(["start"])).toBe(0);
    expect([home.out, home.current]).toEqual(["Genesis ran\n", "genesis"]);
  });

  test("an operator's plan in the queue → not before its height; then the switch, its file for the new program, and the queue is empty", async () => {
    const home = new ScriptsHome();
    home.program("genesis", "echo Genesis ran >> $OUT");
    chain2(home);
    home.write("cosmovisor/queue.json", '{"v":1,"plans":[{"name":"Chain2","height":"49","info":"i"}]}');
    home.write("data/cs.wal/wal", walOf(48n));
    expect(await home.run(["start"])).toBe(0);
    expect([home.out, home.current]).toEqual(["Genesis ran\n", "genesis"]);
    home.write("data/cs.wal/wal", walOf(48n, 49n));
    expect(await home.run(["start"]), home.lines.join("\n")).toBe(0);
    expect([home.out.endsWith("Finished successfully\n"), home.current]).toEqual([true, "upgrades/chain2"]);
    expect(JSON.parse(home.read("data/upgrade-info.json"))).toMatchObject({ name: "chain2", height: 49, info: "i" });
    expect(JSON.parse(home.read("cosmovisor/queue.json"))).toEqual({ v: 1, plans: [] });
  });

  test("half of the plan's file → it is looked at again, and no crash", async () => {
    const home = new ScriptsHome();
    const text = planText("chain2", 49);
    home.program(
      "genesis",
      `${status(49)}\nprintf '${text.slice(0, 12)}' > "$4"\nsleep 0.2\nprintf '${text}' > "$4"\nsleep 30`,
    );
    chain2(home);
    expect(await home.run(ARGS(home)), home.lines.join("\n")).toBe(0);
    expect(home.current).toBe("upgrades/chain2");
    expect(home.lines.join("\n")).toContain("cannot be read yet, and is looked at again");
  });

  test("a node that went on beyond a skipped height; later its program is added, and the flag left out → no switch, no advice", async () => {
    const home = new ScriptsHome();
    home.write("data/upgrade-info.json", planText("chain2", 49));
    home.write("data/cs.wal/wal", walOf(48n));
    // The sidecar sees a height of this run before it sees the next ones.
    const blocks = `sleep 0.6\ncat ${home.file("next")} >> ${home.file("data/cs.wal/wal")}`;
    home.program("genesis", `${blocks}\nsleep 0.8\necho old >> $OUT`);
    home.write("next", walOf(49n, 50n, 51n));
    expect(await home.run(["start", "--unsafe-skip-upgrades", "49"]), home.lines.join("\n")).toBe(0);
    chain2(home);
    expect(JSON.parse(home.read("cosmovisor/passed.json"))).toEqual({
      v: 1,
      plans: [{ name: "chain2", height: "49" }],
    });
    home.write("next", "");
    expect(await home.run(["start"])).toBe(0);
    expect([home.current, home.out, home.board.current.plan]).toEqual(["genesis", "old\nold\n", null]);
    // A rollback takes it back to before the height.
    home.write("data/cs.wal/wal", walOf(48n, 49n));
    expect(await home.run(["start"]), home.lines.join("\n")).toBe(0);
    expect(home.current).toBe("upgrades/chain2");
  });

  test("a plan in the skipped heights → the application is left alone", async () => {
    const home = new ScriptsHome();
    home.program(
      "genesis",
      `${status(49)}\nprintf '${planText("chain2", 49)}' > "$4"\nsleep 0.3\necho went on >> $OUT`,
    );
    chain2(home);
    expect(await home.run(["a", "b", "c", home.planFile, "--unsafe-skip-upgrades", "49"])).toBe(0);
    expect([home.out, home.current]).toEqual(["went on\n", "genesis"]);
  });

  test("an older plan's file than the current program's → it is passed over, with a line", async () => {
    const home = new ScriptsHome();
    home.program("genesis", "exit 9");
    chain2(home);
    home.program("upgrades/chain3", "echo Chain 3 >> $OUT");
    symlinkSync("upgrades/chain3", home.file("cosmovisor", "current"));
    home.write("cosmovisor/upgrades/chain3/upgrade-info.json", planText("chain3", 100));
    home.write("data/upgrade-info.json", planText("chain2", 49));
    home.write("data/cs.wal/wal", walOf(120n));
    expect(await home.run(["start"])).toBe(0);
    expect([home.out, home.current]).toEqual(["Chain 3\n", "upgrades/chain3"]);
    expect(home.lines.join("\n")).toContain('the plan "chain2" at height 49 is passed over');
  });
});
