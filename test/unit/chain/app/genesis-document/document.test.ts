/** Genesis documents of any size: what the scanner takes is what JSON.parse takes, wherever a window or a part ends. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../../host/base/files/byte-source.js";
import { utf8 } from "../../../../../host/base/text/bytes.js";
import { openDocument } from "../../../../../host/chain/app/genesis/genesis.js";
import { JsonScanner } from "../../../../../host/chain/genesis-stream/json-scanner.js";
import { exampleChain } from "../../../../example-chain.js";
import { failureOf } from "../../../../scenario/chain.js";

/** Reads `windowBytes` at a time, so that a window can end in the middle of anything. */
function isScanned(text: string, windowBytes: number): boolean {
  try {
    const scanner = new JsonScanner(memorySource(utf8(text)), "text", windowBytes);
    scanner.skip();
    scanner.end();
    return true;
  } catch {
    return false;
  }
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("JsonScanner", () => {
  const NOT_JSON = [
    "",
    " ",
    "{",
    "}",
    "[1,]",
    "[,1]",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    "{a:1}",
    "01",
    "-",
    "1.",
    ".1",
    "1e",
    "1e+",
  ];
  const MORE = [
    "tru",
    "truex",
    "nul",
    '"a',
    '"\\x"',
    '"\\u12g4"',
    '"\n"',
    "'a'",
    "1 2",
    "[1]]",
    "NaN",
    "Infinity",
    "+1",
    "\ufeff1",
    '["a" "b"]',
  ];
  for (const text of [...NOT_JSON, ...MORE]) {
    test(`${JSON.stringify(text)} → refused, as JSON.parse does`, () => {
      expect(isParsed(text)).toBe(false);
      expect(isScanned(text, 1)).toBe(false);
      expect(isScanned(text, 7)).toBe(false);
    });
  }

  test("any JSON, with any one byte changed or cut, read in windows of 1 to 9 bytes → the verdict of JSON.parse", () => {
    const changed = fc
      .tuple(
        fc.json({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom(...'{}[]",:\\0e-.tn \u0001'),
        fc.integer({ min: 0, max: 2 }),
      )
      .map(([text, at, character, kind]) => {
        const place = text.length === 0 ? 0 : at % text.length;
        if (kind === 0) return text;
        return kind === 1 ? text.slice(0, place) : text.slice(0, place) + character + text.slice(place + 1);
      });
    fc.assert(
      fc.property(changed, fc.integer({ min: 1, max: 9 }), (text, windowBytes) => {
        expect(isScanned(text, windowBytes)).toBe(isParsed(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test("257 arrays in one another → refused; 256 → taken", () => {
    expect(isScanned("[".repeat(256) + "]".repeat(256), 1_000)).toBe(true);
    expect(isScanned("[".repeat(257) + "]".repeat(257), 1_000)).toBe(false);
  });
});

describe("GenesisDocument", () => {
  const documentOf = (text: string) => openDocument(exampleChain, memorySource(utf8(text)));

  test("a list of any elements → the elements in order, with their paths, each time that it is walked over", () => {
    const lists = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 60 });
    fc.assert(
      fc.property(
        lists,
        fc.constantFrom(undefined, 1, "\t"),
        fc.integer({ min: 1, max: 3_000 }),
        (list, indent, filler) => {
          const accounts = list.map((item) => ({ ...item, filler: "x".repeat(filler) }));
          const document = documentOf(JSON.stringify({ app_state: { auth: { accounts } } }, null, indent));
          const found = document.list("auth", "accounts");
          expect(found.length).toBe(accounts.length);
          for (let walk = 0; walk < 2; walk++) {
            const items = [...found];
            expect(items.map(({ value }) => value)).toEqual(JSON.parse(JSON.stringify(accounts)));
            expect(items.map(({ path }) => path)).toEqual(items.map((_, i) => `genesis.app_state.auth.accounts[${i}]`));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test("what no module reads → checked to be JSON, and dropped", () => {
    const document = documentOf(
      '{"chain_id":"a-1","app_state":{"wasm":{"codes":["AAAA"]},"auth":{"params":{}}},"consensus_params":[1]}',
    );
    expect(document.root.value).toEqual({ chain_id: "a-1", app_state: { auth: {} } });
    const broken = failureOf(() => documentOf('{"app_state":{"wasm":{"codes":[tru]}}}'));
    expect(broken).toMatchObject({ code: "UPG_INVALID_GENESIS" });
    expect(broken.message).toContain("byte 34");
  });

  test("a part given twice → refused: which of them would count?", () => {
    for (const text of ['{"app_state":{},"app_state":{}}', '{"app_state":{"auth":{"accounts":[],"accounts":[]}}}']) {
      expect(failureOf(() => documentOf(text))).toMatchObject({ code: "UPG_INVALID_GENESIS" });
    }
  });

  test("a name given twice in a part that is held, at any depth, in other escapes → refused with its path", () => {
    const params = '{"voting_period":"9s","a":[{"b":1,"b ":2},{"c":1,"\\u0063":2}]}';
    expect(failureOf(() => documentOf(`{"app_state":{"gov":{"params":${params}}}}`))).toMatchObject({
      code: "UPG_INVALID_GENESIS",
      message: expect.stringContaining("genesis.app_state.gov.params.a[1].c: is given twice"),
    });
    expect(failureOf(() => documentOf('{"consensus":{"params":{},"params":{}}}')).message).toContain(
      "genesis.consensus.params: is given twice",
    );
    documentOf('{"app_state":{"gov":{"params":{"__proto__":1,"a":{"__proto__":2}},"b":{"a":1}}}}');
  });

  test("a name given twice in an element of a long list → refused with its path when the list is walked over", () => {
    const filler = "x".repeat(70_000);
    const [sound, twice] = [`{"address":"a","filler":"${filler}"}`, '{"address":"a","coins":[{"a":1,"a":1}]}'];
    const document = documentOf(`{"app_state":{"auth":{"accounts":[${sound}, ${sound},\n${twice}]}}}`);
    const walked = failureOf(() => [...document.list("auth", "accounts")]);
    expect(walked).toMatchObject({ code: "UPG_INVALID_GENESIS" });
    expect(walked.message).toContain("genesis.app_state.auth.accounts[2].coins[0].a: is given twice");
  });

  test("a list that is no list, and none → what a reader says of any field", () => {
    const document = documentOf('{"app_state":{"auth":{"accounts":7},"bank":{"balances":null}}}');
    expect(failureOf(() => [...document.list("auth", "accounts")]).message).toContain(
      "genesis.app_state.auth.accounts",
    );
    expect([...document.list("bank", "balances")]).toEqual([]);
    expect([...document.list("staking", "delegations")]).toEqual([]);
  });

  test("bytes that are no UTF-8, in a list and in a held part → refused", () => {
    const bytes = utf8('{"chain_id":"a?","app_state":{"auth":{"accounts":["a?"]}}}');
    const at = [14, bytes.length - 6];
    for (const place of at) {
      const wrong = bytes.slice();
      expect(wrong[place]).toBe("?".charCodeAt(0));
      wrong[place] = 0xff;
      expect(
        failureOf(() => [...openDocument(exampleChain, memorySource(wrong)).list("auth", "accounts")]),
      ).toMatchObject({
        code: "UPG_INVALID_GENESIS",
      });
    }
  });
});
