/** Receipts that a node proves, and what a node that lies gets for it. */
import { describe, expect, test } from "vitest";
import { toBase64, toHex } from "../../../../host/base/text/bytes.js";
import { provenReceipt } from "../../../../host/cli/client/query/receipt.js";
import type { RpcClient } from "../../../../host/node/remote/client.js";
import { receiptKey } from "../../../../host/verify/records.js";
import type { AskedMethod, AskedParams } from "../../../../host/verify/types.js";
import { MadeChain, upgradeWrites } from "../../verify/made-chain.js";

const members = () => [1, 2, 3, 4].map((seed) => ({ seed, power: 10 }));
const chain = new MadeChain({ blocks: 12, members, writes: upgradeWrites });
const KEY = receiptKey("v2");
const PERIOD = { trustingPeriod: 10n ** 18n };

// biome-ignore lint/suspicious/noExplicitAny: responses are broken at places that their types keep whole
type Loose = any;
type Call = (method: string, params: Record<string, string | boolean>) => Promise<Loose>;

/** The chain's RPC, after `lie` has changed a response. */
function nodeWith(lie: (method: string, answer: Loose, params: Loose) => void, asked: string[] = []): RpcClient {
  const call: Call = async (method, params = {}) => {
    asked.push(`${method} ${params["height"] ?? ""}`.trim());
    if (method === "abci_info") {
      const answer: Loose = { response: { last_block_height: "12" } };
      lie(method, answer, params);
      return answer;
    }
    const shown = { ...params, ...(params["height"] === "0" ? { height: "11" } : {}) };
    const answer: Loose = structuredClone(await chain.ask(method as AskedMethod, shown as AskedParams));
    lie(method, answer, shown);
    return answer;
  };
  return { call, url: "made" } as unknown as RpcClient;
}

const trusted = { trustHeight: 2n, trustHash: chain.hashAt(2), ...PERIOD };
const outcome = (node: RpcClient, flags: Loose = PERIOD): Promise<Loose> =>
  provenReceipt(node, KEY, "v2", flags).catch((error: unknown) => error);

describe("provenReceipt()", () => {
  test("no block is trusted → the receipt, and that it rests on the server alone", async () => {
    const { receipt, proof, verified } = await outcome(nodeWith(() => undefined));
    expect(receipt).toMatchObject({ plan: "v2", height: "6" });
    expect(proof).toMatchObject({ height: "11", key: toHex(KEY).toUpperCase() });
    expect(proof.ops).toHaveLength(2);
    expect(verified).toMatchObject({ by: "this server alone", is_trusted: false });
    expect(verified.words).toContain("rests on the server that was asked");
  });

  test("a block is trusted → its hash and the signatures that lead to the proof", async () => {
    const { verified } = await outcome(
      nodeWith(() => undefined),
      trusted,
    );
    expect(verified).toMatchObject({
      by: "signatures from a block that you trust",
      is_trusted: true,
      trusted_block: { height: "2", hash: toHex(chain.hashAt(2)).toUpperCase() },
    });
    expect(verified.signatures).toBeGreaterThanOrEqual(3);
  });

  test("one half of a trusted block → UPG_INVALID_ARGUMENT; another block's hash → UPG_PROOF_TRUST", async () => {
    expect(
      await outcome(
        nodeWith(() => undefined),
        { trustHeight: 2n, ...PERIOD },
      ),
    ).toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
    });
    const other = { ...trusted, trustHash: chain.hashAt(3) };
    expect(
      await outcome(
        nodeWith(() => undefined),
        other,
      ),
    ).toMatchObject({ code: "UPG_PROOF_TRUST" });
  });

  test("a block that is older than the trusting period → refused; with none trusted its age does not matter", async () => {
    const old = { ...trusted, trustingPeriod: 1_000_000_000n };
    expect(
      await outcome(
        nodeWith(() => undefined),
        old,
      ),
    ).toMatchObject({
      code: "UPG_PROOF_TRUST",
      details: { reason: "expired" },
    });
    expect(
      (
        await outcome(
          nodeWith(() => undefined),
          { trustingPeriod: 1n },
        )
      ).verified.is_trusted,
    ).toBe(false);
  });

  const forged = toBase64(Uint8Array.from([10, 2, 118, 50, 16, 6]));
  const isReceipt = (params: Loose) => params.data === toHex(KEY);
  const lies: readonly (readonly [string, (method: string, answer: Loose, params: Loose) => void])[] = [
    [
      "no commit at all",
      (method, answer) => method === "commit" && Object.assign(answer.signed_header, { commit: null }),
    ],
    [
      "another value",
      (method, answer, params) =>
        method === "abci_query" && isReceipt(params) && Object.assign(answer.response, { value: forged }),
    ],
    [
      "another app hash",
      (method, answer) =>
        method === "commit" && Object.assign(answer.signed_header.header, { app_hash: "AB".repeat(32) }),
    ],
    [
      "a signature that is not genuine",
      (method, answer) => {
        if (method !== "commit") return;
        for (const each of answer.signed_header.commit.signatures)
          each.signature = toBase64(new Uint8Array(64).fill(9));
      },
    ],
    [
      "a validator twice",
      (method, answer) => {
        if (method === "validators") answer.validators[1] = answer.validators[0];
      },
    ],
    [
      "no proof",
      (method, answer) =>
        method === "abci_query" && Object.assign(answer.response, { proofOps: null, proof_ops: null }),
    ],
  ];
  for (const [what, lie] of lies) {
    for (const [how, flags] of [
      ["a block is trusted", trusted],
      ["none is", PERIOD],
    ] as const) {
      test(`the node sends ${what}, ${how} → UPG_PROOF_*, exit 40`, async () => {
        const error = await outcome(
          nodeWith((...given) => void lie(...given)),
          flags,
        );
        expect(error.code).toMatch(/^UPG_PROOF_/);
        expect(error.kind.exit).toBe(40);
      });
    }
  }

  test("a block committed it that cannot be proven yet → asked for at that height, proven by the next header once that is made", async () => {
    const asked: string[] = [];
    let tries = 0;
    const node = nodeWith((method, answer, { height }) => {
      // Without a height the node reads the state before the upgrade's block.
      if (method === "abci_query" && asked.filter((each) => each === "abci_query 0").length > 0 && asked.length === 1) {
        Object.assign(answer.response, { value: null, height: "5" });
      }
      if (method === "abci_info") answer.response.last_block_height = "6";
      if (method === "commit" && height === "7" && tries++ === 0) throw new Error("it is not made yet");
    }, asked);
    const { proof } = await outcome(node);
    expect(asked.slice(0, 5)).toEqual(["abci_query 0", "abci_info", "abci_query 6", "commit 7", "commit 7"]);
    expect(proof).toMatchObject({ height: "6" });
  });

  test("no block committed it → UPG_NOT_FOUND_RECEIPT", async () => {
    const error = await provenReceipt(
      nodeWith(() => undefined),
      receiptKey("v9"),
      "v9",
      PERIOD,
    ).catch((each) => each);
    expect(error).toMatchObject({ code: "UPG_NOT_FOUND_RECEIPT" });
  });
});
