import { describe, expect, test } from "vitest";
import { collect } from "../../../host/verify/collect.js";
import { verifyEvidence } from "../../../host/verify/evidence.js";
import { readLightBlock } from "../../../host/verify/read-light-block.js";
import type { Ask, Claim, Evidence } from "../../../host/verify/types.js";
import { MadeChain, type Members, timeOf, upgradeWrites } from "./made-chain.js";

/** Four of equal power; from block 9 on, one after the other is replaced, so that no jump over all of them is possible. */
function members(height: number): Members {
  const gone = Math.min(Math.max(0, height - 8), 4);
  return [1, 2, 3, 4].map((seed) => ({ seed: seed <= gone ? seed + 10 : seed, power: 10 }));
}

// biome-ignore lint/suspicious/noExplicitAny: tests break documents at places that their types keep whole
type Loose = Record<string, any>;

const chain = new MadeChain({ blocks: 16, members, writes: upgradeWrites });
const options = { source: "made", now: timeOf(17) };
const words = (claims: readonly Claim[]) => claims.map(({ state, words }) => `${state}: ${words}`);
const refused = (code: string, reason?: string) =>
  expect.objectContaining(reason === undefined ? { code } : { code, details: { reason } });

describe("collect(), verifyEvidence()", () => {
  test("state after the last upgrade, trust from block 2 → header, plan, done, versions, receipt, and what was before", async () => {
    const evidence = await collect(chain.ask, { ...options, rootHeight: 2n });
    const { claims, height, trusted } = await verifyEvidence(evidence, chain.trust(2));
    expect(height).toBe(15n);
    expect(trusted.steps).toBe(evidence.light_blocks.length - 1);
    expect(words(claims)).toEqual([
      "proven: Header 16 of 2023-11-14T22:14:40.123456789Z is the chain's.",
      'proven: Upgrade "v3" is scheduled for block 50 in the state after block 15.',
      'proven: Upgrade "v2" was applied in block 6.',
      "proven: Versions of all modules after block 15: auth 1, bank 2, mint 1, upgrade 1.",
      `proven: A handler's receipt of upgrade "v2": of file ${"07".repeat(32)}, 0 pairs written, 0 deleted, 99 gas.`,
      'proven: In the state after block 5, upgrade "v2" was scheduled for block 6.',
      "proven: Versions of all modules after block 5: auth 1, bank 1, upgrade 1.",
      "unproven: The server says that its latest block is 16.",
    ]);
    expect(claims[1]?.restsOn).toEqual([
      expect.stringMatching(/^block 2 with hash [0-9A-F]{64}, which you trust$/),
      expect.stringMatching(
        /^(1 signature|\d+ signatures) of validators, up to header 16, over (1 header|\d headers)$/,
      ),
      "ICS-23 proofs under the app hash of header 16",
    ]);
  });

  test("the file's text, and its bytes → the same claims", async () => {
    const evidence = await collect(chain.ask, { ...options, rootHeight: 2n });
    const { claims } = await verifyEvidence(evidence, chain.trust(2));
    const text = JSON.stringify(evidence, undefined, 2);
    expect((await verifyEvidence(text, chain.trust(2))).claims).toEqual(claims);
    expect((await verifyEvidence(Buffer.from(text), chain.trust(2))).claims).toEqual(claims);
  });

  test("a state before any plan → no plan; an upgrade that is unknown → not applied", async () => {
    const evidence = await collect(chain.ask, { ...options, rootHeight: 1n, height: 2n, plan: "v9" });
    const { claims } = await verifyEvidence(evidence, chain.trust(1));
    expect(words(claims)).toEqual([
      "proven: Header 3 of 2023-11-14T22:13:35.123456789Z is the chain's.",
      "proven: No upgrade is scheduled after block 2.",
      'proven: Upgrade "v9" has not been applied up to block 2.',
      "proven: Versions of all modules after block 2: auth 1, bank 1, upgrade 1.",
      "unproven: The server says that its latest block is 16.",
    ]);
  });

  test("a root that this server named → every claim is amber, and says so", async () => {
    const evidence = await collect(chain.ask, options);
    const trust = chain.trust(16);
    const { claims } = await verifyEvidence(evidence, { ...trust, root: { ...trust.root, from: "server" } });
    expect(new Set(claims.map(({ state }) => state))).toEqual(new Set(["server-root", "unproven"]));
    expect(claims[0]?.restsOn[0]).toContain("which the server that is checked has named");
  });

  test("a chain that keeps no receipts, and one whose old state is gone → those claims are not made", async () => {
    const withoutReceipt = (height: number) => upgradeWrites(height).filter(([key]) => !key.startsWith("04"));
    const other = new MadeChain({ blocks: 9, members, writes: withoutReceipt });
    const pruned: Ask = (method, params) =>
      method === "abci_query" && params["height"] === "5"
        ? Promise.resolve({ response: { code: 26, log: "pruned", height: "0" } })
        : other.ask(method, params);
    const evidence = await collect(pruned, { ...options, rootHeight: 1n });
    const { claims } = await verifyEvidence(evidence, other.trust(1));
    expect(claims.map(({ id, state }) => `${id} ${state}`)).toEqual([
      "header proven",
      "plan proven",
      "done proven",
      "versions proven",
      "receipt absent",
      "status unproven",
    ]);
  });

  test("collect() the state before an upgrade is gone → its block's header is there all the same, to run it again", async () => {
    const pruned: Ask = (method, params) =>
      method === "abci_query" && params["height"] === "5"
        ? Promise.resolve({ response: { code: 26, log: "pruned", height: "0" } })
        : chain.ask(method, params);
    const evidence = await collect(pruned, { ...options, rootHeight: 1n, height: 6n });
    expect(evidence.before).toBeUndefined();
    const heights = evidence.light_blocks.map(
      (each) => readLightBlock(each.signed_header, each.validators).signedHeader.header.height,
    );
    expect(heights.slice(-2)).toEqual([6n, 7n]);
    await verifyEvidence(evidence, chain.trust(1));
  });

  test("state that no header proves yet, root after it → UPG_INVALID_HEIGHT; no proofs → UPG_REMOTE_REFUSED", async () => {
    await expect(collect(chain.ask, { ...options, height: 16n })).rejects.toEqual(refused("UPG_INVALID_HEIGHT"));
    await expect(collect(chain.ask, { ...options, height: 0n })).rejects.toEqual(refused("UPG_INVALID_HEIGHT"));
    await expect(collect(chain.ask, { ...options, height: 3n, rootHeight: 5n })).rejects.toEqual(
      refused("UPG_INVALID_HEIGHT"),
    );
    const silent: Ask = (method, params) =>
      method === "abci_query" ? Promise.resolve({ response: { code: 1 } }) : chain.ask(method, params);
    await expect(collect(silent, options)).rejects.toEqual(refused("UPG_REMOTE_REFUSED"));
  });
});

