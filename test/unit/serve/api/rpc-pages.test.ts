/** The RPC as a web page uses it: calls from other origins, and subscriptions. */
import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { useTestNode } from "./test-node.js";

const ORIGIN = "https://wallet.example";
const PREFLIGHT = {
  origin: ORIGIN,
  "access-control-request-method": "POST",
  "access-control-request-headers": "content-type",
};

test("OPTIONS and a call of an origin that is set → the headers with which a browser hands the answer on", () =>
  useTestNode(
    async ({ rpc }) => {
      const preflight = await fetch(rpc, { method: "OPTIONS", headers: PREFLIGHT });
      expect(preflight.status).toBe(204);
      expect(Object.fromEntries(preflight.headers)).toMatchObject({
        "access-control-allow-origin": ORIGIN,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "content-type",
      });
      const call = await fetch(`${rpc}/status`, { headers: { origin: ORIGIN } });
      expect(call.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(call.headers.get("vary")).toBe("Origin");
      const failed = await fetch(`${rpc}/block?height=99`, { headers: { origin: ORIGIN } });
      expect(failed.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    },
    { origins: [ORIGIN] },
  ));

test("another origin, another method, another header, no setting → no leave; *: every origin", async () => {
  await useTestNode(
    async ({ rpc }) => {
      for (const change of [
        { origin: "https://evil.example" },
        { "access-control-request-method": "PUT" },
        { "access-control-request-headers": "content-type, x-other" },
      ]) {
        const answer = await fetch(rpc, { method: "OPTIONS", headers: { ...PREFLIGHT, ...change } });
        expect(answer.status).toBe(204);
        expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      }
    },
    { origins: [ORIGIN] },
  );
  await useTestNode(async ({ rpc }) => {
    expect((await fetch(rpc, { method: "OPTIONS", headers: PREFLIGHT })).status).toBe(405);
    const call = await fetch(`${rpc}/status`, { headers: { origin: ORIGIN } });
    expect(call.headers.get("access-control-allow-origin")).toBeNull();
    const head = await fetch(`${rpc}/status`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });
  await useTestNode(
    async ({ rpc }) => {
      const call = await fetch(`${rpc}/status`, { headers: { origin: "https://any.example" } });
      expect(call.headers.get("access-control-allow-origin")).toBe("*");
    },
    { origins: ["*"] },
  );
});

test("subscribe to NewBlockEvents → one a block; to what never happens → a refusal that names what there is", () =>
  useTestNode(async (node) => {
    const socket = new WebSocket(`${node.rpc.replace("http", "ws")}/websocket`);
    await once(socket, "open");
    const next = async () => JSON.parse(String((await once(socket, "message"))[0]));
    const subscribe = (query: string) =>
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscribe", params: { query } }));
    for (const never of ["Vote", "NewRound", "CompleteProposal"]) {
      subscribe(`tm.event='${never}'`);
      expect((await next()).error.data).toContain(
        `tm.event='${never}' never happens here: there are NewBlock, NewBlockHeader, NewBlockEvents, Tx, ValidatorSetUpdates`,
      );
    }
    subscribe("tm.event='NewBlockEvents'");
    expect((await next()).result).toEqual({});
    node.makeBlocks(1);
    const { query, data, events } = (await next()).result;
    expect(query).toBe("tm.event='NewBlockEvents'");
    expect(data).toMatchObject({ type: "tendermint/event/NewBlockEvents", value: { height: "3", num_txs: "0" } });
    expect(events["tm.event"]).toEqual(["NewBlockEvents"]);
    socket.close();
  }));
