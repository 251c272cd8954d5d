/** `chaind completion`: scripts that ask this program itself what may come next, so that they never grow old. */

import type { Command, Option } from "commander";
import { programName } from "../../program-name.js";
import { readyArguments } from "../../shell/arguments.js";
import { type Cobra, isHidden } from "../../shell/cobra.js";
import { completionScript, SHELLS } from "../../shell/completion-scripts.js";
import { envName } from "../../shell/settings.js";
import { keyNames } from "../../wallet/folder.js";

export function registerCompletion(program: Cobra): void {
  const completion = program
    .command("completion")
    .summary("Print a script that completes commands in a shell")
    .description(
      "Prints a script that completes commands, flags and the names of keys. For one session:\n\n" +
        `  bash:        source <(${programName()} completion bash)\n` +
        `  zsh:         source <(${programName()} completion zsh)\n` +
        `  fish:        ${programName()} completion fish | source\n` +
        `  powershell:  ${programName()} completion powershell | Out-String | Invoke-Expression\n\n` +
        "Write it to a file that your shell reads at its start to have it always.",
    )
    .group();
  for (const shell of SHELLS) {
    completion
      .command(shell)
      .summary(`The script for ${shell}`)
      .action(() => void process.stdout.write(completionScript(shell, programName())));
  }
}

/** What the scripts ask: the words so far, the last of them unfinished; a candidate a line, its words after a tab. */
export function registerComplete(program: Cobra, name: string): void {
  program
    .command(name, { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .action((words: string[]) => {
      for (const [word, help] of candidates(program, words))
        process.stdout.write(help ? `${word}\t${help}\n` : `${word}\n`);
    });
}

type Candidate = readonly [word: string, help: string];

export function candidates(program: Cobra, words: readonly string[]): Candidate[] {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const { command, options, operands } = place(program, before);
  const waiting = options.find((option) => option.required && isFlag(option, before.at(-1) ?? ""));
  const all = waiting ? valuesOf(program, waiting) : wordsAt(program, command, options, operands, last);
  return all.filter(([word]) => word.startsWith(last));
}

const isFlag = ({ long, short }: Option, word: string) => word === long || (short !== undefined && word === short);

/** The command that the words lead to, the flags that it takes, and the words after it that are no flags. */
function place(program: Cobra, words: readonly string[]) {
  let command: Command = program;
  let options: Option[] = [...program.options];
  const operands: string[] = [];
  for (const word of readyArguments(words, program).args) {
    if (word.startsWith("-")) continue;
    const next: Command | undefined = command.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
    if (next) {
      command = next;
      options = [...next.options, ...options];
    } else operands.push(word);
  }
  return { command, options, operands };
}

function wordsAt(
  program: Cobra,
  command: Command,
  options: readonly Option[],
  operands: readonly string[],
  last: string,
): Candidate[] {
  if (last.startsWith("-")) {
    const shown = options.filter(({ hidden }) => !hidden);
    return [...shown.map(({ long, description }): Candidate => [long ?? "", description]), ["--help", "help"]];
  }
  if (command.commands.length > 0) {
    return command.commands.filter((each) => !isHidden(each)).map((each) => [each.name(), each.summary()]);
  }
  const argument = command.registeredArguments[operands.length]?.name();
  return argument === "key" || argument === "voter" ? keysOf(program) : [];
}

function valuesOf(program: Cobra, option: Option): Candidate[] {
  if (option.long === "--from") return keysOf(program);
  return (option.argChoices ?? []).map((choice) => [choice, ""]);
}

function keysOf(program: Cobra): Candidate[] {
  const home = process.env[envName("--home")] ?? String(program.opts()["home"]);
  return ["test", "file"].flatMap((backend) =>
    keyNames(home, backend).map((name): Candidate => [name, `${backend} key`]),
  );
}
