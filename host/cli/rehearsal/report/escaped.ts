/** Text in a page. */
import { visibleLines } from "../../../base/text/visible.js";

/** Texts of others: characters that do not show are written as their numbers. */
export function escaped(text: string): string {
  const letters: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return visibleLines(text).replace(/[&<>"']/g, (letter) => letters[letter] ?? letter);
}
