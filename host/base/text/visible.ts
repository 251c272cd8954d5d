/**
 * Text that others wrote, for a terminal or a log for people: names, infos, messages of handlers, memos. Some characters do
 * not show, or change how what is around them shows: controls (which also drive terminals), directions of writing, those of
 * no width, tags. They are written as their numbers, so that nothing looks like what it is not. This is the one place.
 */
import { codePointOf } from "./checked-index.js";
import { cutText } from "./text.js";

/**
 * C0 and C1 controls and DEL; soft hyphen; marks, embeddings, overrides and isolates of direction; zero-width characters and
 * joiners; separators of lines and paragraphs; interlinear annotation; tags and everything else of plane 14.
 */
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\u034f/u;
const ALL_HIDDEN = new RegExp(HIDDEN.source, "gu");

/** Does it hold a character that does not show as itself? */
export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

/** Each of them as `\u202e`, as JSON and YAML have it too. */
export function visible(text: string): string {
  return text.replace(ALL_HIDDEN, escaped);
}

/**
 * A name within other words: in quotation marks that it cannot close, with escapes of JSON, and cut where it is longer than any
 * name may be, so that it is seen where it ends.
 */
export function quoted(text: string, bytesMax: number): string {
  const cut = cutText(text, bytesMax);
  return visible(JSON.stringify(cut)) + (cut.length < text.length ? "…" : "");
}

/** The same for text of several lines, or in columns: breaks of lines and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(ALL_HIDDEN, (letter) => (letter === "\n" || letter === "\t" ? letter : escaped(letter)));
}

/** The same for JSON: what is above U+FFFF is written as two halves, as JSON has it. Its value does not change. */
export function visibleJson(json: string): string {
  return json.replace(ALL_HIDDEN, (letter) =>
    Array.from({ length: letter.length }, (_, i) => `\\u${letter.charCodeAt(i).toString(16).padStart(4, "0")}`).join(
      "",
    ),
  );
}

function escaped(letter: string): string {
  const code = codePointOf(letter);
  const hex = code.toString(16);
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}
