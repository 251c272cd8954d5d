/** What one file of the ground floor does, no other does by itself: the text forms of bytes, UTF-8, Go's zero time. */
import { describe, expect, test } from "vitest";
import { sourcesUnder } from "./sources.js";

interface Rule {
  readonly what: string;
  /** Looked for in code, where comments are blank; strings are kept. */
  readonly banned: RegExp;
  /** Where it is done. */
  readonly home: readonly string[];
}

const RULES: readonly Rule[] = [
  {
    what: "base64 is toBase64() and fromBase64()",
    banned: /\b(atob|btoa)\s*\(|(?:from\([^()]*(?:\([^()]*\))?[^()]*,\s*|toString\(|digest\()["']base64(?:url)?["']/,
    home: ["host/base/text/bytes.ts"],
  },
  {
    what: "hex is toHex(), toUpperHex() and fromHex()",
    banned:
      /(?:from\([^()]*(?:\([^()]*\))?[^()]*,\s*|toString\(|digest\()["']hex["']|toString\(16\)(?:\.toUpperCase\(\))?\.padStart\(2\b|toHex\(.*\)\.toUpperCase\(\)/,
    home: ["host/base/text/bytes.ts"],
  },
  {
    what: "bytes become text by decodeText() or decodeLossy()",
    banned: /\bTextDecoder\b|toString\(["']utf-?8["']\)/,
    home: ["host/base/text/text.ts"],
  },
  {
    what: "text becomes bytes by utf8() or encodeText()",
    banned: /\bTextEncoder\b/,
    home: ["host/base/text/text.ts"],
  },
  {
    what: "year 1, Go's zero time, is ZERO_TIME",
    banned: /-62_?135_?596_?800|0001-01-01/,
    home: ["host/base/time/time.ts"],
  },
  {
    what: "the version map's bytes are encodeVersionMap() and decodeVersionMap()",
    banned: /function \w*(?:en|de)code\w*VersionMap\b/,
    home: ["host/upgrade/core/version-map.ts"],
  },
];

/** The code of a line on its own: without comments. */
const codeOf = (line: string) => line.replace(/(^|\s)\/\/.*|^\s*\*.*|\/\*.*?\*\//g, "");

const sources = [...sourcesUnder("host"), ...sourcesUnder("examples/chain"), ...sourcesUnder("examples/notes-chain")];
const own = sources.filter(({ path }) => !/\/gen\//.test(path));

describe("said once", () => {
  test.each(RULES)("$what", ({ banned, home }) => {
    const found = own
      .filter(({ path }) => !home.includes(path))
      .flatMap(({ path, text }) =>
        text.split("\n").flatMap((line, at) => (banned.test(codeOf(line)) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
      );
    expect(found).toEqual([]);
    const isThere = home.every((path) =>
      own
        .find((source) => source.path === path)
        ?.text.split("\n")
        .some((line) => banned.test(codeOf(line))),
    );
    expect(isThere, `one of ${home.join(", ")} no longer does it: drop it from this list`).toBe(true);
  });
});

/** A cast of what is read by index, or from an end of a list: nobody sees it when the index is wrong. */
const CAST = /(?:\]|\.(?:at|pop|shift)\([^)]*\)) as (?:number|Uint8Array|string|bigint)\b(?! \| undefined)/g;

/** They run over every pair of a store, every node of a tree or every byte of a handler: an assertion costs there. */
const HOT =
  /^host\/(state\/(branch|commitment|store|witness)|upgrade\/wasm|upgrade\/handler\/meter|chain\/genesis-stream)\/|^host\/(base\/text\/bytes|base\/wire\/u32|chain\/values\/key-set)\.ts$/;

describe("reads by index", () => {
  test.each([
    ["where every read counts", true, 241],
    ["elsewhere, where byteAt() and itemAt() of host/base/text/checked-index.ts read", false, 36],
  ])("casts %s → never more; fewer: lower the number here", (_, isHot, most) => {
    const casts = own
      .filter(({ path }) => HOT.test(path) === isHot && path.startsWith("host/"))
      .flatMap(({ path, text }) =>
        text.split("\n").flatMap((line, at) => [...codeOf(line).matchAll(CAST)].map(() => `${path}:${at + 1}`)),
      );
    expect(casts.length, casts.join("\n")).toBeLessThanOrEqual(most);
  });
});
