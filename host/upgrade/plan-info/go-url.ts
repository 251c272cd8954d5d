/**
 * Which texts Go's net/url accepts as a URL, and their parts as written. The Cosmos SDK decides by it whether a plan's info
 * is a reference and whether a binary has a URL; browsers' `URL` draws both lines elsewhere. Error texts are Go's too,
 * but for IP literals (one text for all) and escapes cut off inside a character.
 */

import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { utf8 } from "../../base/text/bytes.js";
import { byteAt } from "../../base/text/checked-index.js";
import { decodeLossy } from "../../base/text/text.js";
import { goQuote } from "./go-quote.js";
import { isIPv6 } from "./ipv6.js";

/** Parts are as written, escapes not resolved. */
export interface GoUrl {
  /** Lower case; empty for a relative reference. */
  readonly scheme: string;
  /** What follows the scheme when that is no slash (`mailto:a@b`); then there is no host and no path. */
  readonly opaque: string;
  readonly userinfo?: string;
  /** `host`, `host:port`, `[ipv6]:port`, or empty. */
  readonly host: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

/** Go reads no parameter at all of a query that has more. */
const QUERY_PARAMETERS_MAX = 10_000;

const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/;
const HOST_CHARACTER = /[!"$&'()*+,\-.0-9:;<=>A-Z[\]_a-z~]/;
const USERINFO = /^[a-zA-Z0-9\-._:~!$&'()*+,;=%@]*$/;
const PORT = /^(?::[0-9]*)?$/;

/**
 * `url.Parse`: any URL reference, relative ones too.
 *
 * @throws UpgradeError UPG_INVALID_PLAN_INFO
 */
export function parseGoUrl(text: string): GoUrl {
  const [reference, fragment] = cut(text, "#");
  const url = named(reference, () => parse(reference, false));
  named(text, () => checkEscapes(fragment));
  return url;
}

/** `url.ParseRequestURI`: an absolute URL, a path that begins with a slash, or `*`. It knows no fragments. */
export function isGoRequestUri(text: string): boolean {
  try {
    parse(text, true);
    return true;
  } catch (error) {
    if (isUpgradeError(error)) return false;
    throw error;
  }
}

/** First value of a query parameter, decoded; pairs that Go cannot decode, or that hold a semicolon, do not count. */
export function queryParameter(query: string, name: string): string | undefined {
  const pairs = query.split("&");
  if (pairs.length > QUERY_PARAMETERS_MAX) return undefined;
  for (const pair of pairs) {
    const [key, value] = decodePair(pair) ?? [];
    if (key === name) return value;
  }
  return undefined;
}

/** The query without the pairs of that name; the others stay as written, and in order. */
export function withoutParameter(query: string, name: string): string {
  const others = query.split("&").filter((pair) => decodePair(pair)?.[0] !== name);
  return others.join("&");
}

function decodePair(pair: string): [key: string, value: string] | undefined {
  if (pair === "" || pair.includes(";") || /%(?![0-9a-fA-F]{2})/.test(pair)) return undefined;
  const [key, value] = cut(pair, "=");
  return [decodeComponent(key), decodeComponent(value)];
}

function decodeComponent(text: string): string {
  const bytes: number[] = [];
  const encoded = utf8(text.replaceAll("+", " "));
  for (let i = 0; i < encoded.length; i++) {
    const byte = byteAt(encoded, i);
    if (byte !== 0x25) bytes.push(byte);
    else {
      bytes.push(Number.parseInt(String.fromCharCode(byteAt(encoded, i + 1), byteAt(encoded, i + 2)), 16));
      i += 2;
    }
  }
  return decodeLossy(Uint8Array.from(bytes));
}

function parse(text: string, viaRequest: boolean): GoUrl {
  if (/[\x00-\x1f\x7f]/.test(text)) throw refused("net/url: invalid control character in URL");
  if (text === "" && viaRequest) throw refused("empty url");
  if (text === "*") return { scheme: "", opaque: "", host: "", path: "*", query: "" };
  if (text.startsWith(":")) throw refused("missing protocol scheme");
  const scheme = SCHEME.exec(text)?.[0] ?? "";
  const [rest, query] = cut(scheme === "" ? text : text.slice(scheme.length + 1), "?");
  const parts = { scheme: scheme.toLowerCase(), opaque: "", host: "", query };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...parts, opaque: rest, path: "" };
    if (viaRequest) throw refused("invalid URI for request");
    if (cut(rest, "/")[0].includes(":")) throw refused("first path segment in URL cannot contain colon");
  }
  // Without a scheme a request's `//host` is a path, and so is `///` in any reference.
  const hasAuthority = rest.startsWith("//") && (scheme !== "" || !(viaRequest || rest.startsWith("///")));
  const pathAt = hasAuthority ? rest.indexOf("/", 2) : 0;
  const path = pathAt < 0 ? "" : rest.slice(pathAt);
  const authority = hasAuthority ? parseAuthority(rest.slice(2, pathAt < 0 ? undefined : pathAt), parts.scheme) : {};
  checkEscapes(path);
  return { ...parts, ...authority, path };
}

function parseAuthority(authority: string, scheme: string): { host: string; userinfo?: string } {
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  checkHost(host, scheme);
  if (at < 0) return { host };
  const userinfo = authority.slice(0, at);
  if (!USERINFO.test(userinfo)) throw refused("net/url: invalid userinfo");
  checkEscapes(userinfo);
  return { host, userinfo };
}

function checkHost(host: string, scheme: string): void {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) throw refused("invalid IP-literal");
  if (bracket === 0) checkIpLiteral(host);
  else {
    // More than one colon: in http(s) the port begins at the first, elsewhere at the last.
    const colon = scheme === "http" || scheme === "https" ? host.indexOf(":") : host.lastIndexOf(":");
    if (colon >= 0) checkPort(host.slice(colon));
    checkHostCharacters(host);
  }
}

