/** The settings of app.toml that an application reads at its start, and that decide which heights it makes. */
import type { Files } from "../../base/files/files.js";
import { configPath, parseConfig } from "../../base/terminal/config-file.js";
import { decodeLossy } from "../../base/text/text.js";
import type { Readiness } from "./status.js";

const NAMES = [
  ...["halt-height", "max-blocks", "app-version", "unsafe-skip-upgrades", "skip-upgrade-heights"],
  ...["handlers", "handlers-staged", "engine"],
];
const BYTES_MAX = 1_024 * 1_024;
const DETAIL =
  "app.toml has changed since the application was started: it runs with the settings it had then, and reads the new ones at its next start";

/** Compares the settings of a running application with those of the file. */
export class HeightSettings {
  #started: string | undefined;
  #print: string | undefined;
  #read: string | undefined;

  constructor(
    private readonly files: Files,
    private readonly home: string,
  ) {}

  /** Call it before the application is started: a change between the two makes a row too many, and never one too few. */
  runBegins(): void {
    this.#started = this.#now();
  }

  /**
   * Returns a row for a node that is not ready, or none where the settings are the same or the file cannot be read.
   * @param restart the command that starts the application again
   */
  readiness(restart: string): readonly Readiness[] {
    const now = this.#now();
    if (now === undefined || this.#started === undefined || now === this.#started) return [];
    return [{ what: "settings", state: "missing", detail: DETAIL, next: restart }];
  }

  /** The file is read again only when it has changed. */
  #now(): string | undefined {
    try {
      const path = configPath(this.home, "app");
      const print = this.files.facts(path)?.print ?? "";
      if (print === this.#print) return this.#read;
      const bytes = this.files.read(path, BYTES_MAX);
      this.#read = undefined;
      this.#print = print;
      const table = bytes ? parseConfig(path, decodeLossy(bytes)) : {};
      this.#read = JSON.stringify(NAMES.map((name) => textOf(table[name])));
      return this.#read;
    } catch {
      return undefined; // The next start of the application reports it.
    }
  }
}

/** A height of 0, an empty text and no setting are the same; a table is another program's setting. */
function textOf(value: unknown): string {
  const text = String(value ?? "");
  return text === "0" ? "" : text;
}
