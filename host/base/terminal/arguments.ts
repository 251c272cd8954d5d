/**
 * The command line as the Cosmos SDK's programs take it, made into what the parser takes: `-o=json`, `--yes=false`,
 * underscores for hyphens, `--json`, values that begin with a hyphen. What it does not know it leaves as it is.
 */
import type { Command, Option } from "commander";
import { usage } from "./usage.js";

export interface ReadyArguments {
  readonly args: readonly string[];
  /** Long names of the switches that were turned off in so many words (`--yes=false`). */
  readonly off: ReadonlySet<string>;
}

type Kind = "switch" | "value" | "optional value" | "optional file";

interface KnownFlag {
  readonly long: string;
  readonly kind: Kind;
}

export function readyArguments(args: readonly string[], program: Command): ReadyArguments {
  const reader = new ArgumentReader(args, flagsOf(program));
  return reader.read();
}

/** `true` or `false` as pflag reads them. */
export function parseSwitch(text: string): boolean | undefined {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  return /^(0|f|F|false|FALSE|False)$/.test(text) ? false : undefined;
}

function kindOf(option: Option): Kind {
  if (option.required) return "value";
  if (!option.optional) return "switch";
  return option.flags.endsWith(" [file]") ? "optional file" : "optional value";
}

/** Every flag of the tree by its long name with hyphens, and by its short one. */
function flagsOf(program: Command): Map<string, KnownFlag> {
  const known = new Map<string, KnownFlag>([
    ["--help", { long: "--help", kind: "switch" }],
    ["-h", { long: "--help", kind: "switch" }],
  ]);
  const visit = (command: Command): void => {
    for (const option of command.options) {
      if (!option.long) continue;
      const flag = { long: option.long, kind: kindOf(option) };
      known.set(hyphenated(option.long), flag);
      if (option.short) known.set(option.short, flag);
    }
    for (const each of command.commands) visit(each);
  };
  visit(program);
  return known;
}

const hyphenated = (flag: string) => flag.replaceAll("_", "-");

class ArgumentReader {
  readonly #out: string[] = [];
  /** Flags whose value may be left out are at the end, so that nothing after them is taken for it. */
  readonly #bare: string[] = [];
  readonly #off = new Set<string>();
  #at = 0;

  constructor(
    private readonly args: readonly string[],
    private readonly flags: ReadonlyMap<string, KnownFlag>,
  ) {}

  read(): ReadyArguments {
    for (; this.#at < this.args.length; this.#at++) {
      const arg = this.args[this.#at] as string;
      if (arg === "--") break;
      if (arg.startsWith("--")) this.#long(arg);
      else if (/^-[a-zA-Z]/.test(arg)) this.#short(arg);
      else this.#out.push(arg);
    }
    return { args: [...this.#out, ...this.#bare, ...this.args.slice(this.#at)], off: this.#off };
  }

  #long(arg: string): void {
    const equals = arg.indexOf("=");
    const name = equals < 0 ? arg : arg.slice(0, equals);
    if (hyphenated(name) === "--json" && !this.flags.has("--json")) this.#out.push("--output=json");
    else this.#flag(name, arg, equals < 0 ? undefined : arg.slice(equals + 1));
  }

  #flag(name: string, arg: string, given: string | undefined): void {
    const flag = this.flags.get(hyphenated(name));
    if (!flag) this.#out.push(arg);
    else if (flag.kind === "switch") this.#switch(flag.long, given);
    else if (flag.kind === "value") this.#value(flag.long, given ?? this.#next());
    else this.#optional(flag, given);
  }

  #switch(long: string, given: string | undefined): void {
    const isOn = given === undefined ? true : parseSwitch(given);
    if (isOn === undefined) throw usage(`invalid argument "${given}" for "${long}" flag: expected true or false`);
    if (isOn) this.#off.delete(long);
    else this.#off.add(long);
    if (isOn) this.#out.push(long);
  }

  #value(long: string, value: string | undefined): void {
    this.#out.push(value === undefined ? long : `${long}=${value}`);
  }

  /** What comes after it is its value where it is a number, or any word where a file is asked for; anything else needs `=`. */
  #optional({ long, kind }: KnownFlag, given: string | undefined): void {
    const next = this.args[this.#at + 1];
    const isValue = next !== undefined && (kind === "optional file" ? /^(-?$|[^-])/ : /^[0-9]+$/).test(next);
    const value = given ?? (isValue ? this.#next() : undefined);
    if (value === undefined) this.#bare.push(long);
    else this.#out.push(`${long}=${value}`);
  }

  #next(): string | undefined {
    return this.args[++this.#at];
  }

  /** `-o json`, `-o=json`, `-ojson`, `-yo json`. */
  #short(arg: string): void {
    for (let at = 1; at < arg.length; at++) {
      const flag = this.flags.get(`-${arg[at]}`);
      if (!flag) {
        this.#out.push(at === 1 ? arg : `-${arg.slice(at)}`);
        return;
      }
      const rest = arg.slice(at + 1);
      if (flag.kind === "switch" && !rest.startsWith("=")) {
        this.#switch(flag.long, undefined);
        continue;
      }
      this.#flag(flag.long, arg, rest === "" ? undefined : rest.replace(/^=/, ""));
      return;
    }
  }
}
