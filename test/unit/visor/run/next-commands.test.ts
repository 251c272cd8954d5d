/** The commands that the sidecar and the halt record offer after a failure, where a sidecar runs the node. */
import { existsSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { nextStep } from "../../../../host/upgrade/module/halt-next.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { statusFromDisk } from "../../../../host/visor/run/without-sidecar/from-disk.js";
import { planText, ScriptsHome } from "../scripts-home.js";

describe("what to do next, where a sidecar runs the node", () => {
  const again = (home: ScriptsHome) => `chainvisor --home ${home.path} --name dummyd run start --x`;

  test("the first block after a switch fails → another program first, then a start with the arguments of this run", async () => {
    const home = new ScriptsHome();
    home.program(
      "genesis",
      `printf '%s' '${JSON.stringify({ name: "chain2", height: 49 })}' > ${home.planFile}; exit 1`,
    );
    home.program("upgrades/chain2", "echo usage; exit 1");
    expect(await home.run(["start", "--x"])).toBe(1);
    expect(home.board.current.next).toEqual([
      `chainvisor --home ${home.path} --name dummyd add-upgrade chain2 PROGRAM --force`,
      again(home),
    ]);
    const after = await statusFromDisk(home.settings(), realMachine);
    expect(after.next).toEqual(home.board.current.next);
  });

  test.each([
    ["has no validator", 0n, (home: ScriptsHome) => [`cp GENESIS.json ${home.file("config/genesis.json")}`]],
    ["has no validator", 4n, () => []],
    [
      "names app version 9, this program knows 1, 2",
      0n,
      (home: ScriptsHome) => [`chainvisor --home ${home.path} --name dummyd init PROGRAM --force`],
    ],
  ])(
    "the genesis document %s, after block %i → what puts the right file in place, then the start",
    async (message, height, way) => {
      const home = new ScriptsHome();
      home.write("config/genesis.json", "{}");
      home.write("data/chain.mdb", "");
      const error = JSON.stringify({ v: 1, exit: 2, code: "UPG_INVALID_GENESIS", message });
      home.program("genesis", `printf '%s' '${error}' > $CHAINVISOR_APP_FAILURE; exit 2`);
      expect(await home.run(["start", "--x"], {}, { storeHeight: async () => height })).toBe(2);
      expect(home.board.current.next).toEqual([...way(home), again(home)]);
    },
  );

  describe("the handler of a later plan fails, after a restart that opened its stores", () => {
    const handlerRun = "chaind handler run /h/v3.wasm";
    const haltedFor = (home: ScriptsHome, code: string, commands: readonly string[]) => {
      const plan = { name: "v3", height: "20", info: "" };
      const height = { height: "20", last_committed_height: "19" };
      const record = { v: 1, code, message: "no", next: "", commands, ...height, plan };
      return `printf '%s' '${JSON.stringify(record)}' > ${home.file("data", "halt.json")}`;
    };
    const failing = (end: (home: ScriptsHome) => string) => {
      const home = new ScriptsHome();
      home.write("data/chain.mdb", "");
      const once = home.file("once");
      const restart = `touch ${once}; ${haltedFor(home, "UPG_HALT_RESTART", [])}; exit 14`;
      home.program("upgrades/v2", `echo run >> $OUT; test -e ${once} || { ${restart}; }\n${end(home)}`);
      home.write("cosmovisor/upgrades/v2/upgrade-info.json", planText("v2", 6));
      symlinkSync("upgrades/v2", home.file("cosmovisor", "current"));
      return home;
    };
    const invariant = (home: ScriptsHome) =>
      `${haltedFor(home, "UPG_MIGRATION_INVARIANT", [handlerRun, again(home)])}; exit 20`;
    const restart = (home: ScriptsHome) => `chainvisor --home ${home.path} --name dummyd restart`;

    test("CHAINVISOR_HOLD → the record's commands with `chainvisor restart`; the program of the last switch is not replaced", async () => {
      const home = failing(invariant);
      const ended = home.run(["start", "--x"], { isHeldOnFailure: true, restartsMax: 5 });
      await home.says("CHAINVISOR_HOLD");
      const { phase, next, message } = home.board.current;
      home.stop.abort("SIGTERM");
      expect(await ended).toBe(20);
      expect({ phase, next }).toEqual({ phase: "failed", next: [handlerRun, restart(home)] });
      expect(message).toMatch(/^the application has not gone on: exit status 20/);
      expect(home.out).toBe("run\nrun\n");
      expect((await statusFromDisk(home.settings(), realMachine)).next).toEqual([handlerRun, again(home)]);
    });

    test("CHAINVISOR_ON_REFUSAL=retry → the same while it waits", async () => {
      const home = failing(invariant);
      const ended = home.run(["start", "--x"], { onRefusal: "retry", restartsMax: 5 });
      await home.says("CHAINVISOR_ON_REFUSAL");
      const { phase, next, message } = home.board.current;
      home.stop.abort("SIGTERM");
      await ended;
      expect({ phase, next }).toEqual({ phase: "halted", next: [handlerRun, restart(home)] });
      expect(message).toMatch(/^the application has not gone on: exit status 20/);
    });

    test("a crash that leaves no record → a start alone", async () => {
      const home = failing((each) => `rm -f ${each.file("data", "halt.json")}; exit 7`);
      expect(await home.run(["start", "--x"], { restartsMax: 1 })).toBe(7);
      expect(home.board.current.next).toEqual([again(home)]);
    });
  });

  test("the first block of the program that was switched to fails, with its record → another program leads", async () => {
    const home = new ScriptsHome();
    home.write("data/chain.mdb", "");
    const plan = { name: "v2", height: "6", info: "" };
    const record = (code: string) =>
      JSON.stringify({
        ...{ v: 1, code, message: "no", next: "", commands: ["look"] },
        ...{ height: "6", last_committed_height: "5", plan },
      });
    const halt = (code: string) => `printf '%s' '${record(code)}' > ${home.file("data", "halt.json")}`;
    home.program("genesis", `${halt("UPG_HALT_UPGRADE_NEEDED")}; exit 10`);
    home.program("upgrades/v2", `test "$1" = pre-upgrade && exit 0; ${halt("UPG_MIGRATION_FAILED")}; exit 20`);
    expect(await home.run(["start", "--x"])).toBe(20);
    expect(home.board.current.next).toEqual([
      `chainvisor --home ${home.path} --name dummyd add-upgrade v2 PROGRAM --force`,
      "look",
    ]);
    expect(home.board.current.message).toMatch(/^the new version has not gone on/);
  });

  test("the program comes too early, and its record has no command → no start is offered; status has the record's line on what to do", async () => {
    const home = new ScriptsHome();
    home.write("data/chain.mdb", "");
    const next = "Run the version that ran before.";
    const record = { v: 1, code: "UPG_HALT_BINARY_TOO_EARLY", message: "too early", next, commands: [] };
    const text = JSON.stringify({ ...record, height: "6", last_committed_height: "5", plan: null });
    home.program("genesis", `printf '%s' '${text}' > ${home.file("data", "halt.json")}; exit 11`);
    expect(await home.run(["start"])).toBe(11);
    expect(home.board.current.next).toEqual([]);
    const after = await statusFromDisk(home.settings(), realMachine);
    expect(after).toMatchObject({ next: [], message: expect.stringContaining(`The node ended: too early. ${next}`) });
  });

  test("the program refuses the arguments → the last start that it took, else `run start`; the record of starts has that too", async () => {
    const home = new ScriptsHome();
    const next = (words: string) => [`chainvisor --home ${home.path} --name dummyd run ${words}`];
    const refusal = { v: 1, exit: 2, code: "UPG_INVALID_ARGUMENT", message: 'unknown command "strat".' };
    const refuse = `printf '%s' '${JSON.stringify(refusal)}' > $CHAINVISOR_APP_FAILURE; exit 2`;
    home.write("data/chain.mdb", "");
    home.program("genesis", `test "$1" = start && exit 0; ${refuse}`);
    const nextAfter = async (...args: string[]) => {
      expect(await home.run(args)).toBe(2);
      const { board } = home;
      expect((await statusFromDisk(home.settings(), realMachine)).next).toEqual(board.current.next);
      return board.current.next;
    };
    expect(await nextAfter("strat")).toEqual(next("start"));
    expect(existsSync(home.file("cosmovisor/last-start.json"))).toBe(false);
    expect(await home.run(["start", "--x"])).toBe(0);
    for (let again = 0; again < 2; again++) expect(await nextAfter("strat", "--x")).toEqual(next("start --x"));
    expect(JSON.parse(home.read("cosmovisor/last-start.json"))).toMatchObject({ args: ["start", "--x"] });
  });

  test("the program of a switch refuses the arguments that the one before it took → they stay on record", async () => {
    const home = new ScriptsHome();
    const refusal = { v: 1, exit: 2, code: "UPG_INVALID_ARGUMENT", message: "no flag --x." };
    home.program("genesis", `printf '%s' '${planText("v2", 49)}' > ${home.planFile}; exit 1`);
    home.program(
      "upgrades/v2",
      `test "$1" = pre-upgrade && exit 0; printf '%s' '${JSON.stringify(refusal)}' > $CHAINVISOR_APP_FAILURE; exit 2`,
    );
    home.write("config/genesis.json", "{}");
    expect(await home.run(["start", "--x"])).toBe(2);
    expect(home.board.current.next.at(-1)).toBe(again(home));
    expect(JSON.parse(home.read("cosmovisor/last-start.json"))).toMatchObject({ args: ["start", "--x"] });
  });

  test("a crash of any other block → a start as the last one; the program's own records get the same command", async () => {
    const home = new ScriptsHome();
    home.program("genesis", 'echo "$CHAINVISOR_START" >> $OUT; exit 7');
    expect(await home.run(["start", "--x"])).toBe(1);
    expect(home.board.current.next).toEqual([again(home)]);
    expect(home.out).toBe(`${again(home)}\n`);
  });

  test("a halt's record → the sidecar's command, with the flag of a skip; as a service → systemctl, which takes no flag", () => {
    const facts = {
      code: "UPG_MIGRATION_FAILED",
      height: "9",
      home: "/h",
      program: "chaind",
      plan: "v2",
      details: {},
    } as const;
    const startCommand = "chainvisor run start";
    const skip = `${startCommand} --unsafe-skip-upgrades 9`;
    expect(nextStep({ ...facts, startCommand }).commands).toEqual([startCommand, skip]);
    const serviceCommand = "systemctl start chaind";
    expect(nextStep({ ...facts, startCommand, serviceCommand }).commands).toEqual([serviceCommand, skip]);
  });
});
