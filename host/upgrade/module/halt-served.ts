/** A halt record for everybody: what is needed to understand the halt, without a path of the operator's machine. */
import { shellWord } from "../../base/text/shell-word.js";
import type { HaltRecord } from "./halt.js";

/** Of the handler its hash alone; in the texts `<home>` is the node's folder and `<path>` any other file or folder. */
export type ServedHalt = Omit<HaltRecord, "handler"> & { readonly handler: { readonly sha256: string } | null };

/** @param home the node's folder @param paths other files and folders that it was given: these may have spaces */
export function servedHalt(record: HaltRecord, home: string, paths: readonly string[]): ServedHalt {
  const { handler, message, next } = record;
  const file = handler?.file;
  const known = file ? [file, ...paths] : paths;
  const words = withoutPaths(next, home, known);
  return {
    ...record,
    handler: handler && { sha256: handler.sha256 },
    message: withoutPaths(message, home, known),
    next: words,
    commands: Array.from(words.matchAll(/`([^`]*)`/g), ([, command = ""]) => command),
  };
}

/** What begins like a path: in a shell's quotation marks, in others, or up to the next space; no URL of the web. */
const ROOT = String.raw`(?:file:\/\/|~|\.{1,2})?\/|[A-Za-z]:\\|\\\\`;
const ANY_PATH = new RegExp(
  [
    String.raw`'(?:${ROOT})(?:[^']|'\\'')*'`,
    `"(?:${ROOT})[^"]*"`,
    String.raw`(?<![^\s\x60'"(\[=,:])(?<!:(?=\/\/))(?:${ROOT})[^\s\x60'")\],;]*[^\s\x60'")\],;:.]`,
  ].join("|"),
  "g",
);

function withoutPaths(text: string, home: string, paths: readonly string[]): string {
  let left = without(text, home, "<home>");
  // The longest first: a folder may be the beginning of another path.
  for (const path of [...paths].sort((a, b) => b.length - a.length)) {
    if (!path.startsWith(`${home}/`)) left = without(left, path, "<path>");
  }
  return left.replace(ANY_PATH, "<path>");
}

/** As it is, and as a shell has to read it; whole, or as the folder of something. */
function without(text: string, path: string, name: string): string {
  if (path === "") return text;
  const inQuotes = path.replaceAll("'", "'\\''");
  const forms = [...new Set([shellWord(path), inQuotes, path])].map((form) =>
    form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
  );
  return text.replace(new RegExp(`(?<![\\w/.<-])(?:${forms.join("|")})(?![\\w-]|\\.\\w)`, "g"), name);
}
