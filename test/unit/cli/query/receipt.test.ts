import "../../../serve-chain.js";
import { describe, expect, test } from "vitest";
import { provenReceipt } from "../../../../host/client/query/receipt.js";
import type { RpcClient } from "../../../../host/comet-rpc/client.js";

/** A node at height 61 that returns from 60 when no height is asked; the key is there from a height on. */
function nodeWith(since: number, asked: string[]): RpcClient {
  const call = async (method: string, { height = "", prove = false }: { height?: string; prove?: boolean } = {}) => {
    asked.push(`${method} ${height}${prove ? " prove" : ""}`.trim());
    if (method === "abci_info") return { response: { last_block_height: "61" } };
    if (method === "commit") return { signed_header: { header: { app_hash: "00".repeat(32) } } };
    const at = Number(height) || 60;
    return { response: { code: 0, height: String(at), value: at >= since ? "AQ==" : null, proofOps: null } };
  };
  return { call } as unknown as RpcClient;
}

describe("provenReceipt()", () => {
  const outcome = async (since: number) => {
    const asked: string[] = [];
    const error: unknown = await provenReceipt(nodeWith(since, asked), Uint8Array.of(1), "v2").catch((each) => each);
    return { asked, error };
  };

  test("the last block committed it, which cannot be proven yet → asked for at that height, proven by the next header", async () => {
    const { asked, error } = await outcome(61);
    expect(asked).toEqual(["abci_query 0", "abci_info", "abci_query 61", "abci_query 61 prove", "commit 62"]);
    expect(error).toMatchObject({ code: expect.stringMatching(/^UPG_PROOF_/) });
  });

  test("an older block did → proven at the height that the node read from", async () => {
    expect((await outcome(7)).asked).toEqual(["abci_query 0", "abci_query 60 prove", "commit 61"]);
  });

  test("no block did → UPG_NOT_FOUND_RECEIPT", async () => {
    expect((await outcome(99)).error).toMatchObject({ code: "UPG_NOT_FOUND_RECEIPT" });
  });
});
