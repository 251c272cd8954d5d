/** What may come next on the command line of a chain's program. */

import type { Command, Option } from "commander";
import { readyArguments } from "../../base/terminal/arguments.js";
import { type Cobra, isHidden } from "../../base/terminal/cobra.js";
import type { Candidate } from "../../base/terminal/completion-command.js";
import { envName } from "../../base/terminal/settings.js";
import { keyNames } from "../wallet/folder.js";

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
