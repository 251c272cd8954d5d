/** How often a collection waits for a server, and how many requests it has under way: both are counted, by a proxy that is slow. */
import { describe, expect, test } from "vitest";
import { bigEndian64, toBase64 } from "../../../host/base/text/bytes.js";
import { collect } from "../../../host/verify/collect.js";
import { verifyEvidence } from "../../../host/verify/evidence.js";
import type { Ask, Evidence } from "../../../host/verify/types.js";
import { remembered } from "../../../web/remembered.js";
import { doneKey, MadeChain, receiptKeyHex, timeOf, versionKey } from "./made-chain.js";

const MODULES = 60;
const UPGRADES = 20;
const VALIDATORS = 180;
const UPGRADE_HEIGHT = 4;
const [AT_ONCE, WAITING] = [8, 2];

const one = bigEndian64(1n);
const names = Array.from({ length: MODULES }, (_, index) => `module${String(index).padStart(2, "0")}`);
const upgrades = Array.from({ length: UPGRADES }, (_, index) => `v${index + 2}`);
/** A chain as large as a real one, whose last upgrade adds a module. */
const chain = new MadeChain({
  blocks: 8,
  members: () => Array.from({ length: VALIDATORS }, (_, seed) => ({ seed, power: 10 })),
  writes(height) {
    if (height === 1)
      return [
        ...names.slice(1).map((name) => [versionKey(name), one] as const),
        ...upgrades.slice(1).map((name) => [doneKey(name, 1n), Uint8Array.of(1)] as const),
      ];
    if (height !== UPGRADE_HEIGHT) return [];
    return [
      [doneKey("v2", BigInt(height)), Uint8Array.of(1)],
      [versionKey(names[0] as string), one],
      [receiptKeyHex("v2"), Uint8Array.of(1)],
    ];
  },
});
const options = { source: "made", now: timeOf(9), rootHeight: 2n };

/** Holds every request back until no more come, and then responds to all of them: a round. */
class SlowProxy {
  readonly rounds: string[][] = [];
  #waiting: (readonly [name: string, respond: () => void])[] = [];

  constructor(private readonly server: Ask) {}

  readonly ask: Ask = (method, params) =>
    new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) this.#inTurns(WAITING);
      const name = `${method} ${Object.values(params).join(" ")}`;
      this.#waiting.push([name, () => void this.server(method, params).then(resolve, reject)]);
    });

  #inTurns(left: number): void {
    if (left > 0) return void setImmediate(() => this.#inTurns(left - 1));
    const round = this.#waiting;
    this.#waiting = [];
    this.rounds.push(round.map(([name]) => name));
    for (const [, respond] of round) respond();
  }

  get requests(): number {
    return this.rounds.flat().length;
  }
}

async function through(server: Ask, more: { readonly known?: Evidence; readonly height?: bigint } = {}) {
  const proxy = new SlowProxy(server);
  const { known, ...height } = more;
  const evidence = await collect(known ? remembered(proxy.ask, known) : proxy.ask, { ...options, ...height });
  expect(Math.max(...proxy.rounds.map((round) => round.length))).toBeLessThanOrEqual(AT_ONCE);
  return { evidence, rounds: proxy.rounds.length, requests: proxy.requests, asked: proxy.rounds.flat() };
}

/** A server that responds to keys and their proofs, and has other lists. */
const withoutLists =
  (lists: (value: string) => unknown): Ask =>
  async (method, params) => {
    if (method !== "abci_query" || String(params["path"]).endsWith("/key")) return await chain.ask(method, params);
    return lists(String(params["path"]));
  };
const REFUSED = { response: { code: 6, log: "unknown request" } };
const refused = withoutLists(() => REFUSED);
/** As a node of ours. */
const versionsAlone: Ask = (method, params) =>
  String(params["path"]).endsWith("/subspace") ? Promise.resolve(REFUSED) : chain.ask(method, params);

