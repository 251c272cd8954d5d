/** Evidence out of a file: JSON, or the page as a reader saved it, which holds the same JSON in an element of its own. */
/** Of a saved page: a witness of two million entries is in it, when the upgrade was run there. */
export const SAVED_PAGE_BYTES_MAX = 256 * 1_024 * 1_024;

/** Ids of the elements of a saved page. */
export type SavedPart = "saved" | "saved-run";

/**
 * The JSON text of evidence. Nothing else of a page is read, and no script of it runs.
 *
 * @param text of the whole file
 * @param refuse makes the error of the caller
 * @throws what `refuse` makes, when the file has no evidence
 */
export function evidenceText(text: string, refuse: (why: string) => Error): string {
  if (!text.trimStart().startsWith("<")) return text;
  const evidence = savedPart(text, "saved");
  if (evidence !== undefined && evidence !== "null") return evidence;
  throw refuse(
    evidence === undefined
      ? "the file is HTML, and not a saved page of an upgrade"
      : "the page was saved without evidence: use its own button, Save as one file",
  );
}

/** The text of an element that holds JSON; a `<` in it is escaped. Undefined: there is no such element. */
export function savedPart(page: string, part: SavedPart): string | undefined {
  const opening = `<script type="application/json" id="${part}">`;
  const at = page.lastIndexOf(opening);
  if (at < 0) return undefined;
  const begin = at + opening.length;
  const end = page.indexOf("<", begin);
  // A page that was cut has no end; what is left is no JSON then.
  return page.slice(begin, end < 0 ? undefined : end);
}