/** `[address]:port` or, after RFC 6874, `[address%25zone]:port`. */
function checkIpLiteral(host: string): void {
  const close = host.lastIndexOf("]");
  if (close < 0) throw refused("missing ']' in host");
  checkPort(host.slice(close + 1));
  const literal = host.slice(1, close);
  const zoneAt = literal.indexOf("%25");
  const address = zoneAt < 0 ? literal : literal.slice(0, zoneAt);
  checkHostCharacters(address);
  if (zoneAt >= 0) checkZone(literal.slice(zoneAt));
  const emptyZone = zoneAt >= 0 && zoneAt + 3 === literal.length;
  if (emptyZone || !isIPv6(address)) throw refused(`invalid host: ${goQuote(literal)} is not an IPv6 address`);
}

function checkPort(port: string): void {
  if (!PORT.test(port)) throw refused(`invalid port ${goQuote(port)} after host`);
}

/** A host may escape only what is not ASCII, and the percent sign. */
function checkHostCharacters(host: string): void {
  checkEscapes(host, (byte) => byte >= 0x80 || byte === 0x25);
  checkAscii(host);
}

/** A zone may escape what a host may hold, the percent sign, and (for Windows) the space. */
function checkZone(zone: string): void {
  checkEscapes(zone, (byte) => byte === 0x25 || byte === 0x20 || HOST_CHARACTER.test(String.fromCharCode(byte)));
  checkAscii(zone);
}

function checkAscii(host: string): void {
  for (const character of host.replace(/%[0-9a-fA-F]{2}/g, "")) {
    if (character < "\x80" && !HOST_CHARACTER.test(character)) {
      throw refused(`invalid character ${goQuote(character)} in host name`);
    }
  }
}

/** Every percent sign begins an escape of two hex digits, for a byte that may be escaped there. */
function checkEscapes(text: string, allowed: (byte: number) => boolean = () => true): void {
  for (let at = text.indexOf("%"); at >= 0; at = text.indexOf("%", at + 3)) {
    const triplet = text.slice(at, at + 3);
    if (!/^%[0-9a-fA-F]{2}$/.test(triplet) || !allowed(Number.parseInt(triplet.slice(1), 16))) {
      throw refused(`invalid URL escape ${goQuote(triplet)}`);
    }
  }
}

/** Before and after the first separator; all and nothing when there is none. */
function cut(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function refused(text: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", text);
}

/** Go's errors name the text that was parsed. */
function named<T>(text: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isUpgradeError(error)) throw refused(`parse ${goQuote(text)}: ${error.message}`);
    throw error;
  }
}
