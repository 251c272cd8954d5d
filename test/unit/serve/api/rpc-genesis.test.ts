/** The genesis document as the RPC gives it: in one piece or in chunks, and to many clients at once. */
import { describe, expect, test, vi } from "vitest";
import { call, largeGenesis, post } from "./rpc-client.js";
import { fundedGenesis, type TestNode, useTestNode } from "./test-node.js";

describe("genesis", () => {
  test("the document in one piece and in chunks → the same, the state as it is in the file", () =>
    useTestNode(async (node) => {
      const { genesis } = (await post(node, call("genesis"))).result;
      const file = JSON.parse(fundedGenesis());
      expect(genesis.app_state).toEqual(file.app_state);
      expect(genesis.consensus_params.block.max_bytes).toMatch(/^\d+$/);
      const chunk = (await post(node, call("genesis_chunked", { chunk: "0" }))).result;
      expect([chunk.chunk, chunk.total]).toEqual(["0", "1"]);
      expect(JSON.parse(Buffer.from(chunk.data, "base64").toString("utf8"))).toEqual(genesis);
      expect((await post(node, call("genesis_chunked", { chunk: "1" }))).error.data).toContain("there are 1 chunks");
    }));

  test("larger than one answer → refused with the name of the other method; every chunk together is the document", () => {
    const document = JSON.parse(fundedGenesis());
    // Names with what a scanner of the file could stumble over.
    const filler = `${'{"[,:\\'.repeat(40)}ä`;
    // A member of the Cosmos SDK, which nothing here reads.
    document.app_state.bank.params = { 'a "name", {:} \\': filler };
    document.app_name = "x".repeat(17_000_000);
    return useTestNode(
      async (node) => {
        expect((await post(node, call("genesis"))).error.data).toContain("please use the genesis_chunked API instead");
        const parts: Buffer[] = [];
        for (let chunk = 0; ; chunk++) {
          const { result } = await post(node, call("genesis_chunked", { chunk: String(chunk) }));
          parts.push(Buffer.from(result.data, "base64"));
          if (chunk + 1 === Number(result.total)) break;
        }
        expect(parts.length).toBe(2);
        const whole = JSON.parse(Buffer.concat(parts).toString("utf8"));
        expect(whole.app_state.bank.params['a "name", {:} \\']).toBe(filler);
        expect(whole.app_state).toEqual(document.app_state);
      },
      { genesis: JSON.stringify(document) },
    );
  }, 60_000);
});

describe("genesis_chunked, asked for by many at once", () => {
  const ask = (node: TestNode, clients: number) =>
    Promise.all(Array.from({ length: clients }, () => post(node, call("genesis_chunked", { chunk: "0" }))));

  /** How many parts of the file are read at the same time, at most. */
  async function readsAtOnce(node: TestNode) {
    const genesis = await node.query.node.genesis();
    const read = genesis.read.bind(genesis);
    const reads = { now: 0, most: 0 };
    vi.spyOn(genesis, "read").mockImplementation(async (range) => {
      reads.most = Math.max(reads.most, ++reads.now);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return await read(range).finally(() => reads.now--);
    });
    return reads;
  }

  test("100 clients → all are served, and one chunk is read at a time", () =>
    useTestNode(
      async (node) => {
        const reads = await readsAtOnce(node);
        const answers = await ask(node, 100);
        expect(new Set(answers.map(({ result }) => result.data.length)).size).toBe(1);
        expect(reads.most).toBe(1);
      },
      { genesis: largeGenesis() },
    ));

  test("without room for a chunk that clients do not read → UPG_REMOTE_BUSY, and the file is not read for it", () =>
    useTestNode(
      async (node) => {
        await post(node, call("genesis"));
        const reads = await readsAtOnce(node);
        const [answer] = await ask(node, 1);
        expect(answer.error.data).toContain("UPG_REMOTE_BUSY");
        expect(reads.most).toBe(0);
      },
      { limits: { unreadBytes: 400_000 }, genesis: largeGenesis() },
    ));

  test("200 at once → 128 wait, the others are refused with UPG_REMOTE_BUSY", () =>
    useTestNode(
      async (node) => {
        const answers = await ask(node, 200);
        const refused = answers.filter(({ error }) => error?.data.includes("UPG_REMOTE_BUSY")).length;
        expect(refused).toBeGreaterThan(0);
        expect(refused).toBeLessThanOrEqual(200 - 128);
      },
      { genesis: largeGenesis(), limits: { unreadBytes: 2 ** 31 } },
    ));
});
