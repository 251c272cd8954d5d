/** What may come next on the command line of `chainvisor`. */
import type { Command, Option } from "commander";
import { type Cobra, isHidden } from "../../../base/terminal/cobra.js";
import type { Candidate } from "../../../base/terminal/completion-command.js";

export function candidates(program: Cobra, words: readonly string[]): Candidate[] {
  const last = words.at(-1) ?? "";
  let at: Command = program;
  const options: Option[] = [...program.options];
  for (const word of words.slice(0, -1)) {
    const next = at.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
    if (next) {
      at = next;
      options.push(...next.options);
    }
  }
  const all = last.startsWith("-") ? flagsOf(options) : commandsOf(at);
  return all.filter(([word]) => word.startsWith(last));
}

const flagsOf = (options: readonly Option[]): Candidate[] => [
  ...options.filter(({ hidden }) => !hidden).map(({ long, description }): Candidate => [long ?? "", description]),
  ["--help", "help"],
];

const commandsOf = (command: Command): Candidate[] =>
  command.commands.filter((each) => !isHidden(each)).map((each) => [each.name(), each.summary()]);
