/** `completion SHELL`, and the hidden command that the scripts ask, so that they never grow old. */
import type { Cobra } from "./cobra.js";
import { completionScript, SHELLS } from "./completion-scripts.js";

export interface CompletionWords {
  /** The program's name. */
  readonly name: string;
  /** What is completed, as `commands and flags`. */
  readonly what: string;
}

export function registerCompletion(program: Cobra, { name, what }: CompletionWords): void {
  const completion = program
    .command("completion")
    .summary("Print a script that completes commands in a shell")
    .description(
      `Prints a script that completes ${what}. For one session:\n\n` +
        `  bash:        source <(${name} completion bash)\n` +
        `  zsh:         source <(${name} completion zsh)\n` +
        `  fish:        ${name} completion fish | source\n` +
        `  powershell:  ${name} completion powershell | Out-String | Invoke-Expression\n\n` +
        "Write it to a file that your shell reads at its start to have it always.",
    )
    .group();
  for (const shell of SHELLS) {
    completion
      .command(shell)
      .summary(`The script for ${shell}`)
      .action(() => program.print(completionScript(shell, name)));
  }
}

/** A word that may come next, and what it means. */
export type Candidate = readonly [word: string, help: string];

/** What the scripts ask: the words so far, the last of them unfinished; a candidate a line, its words after a tab. */
export function registerComplete(
  program: Cobra,
  name: string,
  candidates: (program: Cobra, words: readonly string[]) => readonly Candidate[],
): void {
  program
    .command(name, { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .action((words: string[]) => {
      for (const [word, help] of candidates(program, words)) program.print(help ? `${word}\t${help}\n` : `${word}\n`);
    });
}
