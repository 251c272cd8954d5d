/** Files beside the plan's own that a judgement rests on: when one of them changes, the judgement is made again. */
import { join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { decodeLossy } from "../../base/text/text.js";
import { kindOfProgram } from "../../node/programs/program-kind.js";
import { queueFile } from "../decide/decision/queue.js";
import type { Settings } from "../decide/settings.js";
import { currentLink } from "./current-link.js";
import { scriptFile } from "./script.js";

const SCRIPT_BYTES_MAX = 4_096;
const NAMED_MAX = 16;
/** What a start of the new version reads. */
const CONFIGURATION = ["app.toml", "config.toml", "client.toml"];

/** Changes with each of them. @param program of the plan */
export function watchedPrint(files: Files, settings: Settings, program: string): string {
  const { home, root, customPreUpgrade } = settings;
  const paths = [
    program,
    ...filesNamedIn(files, program),
    ...CONFIGURATION.map((name) => join(home, "config", name)),
    ...(customPreUpgrade === "" ? [] : [scriptFile(settings)]),
    currentLink(root),
    queueFile(root),
  ];
  return JSON.stringify(paths.map((path) => printOf(files, path)));
}

/** Changes with each handler of a home, staged or not; not with what is fetched into a folder beside it. */
export function handlersPrint(files: Files, home: string): string {
  const folders = [join(home, "handlers"), join(home, "handlers", "staged")];
  const handlers = folders.flatMap((folder) =>
    namesIn(files, folder)
      .filter((name) => name.endsWith(".wasm"))
      .map((name) => join(folder, name)),
  );
  return JSON.stringify(handlers.map((file) => printOf(files, file)));
}

function namesIn(files: Files, folder: string): readonly string[] {
  try {
    return files.list(folder)?.toSorted() ?? [];
  } catch {
    return []; // The start reports it.
  }
}

/** With the permissions, and where a link leads. */
function printOf(files: Files, path: string): string {
  try {
    const link = files.linkFacts(path)?.kind === "link" ? files.readLink(path) : "";
    const { print = "", mode = 0 } = files.facts(path) ?? {};
    return `${link} ${print} ${mode}`;
  } catch (error) {
    return String(error);
  }
}

/** Absolute paths in a script: what it starts may be removed while the script stays. */
function filesNamedIn(files: Files, program: string): readonly string[] {
  try {
    if (!files.facts(program) || kindOfProgram(files, program).format !== "script") return [];
    const text = decodeLossy(files.readPart(program, 0, SCRIPT_BYTES_MAX));
    return [...new Set(text.match(/(?<![^\s"'=!])\/[^\s"'`$;|&()<>]+/g) ?? [])].slice(0, NAMED_MAX);
  } catch {
    return []; // The attempt reports it.
  }
}
