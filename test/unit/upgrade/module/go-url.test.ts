import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isGoRequestUri,
  parseGoUrl,
  queryParameter,
  withoutParameter,
} from "../../../../host/upgrade/plan-info/go-url.js";
import { isIPv6 } from "../../../../host/upgrade/plan-info/ipv6.js";

describe("parseGoUrl()", () => {
  const none = { scheme: "", opaque: "", host: "", path: "", query: "" };

  test.each([
    ["https://h:1/p?q=1#f", { ...none, scheme: "https", host: "h:1", path: "/p", query: "q=1" }],
    ["HTTP://u:p@[::1]", { ...none, scheme: "http", host: "[::1]", userinfo: "u:p" }],
    ["mailto:a@b?x", { ...none, scheme: "mailto", opaque: "a@b", query: "x" }],
    ["//h/p", { ...none, host: "h", path: "/p" }],
    ["///p", { ...none, path: "///p" }],
    ["file:///p", { ...none, scheme: "file", path: "/p" }],
    ["p/q:r", { ...none, path: "p/q:r" }],
    ["?q", { ...none, query: "q" }],
    ["*", { ...none, path: "*" }],
    ["", none],
  ])("of %j → its parts", (text, parts) => {
    expect(parseGoUrl(text)).toEqual(parts);
  });

  test.each([
    [":", "missing protocol scheme"],
    ["1x://h", "first path segment in URL cannot contain colon"],
    ["http://h\x7f", "net/url: invalid control character in URL"],
    ["http://a b/", 'invalid character " " in host name'],
    ["http://a%41/", 'invalid URL escape "%41"'],
    ["http://h/%4", 'invalid URL escape "%4"'],
    ["http://h:x/", 'invalid port ":x" after host'],
    ["http://a:1:2/", 'invalid port ":1:2" after host'],
    ["http://[::1/", "missing ']' in host"],
    ["http://a[::1]/", "invalid IP-literal"],
    ["http://[1.2.3.4]/", 'invalid host: "1.2.3.4" is not an IPv6 address'],
    ["http://[fe80::1%25]/", 'invalid host: "fe80::1%25" is not an IPv6 address'],
    ["http://[fe80::1%25%c3]/", 'invalid URL escape "%c3"'],
    ["http://p w@h/", "net/url: invalid userinfo"],
  ])("of %j → %s", (text, reason) => {
    const code = "UPG_INVALID_PLAN_INFO";
    expect(() => parseGoUrl(text)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(reason) }));
  });

  test("names the text without its fragment, or with it when the fragment is wrong", () => {
    expect(() => parseGoUrl("http://h/%#f")).toThrow('parse "http://h/%": invalid URL escape "%"');
    expect(() => parseGoUrl("http://h/#%")).toThrow('parse "http://h/#%": invalid URL escape "%"');
  });

  test.each([
    "http://a%c3%a9/",
    "http://a%25/",
    "http://é/",
    "http://[fe80::1%25en%200]:1/",
    "ftp://a:b:1/",
    "http://u@v@h/",
  ])("of %j → accepted", (text) => {
    expect(parseGoUrl(text).scheme).toMatch(/^(http|ftp)$/);
  });
});

test.each([
  ["https://h", true],
  ["mailto:a@b", true],
  ["C:\\info.json", true],
  ["/etc/x", true],
  ["//[::1", true],
  ["*", true],
  ["", false],
  ["h/x", false],
  ["{}", false],
  ["https:// x", false],
])("isGoRequestUri(%j) → %s", (text, verdict) => {
  expect(isGoRequestUri(text)).toBe(verdict);
});

test.each([
  ["checksum=x", "x"],
  ["a=1&checksum=x&checksum=y", "x"],
  ["%63hecksum=%2b+%c3%a9", "+ é"],
  ["checksum", ""],
  ["Checksum=x", undefined],
  ["checksum=x;y", undefined],
  ["checksum=%zz", undefined],
  [`${"a&".repeat(9_999)}checksum=x`, "x"],
  [`${"a&".repeat(10_000)}checksum=x`, undefined],
])("queryParameter() of case %#", (query, value) => {
  expect(queryParameter(query, "checksum")).toBe(value);
});

test("withoutParameter() leaves the other pairs as written, and in order", () => {
  expect(withoutParameter("b=%20&checksum=x&a=+;&%63hecksum=y&", "checksum")).toBe("b=%20&a=+;&");
});

describe("isIPv6()", () => {
  test("accepts every address that fast-check writes, and no IPv4 address", () => {
    fc.assert(fc.property(fc.ipV6(), (address) => isIPv6(address)));
    fc.assert(fc.property(fc.ipV4(), (address) => !isIPv6(address)));
  });

  test.each(["", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1:2:3:4:5:6:7:8", "12345::", "g::"])(
    "refuses %j",
    (text) => {
      expect(isIPv6(text)).toBe(false);
    },
  );

  test.each(["::01.2.3.4", "::256.1.1.1", "::1.2.3", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4"])("refuses %j", (text) => {
    expect(isIPv6(text)).toBe(false);
  });
});
