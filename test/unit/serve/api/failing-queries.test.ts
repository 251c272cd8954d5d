/** A query method of a module that throws, or returns what its response cannot hold: one response on every server, one line in the log. */
import { createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { expect, test } from "vitest";
import { Query } from "../../../../examples/notes-chain/gen/notes_pb.js";
import { defineChain } from "../../../../host/chain/app/define-chain.js";
import { implement } from "../../../../host/chain/app/query/service.js";
import { exampleChain } from "../../../example-chain.js";
import { useTestNode } from "./test-node.js";

const NAMED = "Query mychain.notes.v1.Query/Notes of module notes failed: ";
const FAILING: readonly (readonly [what: string, notes: () => never, text: string])[] = [
  [
    "throws an Error",
    () => {
      throw new Error("boom in query");
    },
    "boom in query",
  ],
  ["returns a text for a number", () => ({ total: "three" }) as never, ""],
];

test.each(FAILING)("a method that %s", async (_what, notes, text) => {
  const module = { name: "notes", consensusVersion: 1n, stores: [], queries: [implement(Query, [], { notes })] };
  const chain = defineChain({ name: "notesd", modules: [...exampleChain.modules, module] });
  await useTestNode(
    async ({ rest, rpc, bugs }) => {
      const byRest = await fetch(`${rest}/mychain/notes/v1/notes`);
      const { message } = (await byRest.json()) as { message: string };
      expect(byRest.status).toBe(500);
      expect(byRest.headers.get("x-error-code")).toBe("UPG_BUG_MODULE");
      expect(message).toContain(NAMED + text);
      const path = encodeURIComponent('"/mychain.notes.v1.Query/Notes"');
      const byRpc = (await (await fetch(`${rpc}/abci_query?path=${path}`)).json()) as {
        result: { response: { code: number; log: string; info: string } };
      };
      expect(byRpc.result.response.log).toContain(message);
      expect(byRpc.result.response.info).toContain("UPG_BUG_MODULE");
      const client = createClient(Query, createGrpcWebTransport({ baseUrl: rest }));
      const byGrpc = await client.notes({}).catch((error: unknown) => error as Error);
      expect((byGrpc as Error).message).toContain(message);
      expect(bugs.length).toBe(3);
      for (const bug of bugs) expect(bug).toMatchObject({ code: "UPG_BUG_MODULE", message });
    },
    { chain },
  );
});