describe("verifyEvidence() of what is not true → a code, and no claim", async () => {
  const evidence = await collect(chain.ask, { ...options, rootHeight: 2n });
  type Change = (copy: Loose) => void;

  const changed = (change: Change): Evidence => {
    const copy = structuredClone(evidence) as unknown as Loose;
    change(copy);
    return copy as unknown as Evidence;
  };

  test.each<[string, string, string | undefined, Change]>([
    ["another format", "UPG_PROOF_MALFORMED", undefined, (it) => (it["format"] = "other")],
    ["no light blocks", "UPG_PROOF_TRUST", "root", (it) => (it["light_blocks"] = [])],
    ["not the trusted block", "UPG_PROOF_TRUST", "root", (it) => it["light_blocks"].shift()],
    [
      "an app hash",
      "UPG_PROOF_HEADER",
      "commit",
      (it) => (it["light_blocks"].at(-1).signed_header.header.app_hash = "00".repeat(32)),
    ],
    [
      "another chain",
      "UPG_PROOF_HEADER",
      "chain",
      (it) => (it["light_blocks"].at(-1).signed_header.header.chain_id = "x"),
    ],
    ["a validator less", "UPG_PROOF_HEADER", "validators", (it) => it["light_blocks"].at(-1).validators.pop()],
    [
      "a validator twice",
      "UPG_PROOF_HEADER",
      "validators",
      (it) => it["light_blocks"].at(-1).validators.push(it["light_blocks"].at(-1).validators[0]),
    ],
    [
      "more power",
      "UPG_PROOF_HEADER",
      "validators",
      (it) => (it["light_blocks"].at(-1).validators[0].voting_power = "99"),
    ],
    [
      "an address of another key",
      "UPG_PROOF_MALFORMED",
      undefined,
      (it) => (it["light_blocks"].at(-1).validators[0].address = "00".repeat(20)),
    ],
    [
      "a signature of another",
      "UPG_PROOF_COMMIT",
      "signature",
      (it) => {
        const { signatures } = it["light_blocks"].at(-1).signed_header.commit;
        for (const each of signatures) each.signature = signatures[0].signature;
      },
    ],
    [
      "a signature less",
      "UPG_PROOF_COMMIT",
      "size",
      (it) => it["light_blocks"].at(-1).signed_header.commit.signatures.pop(),
    ],
    ["a plan that is hidden", "UPG_PROOF_MALFORMED", undefined, (it) => (it["records"][0].value = null)],
    ["a plan that is another", "UPG_PROOF_VALUE", undefined, (it) => (it["records"][0].value = "AAAA")],
    ["the walk cut short", "UPG_PROOF_RANGE", undefined, (it) => it["ranges"][1].records.pop()],
    ["a key of the walk left out", "UPG_PROOF_RANGE", undefined, (it) => it["ranges"][1].records.splice(1, 1)],
    ["records of another height", "UPG_PROOF_ROOT", undefined, (it) => (it["records"] = it["before"].records)],
    ["another height", "UPG_PROOF_HEADER", "height", (it) => (it["height"] = "99")],
    [
      "a state before that is another block's",
      "UPG_PROOF_MALFORMED",
      undefined,
      (it) => (it["before"] = { height: it["height"], records: it["records"], ranges: it["ranges"] }),
    ],
    ["numbers as objects", "UPG_PROOF_MALFORMED", undefined, (it) => (it["height"] = {})],
  ])("%s → %s %s", async (_case, code, reason, change) => {
    await expect(verifyEvidence(changed(change), chain.trust(2))).rejects.toEqual(refused(code, reason));
  });

  test("trust that expired, a header from the future, another hash, another chain", async () => {
    const late = { now: { ...timeOf(17), seconds: timeOf(2).seconds + 86_400n } };
    await expect(verifyEvidence(evidence, chain.trust(2, late))).rejects.toEqual(refused("UPG_PROOF_TRUST", "expired"));
    const early = { now: timeOf(4) };
    await expect(verifyEvidence(evidence, chain.trust(2, early))).rejects.toEqual(
      refused("UPG_PROOF_HEADER", "future"),
    );
    const { root } = chain.trust(2);
    for (const [change, code, reason] of [
      [{ hash: chain.hashAt(3) }, "UPG_PROOF_TRUST", "root"],
      [{ chainId: "other" }, "UPG_PROOF_HEADER", "chain"],
    ] as const) {
      const trust = chain.trust(2, { root: { ...root, ...change } });
      await expect(verifyEvidence(evidence, trust)).rejects.toEqual(refused(code, reason));
    }
  });

  test("documents too large, too deep, or no JSON → UPG_PROOF_MALFORMED before anything is made of them", async () => {
    const documents = [" ".repeat(16 * 1_024 * 1_024 + 1), "[".repeat(10_000), "{", "", "null", "[]", '"text"'];
    for (const document of [...documents, Uint8Array.of(0xff), null, undefined, 7, []]) {
      await expect(verifyEvidence(document, chain.trust(2))).rejects.toEqual(refused("UPG_PROOF_MALFORMED"));
    }
    const many = changed((it) => (it["light_blocks"] = new Array(10_001).fill(it["light_blocks"][0])));
    await expect(verifyEvidence(many, chain.trust(2))).rejects.toEqual(refused("UPG_PROOF_MALFORMED"));
  });

  test("more lists and objects than any evidence has → UPG_PROOF_MALFORMED before one of them is made", async () => {
    for (const each of ["[]", "{}"]) {
      const document = `{"format":[${`${each},`.repeat(500_000)}${each}]}`;
      await expect(verifyEvidence(document, chain.trust(2))).rejects.toThrow("more than 500000 lists and objects");
    }
    const quoted = JSON.stringify({ format: "[{".repeat(500_001) });
    await expect(verifyEvidence(quoted, chain.trust(2))).rejects.toThrow("not a document of format");
  });

  test("a text of 100,000 characters in any place → no message quotes it", async () => {
    const hex = "00".repeat(50_000);
    for (const text of [hex, Buffer.from(hex, "hex").toString("base64"), "\u202e".repeat(100_000)]) {
      for (const place of placesOfTexts(await collect(chain.ask, { ...options, rootHeight: 2n }))) {
        const changedThere = changed((it) => put(it, place, text));
        const { message } = await verifyEvidence(changedThere, chain.trust(2)).then(
          () => ({ message: "" }),
          (error: Error) => error,
        );
        expect(message.length, `${place.join(".")}: ${message.slice(0, 200)}`).toBeLessThan(MESSAGE_MAX);
      }
    }
  });
});

const MESSAGE_MAX = 600;

/** Where a document has texts: the first two of each list. */
function placesOfTexts(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value === "string") return [at];
  if (typeof value !== "object" || value === null) return [];
  const members = Object.entries(value).slice(0, Array.isArray(value) ? 2 : undefined);
  return members.flatMap(([name, each]) => placesOfTexts(each, [...at, name]));
}

function put(document: Loose, place: readonly string[], text: string): void {
  const [last = "", ...parents] = place.toReversed();
  let at = document;
  for (const name of parents.toReversed()) at = at[name];
  at[last] = text;
}
