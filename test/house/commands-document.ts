/** docs/commands.md: every command of both programs with its summary, as the programs define them. */
import type { Cobra } from "../../host/base/terminal/cobra.js";
import { makeProgram } from "../../host/cli/program/program.js";
import { COMPLETE, makeProgram as makeVisorProgram } from "../../host/visor/run/program.js";
import type { VisorTools } from "../../host/visor/run/tools.js";
import { exampleContext } from "../example-context.js";

export interface Command {
  /** What a user types after the program's name: `query upgrade plan`. */
  readonly words: string;
  readonly summary: string;
  readonly isGroup: boolean;
  readonly flags: readonly string[];
}

/** The words after which a program loads all of its commands, which completion needs. */
const LOADS_ALL = { chaind: "completion", chainvisor: COMPLETE };

/** Registering a command calls no tool; only running one does. */
const NO_TOOLS = {} as VisorTools;

export async function programCommands(): Promise<{ chaind: readonly Command[]; chainvisor: readonly Command[] }> {
  return {
    chaind: commandsBelow(await makeProgram(exampleContext, [LOADS_ALL.chaind], "0.0.0")),
    chainvisor: commandsBelow(await makeVisorProgram([LOADS_ALL.chainvisor], "0.0.0", NO_TOOLS)),
  };
}

function commandsBelow(parent: Cobra, before: readonly string[] = []): Command[] {
  // Commander adds a `help` to each group by itself.
  const visible = parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => parent.commands.includes(command)) as Cobra[];
  return visible.flatMap((command) => {
    const words = [...before, command.name()];
    const flags = command.options.flatMap(({ long }) => long ?? []);
    const isGroup = command.commands.length > 0;
    return [{ words: words.join(" "), summary: command.summary(), isGroup, flags }, ...commandsBelow(command, words)];
  });
}

export async function commandsDocument(): Promise<string> {
  const { chaind, chainvisor } = await programCommands();
  return `# Commands

Every command of \`chaind\` and \`chainvisor\`. This page is made from the programs (\`npm run generate:docs\`). \`chaind help COMMAND\` prints
the arguments, flags and examples of a command.

A program of your own chain has the commands of \`chaind\`; below \`query\` and \`tx\` it has one for each query and message of its modules. Those
listed here are the example chain's.

## \`chaind\`

${tableOf(chaind)}

## \`chainvisor\`

${tableOf(chainvisor)}
`;
}

const tableOf = (commands: readonly Command[]): string =>
  [
    "| command | what it does |",
    "| --- | --- |",
    ...commands.map(({ words, summary }) => `| \`${words}\` | ${summary.replaceAll("|", "\\|")} |`),
  ].join("\n");
