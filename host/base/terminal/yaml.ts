/** A JSON value as YAML, for people. Only `yamlText` in output.ts imports this file, so that a start does not load the package. */
import { Document, visit } from "yaml";
import { hasHidden, visibleLines } from "../text/visible.js";

export type YamlValue =
  | null
  | boolean
  | number
  | string
  | readonly YamlValue[]
  | { readonly [name: string]: YamlValue };

/**
 * Strings that the package would not quote: `0b-1` and `-0X1F` are numbers to readers written in Go, and `---` and `...` at
 * the beginning of a line end the document.
 */
const AMBIGUOUS = /^([-+]?0[xob]|---|\.\.\.)/i;
/** Lines of white space alone: the package writes them as a block whose first line a reader takes for the indentation. */
const BLANK = /^\n*[ \t]\s*$/;

/**
 * Block style with sorted keys and unfolded lines, which ends with a line break. A string that YAML 1.1 or 1.2 would read
 * as another type is in double quotes. So is one with characters that do not show: they become escapes.
 */
export function jsonToYaml(value: YamlValue): string {
  const document = new Document(value, {
    compat: "yaml-1.1",
    sortMapEntries: true,
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value !== "string") return;
      scalar.value = scalar.value.toWellFormed();
      if (needsQuotes(scalar.value as string)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  const text = document.toString({ lineWidth: 0, indentSeq: false, blockQuote: "literal", doubleQuotedAsJSON: true });
  return visibleLines(text);
}

function needsQuotes(text: string): boolean {
  return AMBIGUOUS.test(text) || BLANK.test(text) || hasHidden(text.replaceAll("\n", ""));
}
