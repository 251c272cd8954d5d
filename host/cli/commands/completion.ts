/** What may come next on the command line of a chain's program. */

import type { Command, Option } from "commander";
import { readyArguments } from "../../base/terminal/arguments.js";
import { type Cobra, isHidden } from "../../base/terminal/cobra.js";
import type { Candidate } from "../../base/terminal/completion-command.js";
import type { Io } from "../../base/terminal/io.js";
import { envName } from "../../base/terminal/settings.js";
import { envPrefix } from "../../base/text/program-text.js";
import { keyNames } from "../wallet/folder.js";

export function candidates(program: Cobra, words: readonly string[], env: Io["env"]): Candidate[] {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const { command, options, operands } = place(program, before);
  const waiting = options.find((option) => option.required && isFlag(option, before.at(-1) ?? ""));
  const keys = () => keysOf(program, env);
  const all = waiting ? valuesOf(keys, waiting) : wordsAt(keys, command, options, operands, last);
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
  keys: () => Candidate[],
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
  return argument === "key" || argument === "voter" ? keys() : [];
}

function valuesOf(keys: () => Candidate[], option: Option): Candidate[] {
  if (option.long === "--from") return keys();
  return (option.argChoices ?? []).map((choice) => [choice, ""]);
}

function keysOf(program: Cobra, env: Io["env"]): Candidate[] {
  const home = env[envName("--home", envPrefix(program.name()))] ?? String(program.opts()["home"]);
  return ["test", "file"].flatMap((backend) =>
    keyNames(home, backend).map((name): Candidate => [name, `${backend} key`]),
  );
}
