/** What a unit file of systemd says: its keys, the environment that it sets, its times. */
import { decodeLossy } from "../../../base/text/text.js";

export class UnitText {
  constructor(private readonly text: string) {}

  static of(bytes: Uint8Array): UnitText {
    // A line may go on in the next one.
    return new UnitText(decodeLossy(bytes).replace(/\\\r?\n/g, " "));
  }

  has(pattern: RegExp): boolean {
    return pattern.test(this.text);
  }

  mentions(words: string): boolean {
    return this.text.includes(words);
  }

  /** Of a key that counts once: the last one. */
  last(key: string): string | undefined {
    return this.#all(key).at(-1);
  }

  /** Undefined where a file, or the system, may set what is not here. */
  variable(name: string): string | undefined {
    const found = this.#all("Environment").flatMap(words);
    return found.findLast((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  }

  /** The program of `ExecStart`, without systemd's marks before it. */
  get program(): string | undefined {
    return words(this.last("ExecStart") ?? "")[0]?.replace(/^[-@:+!]+/, "");
  }

  /** The words of `ExecStart` after the program. @param env whose variables they may name */
  args(env: Readonly<Record<string, string | undefined>>): string[] {
    const variableOf = (name: string) => env[name] ?? "";
    return words(this.last("ExecStart") ?? "")
      .slice(1)
      .flatMap((word) => {
        // A word of its own is split; in braces, or in another word, it is not.
        const whole = /^\$([A-Za-z_]\w*)$/.exec(word)?.[1];
        if (whole !== undefined) return variableOf(whole).split(/\s+/).filter(Boolean);
        return [
          word.replace(/\$\$|\$\{([A-Za-z_]\w*)\}/g, (_, name?: string) =>
            name === undefined ? "$" : variableOf(name),
          ),
        ];
      });
  }

  /** `ExecSearchPath`: the PATH of the program where no variable sets one. */
  get searchPath(): string | undefined {
    return afterReset(this.#all("ExecSearchPath")).filter(Boolean).join(":") || undefined;
  }

  /** Files with variables, in their order, each with whether it may be missing. */
  get environmentFiles(): readonly { readonly path: string; readonly mayBeMissing: boolean }[] {
    return afterReset(this.#all("EnvironmentFile")).map((path) => ({
      path: path.replace(/^-/, ""),
      mayBeMissing: path.startsWith("-"),
    }));
  }

  /** Of `Environment`, without files. */
  get environment(): Readonly<Record<string, string>> {
    return assigned(afterReset(this.#all("Environment")).flatMap(words));
  }

  #all(key: string): string[] {
    return [...this.text.matchAll(new RegExp(`^${key}[ \\t]*=(.*)$`, "gm"))].map(([, value = ""]) => value.trim());
  }
}

/** An empty value takes back those before it. */
const afterReset = (values: readonly string[]): readonly string[] => values.slice(values.lastIndexOf("") + 1);

const assigned = (found: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    found.flatMap((word) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );

/** The variables of a file that `EnvironmentFile` names: a line each, with or without quotes around the value. */
export function variablesIn(bytes: Uint8Array): Readonly<Record<string, string>> {
  const lines = decodeLossy(bytes)
    .replace(/\\\r?\n/g, "")
    .split(/\r?\n/);
  return assigned(
    lines
      .map((line) => line.trim())
      .filter((line) => !/^[#;]/.test(line))
      .map((line) => line.replace(/^(\w+)\s*=\s*(["']?)(.*)\2$/s, "$1=$3")),
  );
}

/** Words with quotes around them or around a part; `%%` is a per cent sign. */
function words(text: string): string[] {
  const found = text.match(/(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|[^\s"'\\])+/g) ?? [];
  return found.map((word) =>
    word
      .replace(/"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/g, (_, double, single) => double ?? single ?? "")
      .replace(/\\(.)/g, "$1")
      .replaceAll("%%", "%"),
  );
}

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  sec: 1,
  min: 60,
  m: 60,
  h: 3600,
  hr: 3600,
  d: 86_400,
};

/** `90`, `30min`, `1h 30min`, `infinity`; what cannot be read counts as long enough. */
export function unitSeconds(text: string): number {
  if (text === "infinity" || text === "0") return Number.POSITIVE_INFINITY;
  const parts = [...text.matchAll(/([0-9.]+)\s*([a-z]*)/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit || "s"] ?? Infinity), 0);
}
