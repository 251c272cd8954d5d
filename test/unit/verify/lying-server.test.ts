/** Servers that lie at length, or slowly: a collection of evidence ends, and holds no more than evidence may. */
import { describe, expect, test } from "vitest";
import { collect } from "../../../host/verify/collect.js";
import type { Ask } from "../../../host/verify/types.js";
import { MadeChain, timeOf, upgradeWrites } from "./made-chain.js";

const members = (height: number) => [1, 2, 3, 4].map((at) => ({ seed: height + at, power: 10 }));
const chain = new MadeChain({ blocks: 16, members, writes: upgradeWrites });
const options = { source: "made", now: timeOf(17), rootHeight: 2n };

// biome-ignore lint/suspicious/noExplicitAny: answers are changed at places
type Loose = any;

const lying =
  (change: (method: string, answer: Loose, params: Loose) => void): Ask =>
  async (method, params) => {
    const answer = structuredClone(await chain.ask(method, params));
    change(method, answer, params);
    return answer;
  };

describe("collect() from a server that lies", () => {
  test("members that nobody reads → not kept", async () => {
    const junk = "j".repeat(100_000);
    const ask = lying((method, answer) => {
      if (method === "commit") Object.assign(answer.signed_header, { junk });
      if (method === "commit") Object.assign(answer.signed_header.commit.signatures[0], { junk });
      if (method === "validators") Object.assign(answer.validators[0], { junk });
      if (method === "status") Object.assign(answer, { junk });
      if (method === "abci_query") Object.assign(answer.response.proofOps.ops[0], { junk });
    });
    expect(await collect(ask, options)).toEqual(await collect(chain.ask, options));
  });

  test("members that are read, of 4 MB each → refused at the bound of evidence", async () => {
    const ask = lying((method, answer) => {
      if (method === "commit") answer.signed_header.header.app_hash = "00".repeat(2_000_000);
    });
    await expect(collect(ask, options)).rejects.toMatchObject({ code: "UPG_PROOF_MALFORMED" });
  });

  test("a false signature on the way → refused before any record is asked for", async () => {
    const asked: string[] = [];
    const ask = lying((method, answer, { height }) => {
      asked.push(method);
      if (method !== "commit" || height === "2") return;
      for (const each of answer.signed_header.commit.signatures) each.signature = Buffer.alloc(64).toString("base64");
    });
    await expect(collect(ask, options)).rejects.toMatchObject({ details: { reason: "signature" } });
    expect(asked).not.toContain("abci_query");
  });

  test("fewer validators on a page than were asked for, or more than there are → UPG_PROOF_MALFORMED", async () => {
    for (const count of [3, 5]) {
      const ask = lying((method, answer) => {
        const [first] = answer.validators ?? [];
        if (method === "validators") answer.validators = Array(count).fill(first);
      });
      await expect(collect(ask, options)).rejects.toMatchObject({ code: "UPG_PROOF_MALFORMED" });
    }
  });
});

describe("collect() with a signal", () => {
  test("a server that never responds → UPG_REMOTE_UNAVAILABLE when the time is over", async () => {
    const silent: Ask = (method, params) => (method === "commit" ? new Promise(() => {}) : chain.ask(method, params));
    const refused = { code: "UPG_REMOTE_UNAVAILABLE", message: expect.stringContaining("after 5 requests") };
    await expect(collect(silent, { ...options, signal: AbortSignal.timeout(20) })).rejects.toMatchObject(refused);
    await expect(collect(chain.ask, { ...options, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "UPG_REMOTE_UNAVAILABLE",
    });
  });

  test("onProgress → requests that grow by one, and bytes that are kept", async () => {
    const heard: [requests: number, bytes: number][] = [];
    await collect(chain.ask, { ...options, onProgress: (...each) => heard.push(each) });
    expect(heard.map(([requests]) => requests)).toEqual(heard.map((_each, at) => at + 1));
    expect(heard.at(-1)?.[1]).toBeGreaterThan(10_000);
  });
});
