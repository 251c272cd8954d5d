/**
 * Words of a mnemonic in a text, in each language that BIP-39 has a list for. The lists are large: this module is loaded by `rescue`
 * alone. A row of words of one list, or of their first four letters, is removed, whatever case, accents or Unicode form it has.
 */
import { wordlist as czech } from "@scure/bip39/wordlists/czech.js";
import { wordlist as english } from "@scure/bip39/wordlists/english.js";
import { wordlist as french } from "@scure/bip39/wordlists/french.js";
import { wordlist as italian } from "@scure/bip39/wordlists/italian.js";
import { wordlist as japanese } from "@scure/bip39/wordlists/japanese.js";
import { wordlist as korean } from "@scure/bip39/wordlists/korean.js";
import { wordlist as portuguese } from "@scure/bip39/wordlists/portuguese.js";
import { wordlist as simplifiedChinese } from "@scure/bip39/wordlists/simplified-chinese.js";
import { wordlist as spanish } from "@scure/bip39/wordlists/spanish.js";
import { wordlist as traditionalChinese } from "@scure/bip39/wordlists/traditional-chinese.js";

const WORDS_MIN = 8;
/** Between two words of one: a number of a list, commas, quotes, line ends. */
const GAP_MAX = 12;

/** As words are compared: people leave out accents, and tools write either Unicode form. */
const plainWord = (word: string) => word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** People write down, and punch into metal, the first four letters of a word: no other word of its list has the same. */
const prefixOf = (word: string) => [...word.normalize("NFC")].slice(0, 4).join("");

const LISTS: readonly ReadonlySet<string>[] = [
  ...[english, czech, french, italian, japanese, korean, portuguese, spanish],
  ...[simplifiedChinese, traditionalChinese],
].map((list) => new Set(list.flatMap((word) => [plainWord(word), plainWord(prefixOf(word))])));

/** A letter, also as JSON may escape it. */
const LETTER = "(?:[\\p{L}\\p{M}]|\\\\+u[0-9a-fA-F]{4})";
/** Or a line end inside a text of JSON. */
const TOKEN = new RegExp(`\\\\[nrt]|${LETTER}+`, "gu");
const HAN = /^\p{Script=Han}+$/u;
/** The last word of a line, after what a log writes before it. */
const LAST_WORD = new RegExp(`(^|[\\s"'=:])(${LETTER}+)(["']?\\s*)$`, "u");

interface Found {
  readonly start: number;
  readonly end: number;
}

interface Token extends Found {
  /** Of Chinese, whose words are single characters that may have nothing between them, several. */
  readonly words: readonly string[];
}

/** The text with each row of eight words or more of one list replaced, in one line or a word a line. */
export function withoutMnemonics(text: string, removed: string): string {
  const tokens = tokensOf(text);
  const rows = LISTS.flatMap((list) => rowsIn(tokens, list)).sort((a, b) => a.start - b.start);
  let out = "";
  let written = 0;
  for (const { start, end } of rows) {
    if (end <= written) continue;
    if (start >= written) out += text.slice(written, start) + removed;
    written = end;
  }
  return withoutWordLines(out + text.slice(written), removed);
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (/^\\[nrt]$/.test(token)) continue;
    tokens.push({ start: index, end: index + token.length, words: wordsOf(token) });
  }
  return tokens;
}

function wordsOf(token: string): readonly string[] {
  const decoded = token.replace(/\\+u([0-9a-fA-F]{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const word = plainWord(decoded);
  return HAN.test(word) ? [...word] : [word];
}

function rowsIn(tokens: readonly Token[], list: ReadonlySet<string>): Found[] {
  const rows: Found[] = [];
  let [start, end, count] = [0, 0, 0];
  const close = () => {
    if (count >= WORDS_MIN) rows.push({ start, end });
    count = 0;
  };
  for (const token of tokens) {
    if (token.start - end > GAP_MAX) close();
    if (!token.words.every((word) => list.has(word))) close();
    else {
      if (count === 0) start = token.start;
      count += token.words.length;
      end = token.end;
    }
  }
  close();
  return rows;
}

/** A word a line, each after the time and level that a log gives it: the last word of eight lines or more in a row. */
function withoutWordLines(text: string, removed: string): string {
  const lines = text.split("\n");
  const last = lines.map((line) => wordsOf(LAST_WORD.exec(line)?.[2] ?? ""));
  for (const list of LISTS) {
    const isWord = (at: number) => last[at]?.length === 1 && list.has(last[at][0] ?? "");
    for (let start = 0; start < lines.length; start++) {
      let end = start;
      while (end < lines.length && isWord(end)) end++;
      if (end - start >= WORDS_MIN) {
        for (let at = start; at < end; at++) lines[at] = (lines[at] ?? "").replace(LAST_WORD, `$1${removed}$3`);
      }
      start = end;
    }
  }
  return lines.join("\n");
}
