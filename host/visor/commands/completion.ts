/** `chainvisor completion`: scripts that ask this program itself what may come next. */
import type { Command, Option } from "commander";
import type { Cobra } from "../../shell/cobra.js";
import { isHidden } from "../../shell/cobra.js";
import { completionScript, SHELLS } from "../../shell/completion-scripts.js";

const PROGRAM = "chainvisor";

export function registerCompletion(program: Cobra): void {
  const completion = program
    .command("completion")
    .summary("Print a script that completes commands in a shell")
    .description(
      "Prints a script that completes commands and flags. For one session:\n\n" +
        `  bash:        source <(${PROGRAM} completion bash)\n` +
        `  zsh:         source <(${PROGRAM} completion zsh)\n` +
        `  fish:        ${PROGRAM} completion fish | source\n` +
        `  powershell:  ${PROGRAM} completion powershell | Out-String | Invoke-Expression`,
    )
    .group();
  for (const shell of SHELLS) {
    completion
      .command(shell)
      .summary(`The script for ${shell}`)
      .action(() => void process.stdout.write(completionScript(shell, PROGRAM)));
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

function candidates(program: Cobra, words: readonly string[]): Candidate[] {
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
