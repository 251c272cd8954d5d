/** Texts with commands to type name the program that prints them, also where two programs run in one process. */
import { describe, expect, test } from "vitest";
import { notesChain } from "../../../examples/notes-chain/chain.js";
import { UpgradeError } from "../../../host/base/errors/errors.js";
import { completionScript, SHELLS } from "../../../host/base/terminal/completion-scripts.js";
import { envName } from "../../../host/base/terminal/settings.js";
import { envPrefix, PROGRAM } from "../../../host/base/text/program-text.js";
import type { Chain } from "../../../host/chain/app/chain.js";
import { runCommandLine } from "../../../host/cli/program/command-line.js";
import { makeProgram } from "../../../host/cli/program/program.js";
import { requireHome } from "../../../host/node/home/begun-genesis.js";
import { Home } from "../../../host/node/home/home.js";
import { haltRecord } from "../../../host/upgrade/module/halt.js";
import { nextStep } from "../../../host/upgrade/module/halt-next.js";
import { exampleChain } from "../../example-chain.js";
import { contextOf, testIo } from "../../example-context.js";
import { failureOf } from "../../scenario/chain.js";

const NOWHERE = "/nowhere/at/all";

describe("a program called notesd", () => {
  const notes = contextOf(notesChain);

  test("help → its own name and home", async () => {
    const program = await makeProgram(notes, [], "1.0.0");
    const help = program.helpInformation();
    expect(help).toContain('Use "notesd [command] --help"');
    expect(help).toContain('"~/.notesd"');
    expect(help).not.toContain("chaind");
  });

  test("help of every command → nobody else's name", async () => {
    const program = await makeProgram(notes, ["completion"], "1.0.0");
    const helps = (at: typeof program): string[] => [
      at.helpInformation(),
      ...at.commands.flatMap((each) => helps(each as typeof program)),
    ];
    expect(helps(program).filter((help) => help.toLowerCase().includes("chaind"))).toEqual([]);
  });

  test("environment → NOTESD_<FLAG>; a dash in the name is an underline", () => {
    expect(envName("--keyring-backend", envPrefix("notesd"))).toBe("NOTESD_KEYRING_BACKEND");
    expect(envName("--home", envPrefix("my-chain"))).toBe("MY_CHAIN_HOME");
    expect(completionScript("bash", "my-chain")).toContain("complete -o default -F _my_chain my-chain");
  });

  test("halt.json → commands that start this program", () => {
    const facts = { height: "5", home: "/h", plan: "v2", program: notesChain.name, details: {} };
    expect(nextStep({ ...facts, code: "UPG_HALT_RESTART" }).commands).toEqual(["notesd start --home /h"]);
    const startFlags = ["--engine", "cometbft"];
    expect(nextStep({ ...facts, startFlags, code: "UPG_HALT_ENGINE" }).commands).toEqual([
      "notesd start --home /h --engine cometbft",
    ]);
    expect(nextStep({ ...facts, code: "UPG_STORE_CORRUPT" }).commands[0]).toBe("notesd verify --home /h");
    const error = new UpgradeError("UPG_STORE_CORRUPT", `run \`${PROGRAM} verify\``);
    const place = { lastCommittedHeight: 4n, nextHeight: 5n, appHash: new Uint8Array(), time: "" };
    expect(haltRecord(error, { ...place, program: "notesd" }).message).toBe("run `notesd verify`");
  });

  test.each(SHELLS)("completion script of %s → completes this program", (shell) => {
    const script = completionScript(shell, "notesd");
    expect(script).toContain("notesd");
    expect(script).not.toContain("chaind");
  });
});

test("an error that a library's user catches → a command of this package's program", () => {
  expect(failureOf(() => requireHome(new Home(NOWHERE))).message).toContain(`\`chaind init NAME --home ${NOWHERE}\``);
  const error = new UpgradeError("UPG_STORE_CORRUPT", `run \`${PROGRAM} verify\``);
  expect([error.message, error.template]).toEqual(["run `chaind verify`", `run \`${PROGRAM} verify\``]);
});

interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(chain: Chain, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const io = testIo(env);
  const exit = await runCommandLine(chain, args, io);
  return { exit, stdout: io.stdout.text, stderr: io.stderr.text };
}

describe("commands of two chains in one process, at the same time", () => {
  const chains: readonly Chain[] = [exampleChain, notesChain];
  const both = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    Promise.all([...chains, ...chains].map((chain) => run(chain, args, env)));
  const other = (name: string) => (name === "chaind" ? "notesd" : "chaind");

  /** Each result is of its own chain: it holds this text with the chain's name, and nowhere the other's. */
  async function expectOwn(
    args: readonly string[],
    from: keyof Pick<Ran, "stdout" | "stderr">,
    exit: number,
    text: (name: string) => string,
  ): Promise<void> {
    const results = await both(args);
    for (const [at, ran] of results.entries()) {
      const name = chains[at % 2]?.name ?? "";
      expect(ran.exit, `${name} ${args.join(" ")}`).toBe(exit);
      expect(ran[from]).toContain(text(name));
      expect(`${ran.stdout}${ran.stderr}`).not.toContain(other(name));
    }
  }

  test("output → the name of its own program", async () => {
    await expectOwn(["version", "--long", "-o", "json"], "stdout", 0, (name) => `"server_name":"${name}"`);
    await expectOwn(["completion", "bash"], "stdout", 0, (name) => `complete -o default -F _${name} ${name}`);
  });

  test("help → its own commands and home", async () => {
    await expectOwn(["--help"], "stdout", 0, (name) => `"~/.${name}"`);
    await expectOwn(["help", "config"], "stdout", 0, (name) => `${name} config`);
    await expectOwn(["config", "--help"], "stdout", 0, (name) => `${name.toUpperCase()}_<FLAG>`);
  });

  test("errors of the command line and of libraries below it → commands of its own program", async () => {
    await expectOwn(["nope"], "stderr", 2, (name) => `unknown command "nope" for "${name}"`);
    const lost = ["snapshots", "list", "--home", NOWHERE];
    await expectOwn(lost, "stderr", 2, (name) => `\`${name} init NAME --home ${NOWHERE}\` first [UPG_INVALID_CONFIG]`);
    await expectOwn([...lost, "-o", "json"], "stderr", 2, (name) => `\`${name} init NAME --home ${NOWHERE}\``);
    await expectOwn(
      [...lost, "--trace"],
      "stderr",
      2,
      (name) => `genesis.json is missing: make a home with \`${name} init NAME --home ${NOWHERE}\` first\n    at `,
    );
    await expectOwn(["pre-upgrade", "--home", NOWHERE], "stderr", 30, (name) => `\`${name} init NAME`);
  });

  test("environment → each reads the variables with its own prefix", async () => {
    const env = { CHAIND_HOME: "/of/chaind", NOTESD_HOME: "/of/notesd", NOTESD_OUTPUT: "json" };
    const [first, second] = await both(["config", "home"], env);
    expect(first?.stdout).toBe("/of/chaind\n");
    expect(second?.stdout).toBe('{"home":"/of/notesd"}\n');
  });

  test("the process → nothing of it is changed", async () => {
    const before = ["exit", "uncaughtException", "SIGTERM"].map((event) => process.listenerCount(event));
    const status = process.exitCode;
    await both(["export", "--home", NOWHERE]);
    expect(process.exitCode).toBe(status);
    expect(["exit", "uncaughtException", "SIGTERM"].map((event) => process.listenerCount(event))).toEqual(before);
  });
});
