import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { REQUESTS_WAITING_MAX } from "../../../../host/node/comet/connection.js";
import { Chain } from "../../../scenario/chain.js";
import type { AbciClient } from "./client.js";

import { COMMIT, echo, finalize, folder, INFO, INIT, NONE, serve, TIME } from "./served.js";

describe("blocks over a socket", () => {
  for (const kind of ["tcp", "unix"]) {
    test(`${kind}: info, initChain, proposals, blocks, commit → the app hash of the same blocks without a socket`, async () => {
      const served = await serve(kind === "tcp" ? undefined : `unix://${join(folder, "blocks.sock")}`);
      const client = await served.client();
      expect(await client.call(INFO)).toMatchObject({ case: "info", value: { data: "chaind", lastBlockHeight: 0n } });
      expect(await client.call(INIT)).toMatchObject({
        value: {
          appHash: new Uint8Array(sha256(NONE)),
          consensusParams: { block: { maxBytes: 22_020_096n, maxGas: -1n } },
        },
      });
      const txs = [new Uint8Array(3)];
      const proposal = { height: 1n, txs, time: TIME };
      expect(await client.call({ case: "prepareProposal", value: { ...proposal, maxTxBytes: 5n } })).toMatchObject({
        value: { txs },
      });
      expect(await client.call({ case: "processProposal", value: proposal })).toMatchObject({ value: { status: 1 } });
      const own = new Chain().start();
      for (let height = 1n; height < 4n; height++) {
        const plain = own.block({ time: TIME });
        const result = await client.call(finalize(height));
        expect(result).toMatchObject({ case: "finalizeBlock", value: { appHash: plain.appHash } });
        expect(await client.call(COMMIT)).toMatchObject({ case: "commit", value: { retainHeight: 0n } });
      }
      expect(await client.call(INFO)).toMatchObject({ value: { lastBlockHeight: 3n } });
    });
  }

  test("votes, evidence and times → the module's block; a vote with an unknown flag → an exception, nothing ran", async () => {
    const { client, failures } = await serve();
    const consensus = await client();
    const validator = { address: new Uint8Array(20), power: 5n };
    const block = (blockIdFlag: number) => ({
      case: "finalizeBlock" as const,
      value: { height: 1n, time: TIME, decidedLastCommit: { round: 1, votes: [{ validator, blockIdFlag }] } },
    });
    expect(await consensus.call(block(3))).toMatchObject({ case: "finalizeBlock" });
    expect(await consensus.call(block(9))).toMatchObject({
      case: "exception",
      value: { error: expect.stringContaining("flag 9") },
    });
    expect(failures).toMatchObject([{ code: "UPG_INVALID_ARGUMENT" }]);
  });

  test("a block that comes again → the same answer; after an engine that hung up another one begins again", async () => {
    const { client, server } = await serve();
    const first = await client();
    const one = await first.call(finalize(1n));
    first.end();
    while (server.kinds.length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const second = await client();
    expect(await second.call(INFO)).toMatchObject({ value: { lastBlockHeight: 0n } });
    const again = await second.call(finalize(1n));
    expect(again).toEqual(one);
    await second.call(COMMIT);
  });

  test("a second engine while one is connected → an exception, and nothing of the first one's block is dropped", async () => {
    const { client } = await serve();
    const [first, second] = [await client(), await client()];
    await first.call(finalize(1n));
    for (const call of [finalize(1n), COMMIT, INIT]) {
      expect(await second.call(call)).toMatchObject({
        case: "exception",
        value: { error: expect.stringContaining("one at a time") },
      });
    }
    expect(await second.call(INFO)).toMatchObject({ value: { lastBlockHeight: 0n } });
    expect(await first.call(COMMIT)).toMatchObject({ case: "commit" });
  });

  test("a call of consensus that fails → what is written down first, then an exception with the message", async () => {
    const { client, failures } = await serve();
    const consensus = await client();
    expect(await consensus.call(COMMIT)).toMatchObject({
      case: "exception",
      value: { error: expect.stringContaining("commit()") },
    });
    expect(failures).toMatchObject([{ code: "UPG_BUG_ASSERT" }]);
    // The application has ended: whatever comes then is refused too, and the rest goes on.
    expect(await consensus.call(finalize(1n))).toMatchObject({ case: "exception" });
    expect(await (await client()).call(INFO)).toMatchObject({ case: "info" });
  });
});

describe("the other connections", () => {
  test("requests that are sent ahead → responses in their order, however long each takes; every flush has its response", async () => {
    const { client } = await serve();
    const query = await client();
    const paths = ["slow", "a", "slow", "b"];
    const sent = paths.flatMap((path) => [
      query.call({ case: "query", value: { path, height: 7n } }),
      query.call({ case: "flush", value: {} }),
    ]);
    const got = (await Promise.all(sent)).map((each) => (each.case === "query" ? each.value.log : each.case));
    expect(got).toEqual(["slow", "flush", "a", "flush", "slow", "flush", "b", "flush"]);
  });

  test("more requests than are taken at once, read late → all have their responses", async () => {
    const { client } = await serve();
    const mempool = await client();
    const sent = Array.from({ length: REQUESTS_WAITING_MAX * 4 }, (_, at) =>
      mempool.call(echo("x".repeat(5_000) + at)),
    );
    mempool.socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 50));
    mempool.socket.resume();
    const got = await Promise.all(sent);
    expect(got.map((each) => (each.case === "echo" ? Number(each.value.message.slice(5_000)) : -1))).toEqual(
      sent.map((_, at) => at),
    );
  });

  test("checks and queries that go wrong → a code, never an exception, which would end CometBFT", async () => {
    const { client } = await serve();
    const any = await client();
    expect(await any.call({ case: "checkTx", value: { tx: new Uint8Array(2), type: 0 } })).toMatchObject({
      case: "checkTx",
      value: { codespace: "sdk" },
    });
    expect(await any.call({ case: "query", value: { path: "bug" } })).toMatchObject({
      case: "query",
      value: { code: 1, log: "a bug", info: "UPG_BUG_ASSERT" },
    });
  });

  test("snapshots and vote extensions → none, refused, empty", async () => {
    const { client } = await serve();
    const any = await client();
    const cases: [Parameters<AbciClient["call"]>[0], object][] = [
      [{ case: "listSnapshots", value: {} }, { snapshots: [] }],
      [{ case: "offerSnapshot", value: { snapshot: { height: 5n } } }, { result: 3 }],
      [{ case: "loadSnapshotChunk", value: { height: 5n } }, { chunk: NONE }],
      [{ case: "applySnapshotChunk", value: { index: 0 } }, { result: 2 }],
      [{ case: "extendVote", value: { height: 5n } }, { voteExtension: NONE }],
      [{ case: "verifyVoteExtension", value: {} }, { status: 1 }],
      [{ case: "verifyVoteExtension", value: { voteExtension: new Uint8Array(1) } }, { status: 2 }],
    ];
    for (const [call, value] of cases) expect(await any.call(call)).toMatchObject({ case: call.case, value });
  });
});
