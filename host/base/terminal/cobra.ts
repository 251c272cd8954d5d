/**
 * Commands that behave as the Cosmos SDK's programs do: the shape of their help, the words of their usage errors, groups
 * that print their help, flags in a fixed order. Built on commander.
 */

import { Command, type ErrorOptions } from "commander";
import type { UpgradeError } from "../errors/errors.js";
import { nearest } from "../text/text.js";
import { formatHelp } from "./help.js";
import { usage } from "./usage.js";

export class Cobra extends Command {
  readonly examples: string[] = [];
  /** What help says here of flags that every command has: other words, or nothing (undefined) where one has no meaning. */
  readonly globals = new Map<string, string | undefined>();

  override createCommand(name?: string): Cobra {
    return new Cobra(name);
  }

  /** A line of the help's examples, without the program's name. */
  example(...lines: readonly string[]): this {
    this.examples.push(...lines);
    return this;
  }

  /** Of this command and those below it, by the long name of the flag. */
  describeGlobals(words: Readonly<Record<string, string | undefined>>): this {
    for (const [long, text] of Object.entries(words)) this.globals.set(long, text);
    return this;
  }

  /** A command that only holds others: alone it prints its help. */
  group(): this {
    return this.action(() => this.print(formatHelp(this)));
  }

  /** Writes to stdout, as commander does with help: `configureOutput` of the program says where that is. */
  print(text: string): void {
    this.configureOutput().writeOut?.(text);
  }

  override helpInformation(): string {
    return formatHelp(this);
  }

  override error(message: string, options: ErrorOptions = {}): never {
    throw usageError(this, message, options.code ?? "");
  }
}

/** The program that a command is of. Its name is the program's. */
export function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

/** `chaind query upgrade` */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

function usageError(command: Command, message: string, code: string): UpgradeError {
  const text = message.replace(/^error: /, "").replace(/\n\(Did you mean (.*)\?\)$/, ' (did you mean "$1"?)');
  return usage(`${inFieldWords(command, text, code).replace(/\.$/, "")}; see \`${commandPath(command)} --help\``);
}

function inFieldWords(command: Command, text: string, code: string): string {
  switch (code) {
    case "commander.unknownOption":
      return `${text.replace(/^unknown option '([^']*)'/, "unknown flag: $1")}${hintAtOthers(command)}`;
    case "commander.optionMissingArgument":
      return `flag needs an argument: ${/'(?:.*, )?(--[^ ']+)/.exec(text)?.[1] ?? text}`;
    case "commander.missingArgument":
    case "commander.excessArguments":
      return wrongCount(command);
    case "commander.invalidArgument":
      return text.replace(
        /^option '(?:-., )?(--[^ ']+)[^']*' argument '([\s\S]*?)' is invalid\. /,
        'invalid argument "$2" for "$1" flag: ',
      );
    default:
      return text;
  }
}

/** Of a command that passes flags on: its argument's own words have the `--`. */
function hintAtOthers({ registeredArguments }: Command): string {
  const hint = registeredArguments.map(({ description }) => / ([\w ]+) after --/.exec(description)?.[1]).find(Boolean);
  return hint === undefined ? "" : `; ${hint} come after \`--\``;
}

/** A group that was given a word it does not know, or a command with more or fewer arguments than it takes. */
function wrongCount(command: Command): string {
  const [first] = command.args;
  if (command.commands.length > 0 && first !== undefined) {
    const near = nearest(first, command.commands.filter((each) => !isHidden(each)).flatMap(namesOf));
    const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
    return `unknown command "${first}" for "${commandPath(command)}"${hint}`;
  }
  const most = command.registeredArguments.length;
  const least = command.registeredArguments.filter(({ required }) => required).length;
  if (command.registeredArguments.at(-1)?.variadic) {
    return `requires at least ${least} arg(s), only received ${command.args.length}`;
  }
  const takes = most === least ? String(most) : `between ${least} and ${most}`;
  return `accepts ${takes} arg(s), received ${command.args.length}${repeatHint(command)}`;
}

/** A shell's pattern after a flag gives it the first name alone. */
function repeatHint(command: Command): string {
  const first = command.options.find(
    (each) => each.variadic && command.getOptionValue(each.attributeName()) !== undefined,
  );
  return first ? ` (repeat ${first.long} before each of its values)` : "";
}

const namesOf = (command: Command) => [command.name(), ...command.aliases()];

export function isHidden(command: Command): boolean {
  return (command as Command & { _hidden?: boolean })._hidden === true;
}
