/** Help texts in the shape that operators know: usage, aliases, arguments, examples, commands, flags, global flags. */
import type { Command } from "commander";

/** What a command of these programs has besides those of commander. */
interface CommandParts extends Command {
  readonly examples?: readonly string[];
  readonly globals?: ReadonlyMap<string, string | undefined>;
}

const LINE_WIDTH = 120;

export function formatHelp(command: Command): string {
  const path = pathOf(command);
  const groups = visible(command.commands);
  const sections = [
    command.description() || command.summary(),
    `Usage:\n${usageLines(command, path, groups.length > 0)}`,
    aliases(command),
    argumentLines(command),
    examples(command, path),
    groups.length > 0 && `Available Commands:\n${columns(groups.map((each) => [each.name(), summaryOf(each)]))}`,
    `Flags:\n${flags([...command.options, helpOption(command)])}`,
    globalFlags(command),
    groups.length > 0 && `Use "${path} [command] --help" for more information about a command.`,
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function summaryOf(command: Command): string {
  return command.summary() || (command.description().split("\n")[0] ?? "");
}

function visible(commands: readonly Command[]): Command[] {
  return commands
    .filter((command) => (command as Command & { _hidden?: boolean })._hidden !== true)
    .sort((a, b) => (a.name() < b.name() ? -1 : 1));
}

function usageLines(command: Command, path: string, isGroup: boolean): string {
  if (isGroup) return `  ${path} [flags]\n  ${path} [command]`;
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return `  ${[path, ...words, "[flags]"].join(" ")}`;
}

function aliases(command: Command): string | false {
  const names = [command.name(), ...command.aliases()];
  return names.length > 1 && `Aliases:\n  ${names.join(", ")}`;
}

/** Cobra has no such section: its commands say in their texts what an argument is. */
function argumentLines(command: Command): string | false {
  const described = command.registeredArguments.filter(({ description }) => description);
  return described.length > 0 && `Arguments:\n${columns(described.map((each) => [each.name(), each.description]))}`;
}

function examples(command: Command, path: string): string | false {
  const lines = (command as CommandParts).examples ?? [];
  const program = path.split(" ")[0];
  return lines.length > 0 && `Examples:\n${lines.map((line) => `  ${program} ${line}`).join("\n")}`;
}

interface Flag {
  readonly short?: string | undefined;
  readonly long?: string | undefined;
  readonly flags: string;
  readonly description: string;
  readonly defaultValue?: unknown;
  readonly defaultValueDescription?: string | undefined;
  readonly argChoices?: readonly string[] | undefined;
  readonly hidden?: boolean;
}

function helpOption(command: Command): Flag {
  return { short: "-h", long: "--help", flags: "-h, --help", description: `help for ${command.name()}` };
}

/** The program's own; a group's are those of the command itself, or of another one of the group. */
function globalFlags(command: Command): string | false {
  if (!command.parent) return false;
  const words = new Map<string, string | undefined>();
  let root: Command = command;
  for (; root.parent; root = root.parent)
    for (const [long, text] of (root as CommandParts).globals ?? []) if (!words.has(long)) words.set(long, text);
  const inherited = root.options.flatMap((option): Flag[] => {
    const { short, long = "", flags: shape } = option;
    if (long === "--version" || (words.has(long) && words.get(long) === undefined)) return [];
    const description = words.get(long);
    return [description === undefined ? option : { short, long, flags: shape, description }];
  });
  return inherited.length > 0 && `Global Flags:\n${flags(inherited)}`;
}

function flags(all: readonly Flag[]): string {
  const shown = all.filter(({ hidden }) => hidden !== true);
  const sorted = [...shown].sort((a, b) => ((a.long ?? "") < (b.long ?? "") ? -1 : 1));
  return columns(sorted.map((flag) => [flagText(flag), flagWords(flag)]));
}

/** `-o, --output string` */
function flagText({ short, long, flags }: Flag): string {
  const type = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1];
  return `${short ? `${short}, ` : "    "}${long}${type ? ` ${type}` : ""}`;
}

function flagWords({ description, defaultValue, defaultValueDescription, argChoices }: Flag): string {
  const choices = argChoices ? ` (${argChoices.join("|")})` : "";
  const preset = defaultValueDescription ?? (typeof defaultValue === "boolean" ? undefined : defaultValue);
  const isNothing = preset === undefined || ["", "0"].includes(String(preset));
  return `${description}${choices}${isNothing ? "" : ` (default ${quoted(preset)})`}`;
}

function quoted(preset: unknown): string {
  const text = String(preset);
  return /^([0-9.]+[a-z]*)$/.test(text) ? text : `"${text}"`;
}

/** Two columns; what does not fit on the line goes on below, under the second. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 3;
  return rows
    .map(([left, right]) => {
      const [first = "", ...rest] = wrapped(right, LINE_WIDTH - width - 2);
      return [`  ${left.padEnd(width)}${first}`, ...rest.map((line) => " ".repeat(width + 2) + line)].join("\n");
    })
    .join("\n");
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