describe("rounds of a collection, 60 modules, 20 upgrades, 180 validators", () => {
  test("the server lists its keys → 8 requests at a time; the same evidence as by walking", async () => {
    const [listed, ours, walked] = [await through(chain.ask), await through(versionsAlone), await through(refused)];
    expect(JSON.stringify(ours.evidence)).toBe(JSON.stringify(walked.evidence));
    expect(JSON.stringify(listed.evidence)).toBe(JSON.stringify(walked.evidence));
    const { claims } = await verifyEvidence(listed.evidence, chain.trust(2));
    expect(claims.filter(({ id }) => id === "done").length).toBe(UPGRADES);
    const counted = [listed, ours, walked].map(({ rounds, requests }) => [rounds, requests]);
    // As docs/verify.md has it. One request after another was 156 rounds.
    expect(counted).toEqual([
      [26, 158],
      [36, 158],
      [75, 158],
    ]);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("no"))],
    ["no response", () => null],
    ["no protobuf", () => ({ response: { code: 0, value: toBase64(Uint8Array.of(0x0a, 0xff)) } })],
    ["keys that are not there", () => ({ response: { code: 0, value: toBase64(lyingList()) } })],
  ])("lists: %s → the same evidence, and few requests more", async (_what, lists) => {
    const [lied, walked] = [await through(withoutLists(lists)), await through(refused)];
    expect(lied.evidence).toEqual(walked.evidence);
    expect(lied.requests - walked.requests).toBeLessThan(2 * AT_ONCE);
  });

  test("the first failure in the order of the document is the one that is thrown, and nothing is asked after it", async () => {
    const proxy = new SlowProxy((method, params) =>
      method === "abci_query"
        ? Promise.reject(new Error(`${params["path"]} ${params["data"]}`))
        : chain.ask(method, params),
    );
    await expect(collect(proxy.ask, options)).rejects.toThrow("/store/upgrade/key 00");
    const { requests } = proxy;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(proxy.requests).toBe(requests);
  });
});

/** A thousand keys that sort first. */
function lyingList(): Uint8Array {
  return Uint8Array.from(Array.from({ length: 1_000 }, () => [0x0a, 4, 0x0a, 2, 1, 0]).flat());
}

describe("a collection after another one", () => {
  test("a new block without a write → its header and one record; the same evidence as without the earlier one", async () => {
    const { evidence: known } = await through(chain.ask, { height: 6n });
    const [again, fresh] = [await through(chain.ask, { known }), await through(chain.ask)];
    expect(JSON.stringify(again.evidence)).toBe(JSON.stringify(fresh.evidence));
    expect(again.asked).toEqual([
      "status ",
      "commit 8",
      "validators 8 1 100",
      "validators 8 2 100",
      "abci_query /store/upgrade/key 00 7 true",
      "abci_query /store/upgrade/key 00 3 true",
      // The module that the upgrade added: asked for ahead, and not needed.
      "abci_query /store/upgrade/key 026d6f64756c65303000 3 true",
    ]);
    expect(again.rounds).toBe(6);
    const same = await through(chain.ask, { known: again.evidence });
    expect(same.evidence).toEqual(fresh.evidence);
    expect(same.asked.map((name) => name.split(" ")[0])).toEqual(["status", "abci_query", "abci_query", "abci_query"]);
  });

  test("the store was written meanwhile → the same evidence as without the earlier one", async () => {
    const { evidence: known } = await through(chain.ask, { height: 3n });
    const [again, fresh] = [await through(chain.ask, { known }), await through(chain.ask)];
    expect(JSON.stringify(again.evidence)).toBe(JSON.stringify(fresh.evidence));
  });

  test("an earlier document that was changed → refused", async () => {
    const { evidence } = await through(chain.ask, { height: 6n });
    const [block] = evidence.light_blocks;
    const headless = { ...evidence, light_blocks: [{ ...block, validators: [] }] } as Evidence;
    const [plan] = evidence.records;
    const hiding = {
      ...evidence,
      ranges: evidence.ranges.map((range) => ({ ...range, records: [{ ...plan, key: range.start }] })),
    };
    for (const known of [headless, hiding as Evidence]) {
      const lie = through(chain.ask, { known }).then(({ evidence: found }) => verifyEvidence(found, chain.trust(2)));
      await expect(lie).rejects.toMatchObject({ code: expect.stringMatching(/^UPG_PROOF_/) });
    }
  });
});
