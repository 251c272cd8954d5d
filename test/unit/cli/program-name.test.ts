/** Texts with commands to type name the program that runs. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { notesChain } from "../../../examples/notes-chain/chain.js";
import { completionScript, SHELLS } from "../../../host/base/terminal/completion-scripts.js";
import { envName } from "../../../host/base/terminal/settings.js";
import { nameProgram } from "../../../host/base/text/program-name.js";
import { serveChain } from "../../../host/cli/flags/program-chain.js";
import { makeProgram } from "../../../host/cli/program/program.js";
import { requireHome } from "../../../host/node/home/begun-genesis.js";
import { Home } from "../../../host/node/home/home.js";
import { nextStep } from "../../../host/upgrade/module/halt-next.js";
import { failureOf } from "../../scenario/chain.js";

describe("a program called notesd", () => {
  beforeAll(() => serveChain(notesChain));
  afterAll(() => nameProgram("chaind"));

  test("help → its own name and home", async () => {
    const program = await makeProgram([], "1.0.0");
    const help = program.helpInformation();
    expect(help).toContain('Use "notesd [command] --help"');
    expect(help).toContain('"~/.notesd"');
    expect(help).not.toContain("chaind");
  });

  test("help of every command → nobody else's name", async () => {
    const program = await makeProgram(["completion"], "1.0.0");
    const helps = (at: typeof program): string[] => [
      at.helpInformation(),
      ...at.commands.flatMap((each) => helps(each as typeof program)),
    ];
    expect(helps(program).filter((help) => help.toLowerCase().includes("chaind"))).toEqual([]);
  });

  test("environment → NOTESD_<FLAG>; a dash in the name is an underline", () => {
    expect(envName("--keyring-backend")).toBe("NOTESD_KEYRING_BACKEND");
    nameProgram("my-chain");
    expect(envName("--home")).toBe("MY_CHAIN_HOME");
    expect(completionScript("bash", "my-chain")).toContain("complete -o default -F _my_chain my-chain");
    nameProgram("notesd");
  });

  test("halt.json → commands that start this program", () => {
    const facts = { height: "5", home: "/h", plan: "v2", program: notesChain.name, details: {} };
    expect(nextStep({ ...facts, code: "UPG_HALT_RESTART" }).commands).toEqual(["notesd start --home /h"]);
    const startFlags = ["--engine", "cometbft"];
    expect(nextStep({ ...facts, startFlags, code: "UPG_HALT_ENGINE" }).commands).toEqual([
      "notesd start --home /h --engine cometbft",
    ]);
    expect(nextStep({ ...facts, code: "UPG_STORE_CORRUPT" }).commands[0]).toBe("notesd verify --home /h");
  });

  test("a home that does not exist → make it with this program", () => {
    expect(failureOf(() => requireHome(new Home("/nowhere/at/all"))).message).toContain(
      "`notesd init NAME --home /nowhere/at/all`",
    );
  });

  test.each(SHELLS)("completion script of %s → completes this program", (shell) => {
    const script = completionScript(shell, "notesd");
    expect(script).toContain("notesd");
    expect(script).not.toContain("chaind");
  });
});
