/** Suggestions for misspelt names. */
import { itemAt } from "./at.js";

/** Edits up to which two names count as alike. */
const NEAR = 2;
/** Longer words get no suggestion: comparing takes time. */
const WORD_MAX = 60;

/** Returns the name that `word` most likely meant: one that it begins, or one within two edits; undefined if there is none. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: name.startsWith(word) ? 0 : distance(word, name) }))
    .sort((a, b) => a.distance - b.distance || a.name.length - b.name.length);
  const [best] = ranked;
  // Two words of which no letter is the same are not alike, however short they are.
  const isAlike = best && best.distance <= NEAR && best.distance < Math.max(word.length, best.name.length);
  return isAlike ? best.name : undefined;
}

/** Describes a wrong name: what is valid and, if one is close, what was probably meant. */
export function unknownName(word: string, names: readonly string[]): string {
  const near = word === "" || word.length > WORD_MAX ? undefined : nearest(word, names);
  return `${near === undefined ? "" : ` (did you mean "${near}"?)`}. Valid: ${names.length === 0 ? "none" : names.join(", ")}`;
}

/** Edits from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = itemAt(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, itemAt(row, j) + 1, itemAt(next, j - 1) + 1));
    }
    row = next;
  }
  return itemAt(row, b.length);
}
