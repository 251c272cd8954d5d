/** Secrets that nobody listed, by how they are written: words of a mnemonic, values of names such as `password`, keys as files have them. */
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { withoutByteRows } from "./byte-rows.js";
import { withoutCommandSecrets } from "./command-secrets.js";
import { withoutRandomWords } from "./random-words.js";

export const REMOVED = "[removed]";
const MNEMONIC_WORDS_MIN = 8;
/** Between two words of one: a number of a list, commas, quotes, line ends. */
const GAP_MAX = 12;
const WORDS: ReadonlySet<string> = new Set(wordlist);

const NAMES =
  "pass(?:wd|w(?:or)?d|phrase|code)?|pwd|secret|token|(?:api|access|account|signing|private|priv)[-_]?key(?:[-_]?id)?|mnemonic|seed|credentials?|webhook(?:[-_]?url)?|dsn|jwt|auth|t?otp";
/** To the next space or quote: a password may have any other character. An escape of JSON ends it. */
const BARE = `(?!\\[removed\\])(?:\\\\(?!["'nrt\\\\])|[^\\s"'\\\\])+`;
/** `db_password=x`, `"api_key": "x"`, `secret = """x"""`, `password => 'x'`, the same inside a text of JSON. */
const NAMED = new RegExp(
  `([\\w.-]*(?:${NAMES})\\\\?["']?\\s*(?:=>|:=|[=:])\\s*)(?:("{3}|'{3})[\\s\\S]*?\\2|(\\\\?["'])(?:(?!\\3)[^\\n])*\\3|${BARE})`,
  "gi",
);
/** `"DB_PASSWORD=two words"`, as lists of an environment have it. */
const QUOTED_PAIR = new RegExp(`(["'])([\\w.-]*(?:${NAMES})=)(?:(?!\\1)[^\\n])*\\1`, "gi");
/** `password: |` of YAML, with its indented lines. */
const BLOCK = new RegExp(`([\\w.-]*(?:${NAMES})["']?:[ \\t]*[|>][-+0-9]*[ \\t]*\\n)(?:[ \\t]+[^\\n]*(?:\\n|$))+`, "gi");
/** `<password>x</password>`. */
const ELEMENT = new RegExp(`(<[\\w:.-]*(?:${NAMES})>)[^<]*(?=<)`, "gi");
/** `--keyring-password x`. */
const FLAG = new RegExp(`(--[\\w-]*(?:${NAMES})\\s+)()(?!-)${BARE}`, "gi");
const HEADER = /((?:authorization|cookie)\\?["']?\s*[=:]\s*\\?["']?)[^\r\n"'\\]+/gi;
const BEARER = /(\bbearer\s+)[\w.~+/=-]{6,}/gi;
/** `{"type":"tendermint/PrivKeyEd25519","value":"x"}` of any home. */
const KEY_VALUE = /(PrivKey\w*\\?"[^}]{0,40}?\\?"value\\?"\s*:\s*\\?")[^"\\]+/g;
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
/** `//user:password@host` of an address. */
const USER_INFO = /\/\/[^\s"']+@/g;

/** The text without what looks like a secret. */
export function withoutSecretWords(text: string): string {
  const named = (_: string, before: string, triple = "", quote = triple) => `${before}${quote}${REMOVED}${quote}`;
  const cleaned = text
    .replace(PEM, REMOVED)
    .replace(USER_INFO, `//${REMOVED}@`)
    .replace(HEADER, `$1${REMOVED}`)
    .replace(BEARER, `$1${REMOVED}`)
    .replace(KEY_VALUE, `$1${REMOVED}`)
    .replace(QUOTED_PAIR, `$1$2${REMOVED}$1`)
    .replace(BLOCK, `$1  ${REMOVED}\n`)
    .replace(ELEMENT, `$1${REMOVED}`);
  const unnamed = withoutCommandSecrets(withoutByteRows(withoutWordLines(withoutMnemonics(cleaned)), REMOVED), REMOVED);
  return withoutRandomWords(unnamed.replace(NAMED, named).replace(FLAG, `$1${REMOVED}`), REMOVED);
}

/** In any case: a person copies one as a tool has shown it. */
function withoutMnemonics(text: string): string {
  let out = "";
  let written = 0;
  let [start, end, row] = [0, 0, 0];
  const close = () => {
    if (row >= MNEMONIC_WORDS_MIN) {
      out += text.slice(written, start) + REMOVED;
      written = end;
    }
    row = 0;
  };
  for (const { 0: word, index } of text.matchAll(/\\[nrt]|[a-z]+/gi)) {
    // A line end inside a text of JSON.
    if (word.startsWith("\\")) continue;
    if (index - end > GAP_MAX) close();
    if (!WORDS.has(word.toLowerCase())) close();
    else {
      if (row++ === 0) start = index;
      end = index + word.length;
    }
  }
  close();
  return out + text.slice(written);
}

/** A word a line, each after the time and level that a log gives it: the last word of eight lines or more in a row. */
function withoutWordLines(text: string): string {
  const lines = text.split("\n");
  const isWord = (line: string) =>
    WORDS.has((/(?:^|[\s"'=:])([A-Za-z]{3,8})["']?\s*$/.exec(line)?.[1] ?? "").toLowerCase());
  for (let start = 0; start < lines.length; start++) {
    let end = start;
    while (end < lines.length && isWord(lines[end] ?? "")) end++;
    if (end - start >= MNEMONIC_WORDS_MIN) {
      for (let at = start; at < end; at++)
        lines[at] = (lines[at] ?? "").replace(/[A-Za-z]+(["']?\s*)$/, `${REMOVED}$1`);
    }
    start = end;
  }
  return lines.join("\n");
}
