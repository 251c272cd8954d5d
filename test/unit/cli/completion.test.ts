import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isHidden } from "../../../host/base/terminal/cobra.js";
import { completionScript, SHELLS } from "../../../host/base/terminal/completion-scripts.js";
import { formatHelp } from "../../../host/base/terminal/help.js";
import { candidates } from "../../../host/cli/commands/completion.js";
import { makeProgram } from "../../../host/cli/program/program.js";
import { exampleContext } from "../../example-context.js";

const program = await makeProgram(exampleContext, ["completion"], "0.0.0");
const words = (...line: string[]) => candidates(program, line, {}).map(([word]) => word);

const hasShell = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

describe("candidates()", () => {
  test.each<[string[], string[]]>([
    [["st"], ["start", "status"]],
    [
      ["query", "upgrade", "a"],
      ["applied", "authority"],
    ],
    [["q", "upgrade", "pl"], ["plan"]],
    [["tx", "upgrade", "cancel-s"], ["cancel-software-upgrade"]],
    [["query", "upgrade", "plan", "--hei"], ["--height"]],
    [["--home", "start", "conf"], ["config"]],
    [
      ["tx", "bank", "send", "--broadcast-mode", ""],
      ["sync", "async", "block"],
    ],
    [["-o", "j"], ["json"]],
    [["nope", "x"], []],
    [["keys", "show", "no-such-key"], []],
  ])("%j → %j", (line, expected) => expect(words(...line)).toEqual(expect.arrayContaining(expected)));

  test("nothing that is hidden, and nothing that does not begin with the word", () => {
    expect(words("")).not.toContain("__complete");
    expect(words("zzz")).toEqual([]);
  });
});

describe("completionScript()", () => {
  test.each(SHELLS)("%s → asks the program itself", (shell) => {
    expect(completionScript(shell, "chaind")).toContain("__complete");
  });

  const bash = hasShell("bash") ? test : test.skip;
  bash("bash takes it (needs bash), and completes with what the program prints", () => {
    const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-completion-"));
    try {
      const chaind = join(folder, "chaind");
      writeFileSync(
        chaind,
        '#!/bin/sh\n[ "$1 $2 $3 $4" = "__complete -- query up" ] && printf "upgrade\\tPlans and versions\\n"\n',
        { mode: 0o755 },
      );
      const script = `${completionScript("bash", "chaind")}
        COMP_WORDS=(${chaind} query up); COMP_CWORD=2; _chaind; printf '%s' "\${COMPREPLY[*]}"`;
      expect(execFileSync("bash", ["-c", script], { encoding: "utf8" })).toBe("upgrade");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("formatHelp()", () => {
  test("every command has a summary, a usage line, and flags that are explained", () => {
    const visit = (command: typeof program): void => {
      if (isHidden(command)) return;
      const help = formatHelp(command);
      expect(help, command.name()).toMatch(/\n\nUsage:\n {2}chaind/);
      if (command.parent) expect(command.summary(), help).not.toBe("");
      for (const option of command.options) expect(option.description, `${command.name()} ${option.long}`).not.toBe("");
      for (const text of help.split("\n")) expect(text.trimEnd()).toBe(text);
      for (const each of command.commands) visit(each as typeof program);
    };
    visit(program);
  });

  test("the summaries of the first level are those of its commands", async () => {
    const bare = await makeProgram(exampleContext, [], "0.0.0");
    const summaries = (of: typeof program) => of.commands.map((each) => [each.name(), each.summary()]);
    expect(summaries(bare)).toEqual(summaries(program));
  });

  test("a command in cobra's shape", () => {
    const keys = program.commands.find((each) => each.name() === "keys");
    const show = keys?.commands.find((each) => each.name() === "show");
    expect(show && formatHelp(show).split("\n\n").slice(0, 5).join("\n\n")).toMatchInlineSnapshot(`
      "Show a key

      Usage:
        chaind keys show <key> [flags]

      Arguments:
        key   name or address of a key

      Examples:
        chaind keys show alice -a --keyring-backend test

      Flags:
        -a, --address                  its address only
            --bech string              form of the address: acc, val or cons (default "acc")
        -h, --help                     help for show
            --keyring-backend string   where keys are kept: sealed in files, or open for tests (file|test) (default "file")
            --keyring-dir string       folder of the keyring (default: the home)
        -p, --pubkey                   its public key only"
    `);
  });
});
