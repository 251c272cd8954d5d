/** Secrets in URLs: webhooks, whose path is the key, tokens in a path and values of a query. Scheme, host and port stay. */
import { isName } from "./random-words.js";

/** `&` in JSON of Go. */
const AMPERSAND = "\\\\+u0026";
/** As it is, with slashes as JSON may escape them, or percent-encoded. */
const URL = new RegExp(
  `(\\b(?:https?|wss?)(?:(:)|%3a)(?:\\\\*/|%2f){2}[^\\s"'<>/?#%\\\\]+)((?:${AMPERSAND}|\\\\*/|[^\\s"'<>\\\\/])*)`,
  "gi",
);
const QUERY_PART = new RegExp(`([?#&;]|${AMPERSAND})((?:(?!${AMPERSAND})[^?#&;])*)`, "gi");
/** Services and paths where the URL alone lets anybody send. */
const HOOK =
  /hook|slack|discord|telegram|pagerduty|opsgenie|victorops|zapier|ifttt|pushover|pushbullet|ntfy|hc-ping|healthchecks|\/bot\d+:/i;
/** Of a query: numbers and switches, but not of names that are a secret's. */
const PLAIN = /^(?:-?\d{1,12}|true|false)$/i;
const SECRET_NAME = /key|token|sig|secret|auth|code|pass|pwd|cred|pin|^[kst]$/i;
/** What follows such a segment is a key. */
const BEFORE_KEY = /^(?:api|auth)?[-_]?(?:key|token|secret)s?$/i;
const API_VERSION = /^v\d+(?:(?:alpha|beta|rc)\d*)?$/;
/** Shorter parts are names with digits in them. */
const PART_MIN = 6;

export function withoutUrlSecrets(text: string, removed: string): string {
  return text.replace(URL, (whole: string, base: string, colon: string | undefined, all: string) => {
    const rest = withoutPunctuation(all);
    const end = all.slice(rest.length);
    if (/^(?:\\*\/|%2f)?$/i.test(rest)) return whole;
    if (colon === undefined) return `${base}%2F${removed}${end}`;
    const slash = /^\\*\//.exec(rest)?.[0] ?? "/";
    if (HOOK.test(whole)) return `${base}${slash}${removed}${end}`;
    const [, path = "", query = ""] = /^([^?#]*)([\s\S]*)$/.exec(rest) ?? [];
    return `${base}${withoutPathSecrets(path, removed)}${withoutQueryValues(query, removed)}${end}`;
  });
}

/** Punctuation after a URL in prose does not belong to it. */
function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && ").,;:]".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

function withoutPathSecrets(path: string, removed: string): string {
  let last = "";
  return path.replace(/[^/\\]+/g, (segment) => {
    const isKey = BEFORE_KEY.test(last) || isToken(segment);
    last = segment;
    return isKey ? removed : segment;
  });
}

function isToken(segment: string): boolean {
  if (API_VERSION.test(segment)) return false;
  return segment.split(/[^A-Za-z0-9]+/).some((part) => part.length >= PART_MIN && !isName(part));
}

const withoutQueryValues = (query: string, removed: string): string =>
  query.replace(QUERY_PART, (pair: string, mark: string, part: string) => {
    const at = part.indexOf("=");
    if (at < 0) return isToken(part) ? `${mark}${removed}` : pair;
    const [name, value] = [part.slice(0, at), part.slice(at + 1)];
    const isPublic = value === "" || (PLAIN.test(value) && !SECRET_NAME.test(name));
    return isPublic ? pair : `${mark}${name}=${removed}`;
  });
