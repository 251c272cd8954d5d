/**
 * `version` and the top-level help of the package's own program, recorded when the package is built: they are printed before the
 * program is loaded. Whatever could change such a result makes the program produce it itself.
 */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface KnownResults {
  /** The program's name. */
  readonly name: string;
  readonly texts: readonly string[];
  /** Arguments, each followed by a NUL, → place in `texts`. */
  readonly places: Readonly<Record<string, number>>;
}

/** Flags of `version`. A setting of the home that is named so could change its result. */
const OWN_SETTINGS = /^(?:output|log.*|trace|long|help|version)$/;

/** The recorded result. Undefined when the program must find it. */
export function knownResult(
  { name, texts, places }: KnownResults,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const place = places[args.map((arg) => `${arg}\0`).join("")];
  if (place === undefined) return undefined;
  const prefix = `${name.replaceAll("-", "_").toUpperCase()}_`;
  // Settings of the environment, a sidecar's among them, may be wrong or choose another form.
  if (Object.keys(env).some((key) => key.startsWith(prefix) || key.startsWith("DAEMON_"))) return undefined;
  if (args[0] === "version" && !hasPlainSettings(name)) return undefined;
  return texts[place];
}

/** No client.toml, or one of plain texts, none of which is a setting of `version`. */
function hasPlainSettings(name: string): boolean {
  try {
    const file = join(homedir(), `.${name}`, "config", "client.toml");
    // Reading a pipe would wait for ever.
    if (!statSync(file).isFile()) return false;
    const keys = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => !/^(?:#[\t -~]*)?$/.test(line))
      .map((line) => (line === 'output = "text"' ? "text" : /^([a-z-]+) = "[ !#-[\]-~]*"$/.exec(line)?.[1]));
    return keys.every((key, at) => key !== undefined && !OWN_SETTINGS.test(key) && keys.indexOf(key) === at);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT";
  }
}
