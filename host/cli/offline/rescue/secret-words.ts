/** Secrets that nobody listed, by how they are written: words of a mnemonic, values of names such as `password`, keys as files have them. */
import { withoutByteRows } from "./byte-rows.js";
import { withoutCommandSecrets } from "./command-secrets.js";
import { withoutMnemonics } from "./mnemonics.js";
import { withoutRandomWords } from "./random-words.js";
import { withoutUrlSecrets } from "./url-secrets.js";

export const REMOVED = "[removed]";

/** Short codes: what they end must be a word of its own, so that `spin` is none. The hash of a plan's pin is public. */
const CODES =
  "(?:(?<![a-z])|(?<=user|card|admin|device|wallet|ledger|login|token|key|hsm|app))(?:pin|puk|cvv|cvc|2fa|mfa)(?:[-_]?(?:code|number|secret|key))?|(?:recovery|unlock|backup|verification|security)[-_]?codes?";
const NAMES =
  "pass(?:wd|w(?:or)?d|phrase|code)?|pwd|secret|token|(?:api|access|account|signing|private|priv|routing|integration|service|shared|project|license|ingest)[-_]?key(?:[-_]?id)?|mnemonic|seed|credentials?|webhook(?:[-_]?url)?|dsn|jwt|auth|t?otp";
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
const CODE = new RegExp(
  `((?:[\\w.-]*(?:${CODES})\\\\?["']?\\s*(?:=>|:=|[=:])\\s*|--[\\w-]*(?:${CODES})\\s+)\\\\?["']?)(?!(?:sha256:)?[0-9a-f]{64}\\b)${BARE}`,
  "gi",
);
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
  const cleaned = withoutUrlSecrets(text.replace(PEM, REMOVED).replace(USER_INFO, `//${REMOVED}@`), REMOVED)
    .replace(HEADER, `$1${REMOVED}`)
    .replace(BEARER, `$1${REMOVED}`)
    .replace(KEY_VALUE, `$1${REMOVED}`)
    .replace(QUOTED_PAIR, `$1$2${REMOVED}$1`)
    .replace(BLOCK, `$1  ${REMOVED}\n`)
    .replace(ELEMENT, `$1${REMOVED}`);
  const unnamed = withoutCommandSecrets(withoutByteRows(withoutMnemonics(cleaned, REMOVED), REMOVED), REMOVED);
  return withoutRandomWords(
    unnamed.replace(NAMED, named).replace(FLAG, `$1${REMOVED}`).replace(CODE, `$1${REMOVED}`),
    REMOVED,
  );
}
