/**
 * The layout of YAML: columns, line breaks, and the four forms of a text. Knows nothing of collections; a caller gives the
 * columns to indent by.
 */
import { codePointOf } from "../../text/checked-index.js";
import { isYamlPrintable, yamlStringForm } from "./yaml-string-form.js";

/** After this column a text is folded at its next space. */
const WIDTH = 80;
const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\0", "\\0"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\x1b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x85", "\\N"],
  ["\xa0", "\\_"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

/** How one form of a text is written, apart from its quotes. */
interface FlowRules {
  /** What is written for a character. */
  readonly write: (character: string) => string;
  /** Columns before the lines that folding makes; undefined: never folded. */
  readonly indent: number | undefined;
  /** Double quotes keep a space at the beginning of a folded line, after a backslash. */
  readonly foldsBeforeSpace: boolean;
}

export class YamlWriter {
  /** Columns of one level. */
  static readonly INDENT = 2;

  #text = "";
  #column = 0;
  #isFresh = true;

  get text(): string {
    return this.#text;
  }

  /** True while the line holds nothing but spaces and the marks of collections. */
  get isFresh(): boolean {
    return this.#isFresh;
  }

  /** Begins a line of that indentation; the current one is it when it is fresh and not longer. */
  indent(columns: number): void {
    if (!this.#isFresh || this.#column > columns) this.#break("\n");
    this.#pad(columns);
    this.#isFresh = true;
  }

  /** `-`, `?` or `:`, after which a collection may begin on the same line. */
  mark(mark: "-" | "?" | ":"): void {
    this.#gap();
    this.#put(mark);
  }

  /** A scalar that is written as it is. */
  word(text: string): void {
    this.#gap();
    this.#put(text);
    this.#isFresh = false;
  }

  /** A key of one line, and its colon. */
  key(text: string): void {
    this.#flow(text, undefined, yamlStringForm(text));
    this.#put(":");
  }

  /** A text in the form that it needs; `parent`: columns before the collection that holds it. */
  string(text: string, parent: number): void {
    const indent = Math.max(parent, 0) + YamlWriter.INDENT;
    const form = yamlStringForm(text);
    if (form === "literal") this.#literal(text, indent);
    else this.#flow(text, indent, form);
  }

  #flow(text: string, indent: number | undefined, form: "plain" | "single" | "double" | "literal"): void {
    this.#gap();
    this.#isFresh = false;
    if (form === "plain") this.#characters(text, { write: same, indent, foldsBeforeSpace: false });
    else if (form === "single") {
      this.#put("'");
      this.#characters(text, { write: doubleQuote, indent, foldsBeforeSpace: false });
      this.#put("'");
    } else {
      // The emitter takes a byte order mark at the beginning for one at every character.
      const write = text.startsWith("\ufeff") ? escapeCode : escapeSpecial;
      this.#put('"');
      this.#characters(text, { write, indent, foldsBeforeSpace: true });
      this.#put('"');
    }
  }

  #characters(text: string, { write, indent, foldsBeforeSpace }: FlowRules): void {
    const characters = [...text];
    let afterSpace = false;
    let afterBreak = false;
    for (const [at, character] of characters.entries()) {
      const written = write(character);
      if (written === " ") {
        const beforeSpace = characters[at + 1] === " ";
        const isInside = at > 0 && at < characters.length - 1;
        const isWide = this.#column > WIDTH && isInside && !afterSpace && (foldsBeforeSpace || !beforeSpace);
        if (isWide && indent !== undefined) {
          this.#break("\n");
          this.#pad(indent);
          if (beforeSpace) this.#put("\\");
        } else this.#put(" ");
        afterSpace = true;
      } else if (isBreak(written)) {
        this.#break(written);
        afterBreak = true;
      } else {
        if (afterBreak) this.#pad(indent ?? 0);
        this.#put(written);
        afterSpace = afterBreak = false;
      }
    }
  }

  /** `|`: the lines as they are. `2` after it: the first line begins with a space or is empty; `-`, `+`: the end. */
  #literal(text: string, indent: number): void {
    const hint = /^[ \n\u2028\u2029]/.test(text) ? String(YamlWriter.INDENT) : "";
    const end = /[\n\u2028\u2029]$/.test(text) ? (/(^|[\n\u2028\u2029]).$/s.test(text) ? "+" : "") : "-";
    this.#gap();
    this.#put(`|${hint}${end}`);
    this.#break("\n");
    for (const part of text.split(/([\n\u2028\u2029])/)) {
      if (isBreak(part)) this.#break(part);
      else if (part !== "") {
        this.#pad(indent);
        this.#put(part);
      }
    }
    this.#isFresh = this.#column === 0;
  }

  /** A space unless the line is new or ends with one. */
  #gap(): void {
    if (this.#column > 0 && !this.#text.endsWith(" ")) this.#put(" ");
  }

  #pad(columns: number): void {
    if (this.#column < columns) this.#put(" ".repeat(columns - this.#column));
  }

  /** Everything that is written is of the basic plane or escaped, so a UTF-16 unit is a column. */
  #put(text: string): void {
    this.#text += text;
    this.#column += text.length;
  }

  #break(text: string): void {
    this.#text += text;
    this.#column = 0;
  }
}

function isBreak(text: string): boolean {
  return text === "\n" || text === "\u2028" || text === "\u2029";
}

function same(character: string): string {
  return character;
}

function doubleQuote(character: string): string {
  return character === "'" ? "''" : character;
}

function escapeSpecial(character: string): string {
  if (isYamlPrintable(character) && !isBreak(character) && character !== '"' && character !== "\\") return character;
  return escapeCode(character);
}

function escapeCode(character: string): string {
  const named = NAMED_ESCAPES.get(character);
  if (named !== undefined) return named;
  const code = codePointOf(character);
  const [letter, digits] = code <= 0xff ? ["x", 2] : code <= 0xffff ? ["u", 4] : ["U", 8];
  return `\\${letter}${code
    .toString(16)
    .toUpperCase()
    .padStart(digits as number, "0")}`;
}
