/** A plan that is scheduled and not yet due: the node is asked for it, and it is made ready. */

import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { QueryCurrentPlanResponseSchema } from "../../../../host/gen/cosmos/upgrade/v1beta1/query_pb.js";
import { realMachine } from "../../../../host/visor/real-machine.js";
import { ScriptsHome } from "../scripts-home.js";

test("runVisor() a plan in the node's state → on the board with what is missing, and no switch at its height without its file", async () => {
  const home = new ScriptsHome();
  home.program("genesis", "trap 'exit 0' TERM; while :; do sleep 0.02; done");
  const plan = { name: "V2", height: 49n, info: "" };
  const value = Buffer.from(toBinary(QueryCurrentPlanResponseSchema, create(QueryCurrentPlanResponseSchema, { plan })));
  const answer = { result: { response: { code: 0, value: value.toString("base64") } } };
  const status = { result: { sync_info: { latest_block_height: "60" } } };
  const askRpc = async (url: string) => (url.includes("abci_query") ? answer : status);
  const run = home.run([], { rpcAddress: "tcp://node" }, { askRpc });
  while (!home.board.current.height || home.board.current.readiness.length < 2) await realMachine.clock.sleep(5);
  expect(home.board.current).toMatchObject({
    phase: "waiting",
    plan: { name: "v2", height: "49", origin: "chain" },
    height: { value: "60", source: "rpc" },
    readiness: expect.arrayContaining([
      expect.objectContaining({ what: "program", state: "missing" }),
      expect.objectContaining({ what: "backup", state: "skipped" }),
    ]),
  });
  home.program("upgrades/v2", "echo v2 >> $OUT");
  await realMachine.clock.sleep(200);
  expect([home.out, home.current]).toEqual(["", "genesis"]);
  home.stop.abort("SIGTERM");
  expect(await run).toBe(0);
});

/** A node of a chain that schedules v2, at height 60. */
function nodeOf(network: string | undefined) {
  const plan = { name: "v2", height: 49n, info: "" };
  const value = Buffer.from(toBinary(QueryCurrentPlanResponseSchema, create(QueryCurrentPlanResponseSchema, { plan })));
  const status = { result: { node_info: { network }, sync_info: { latest_block_height: "60" } } };
  return async (url: string) =>
    url.includes("abci_query") ? { result: { response: { code: 0, value: value.toString("base64") } } } : status;
}

test.each([
  ["another-1", "another-1"],
  [undefined, "it does not say which"],
])("a node of chain %s at the RPC's address → its plan and height are nobody's, said once", async (network, words) => {
  const home = new ScriptsHome();
  // Keys that hold it deeper, in text and in lists are other things.
  const genesis = { app: { chain_id: "another-1", 'chain_id"': ["chain_id", "another-1"] }, chain_id: "own-1" };
  home.write("config/genesis.json", JSON.stringify(genesis));
  home.write("cosmovisor/queue.json", '{"v":1,"plans":[{"name":"v2","height":"49"}]}');
  home.program("genesis", "trap 'exit 0' TERM; while :; do sleep 0.02; done");
  home.program("upgrades/v2", "echo v2 >> $OUT");
  const run = home.run([], { rpcAddress: "tcp://node" }, { askRpc: nodeOf(network) });
  await home.says(`is of chain ${words}, and this home of own-1`);
  await realMachine.clock.sleep(300);
  expect(home.board.current).toMatchObject({ height: null, plan: { origin: "operator" } });
  expect([home.out, home.current]).toEqual(["", "genesis"]);
  home.stop.abort("SIGTERM");
  expect(await run).toBe(0);
  expect(home.lines.filter((line) => line.includes("is of chain"))).toHaveLength(1);
});

test("a node that cannot be asked → its address and the error on the board", async () => {
  const home = new ScriptsHome();
  home.program("genesis", "trap 'exit 0' TERM; while :; do sleep 0.02; done");
  const askRpc = () => Promise.reject(new Error("connection refused"));
  const run = home.run([], { rpcAddress: "http://node:1" }, { askRpc });
  while (!home.board.current.rpc_failure) await realMachine.clock.sleep(5);
  expect(home.board.current.rpc_failure).toEqual({
    address: "http://node:1",
    why: expect.stringMatching(/^cannot ask http:\/\/node:1\/abci_query.*: connection refused$/),
  });
  home.stop.abort("SIGTERM");
  expect(await run).toBe(0);
});

test("the home's own chain → its height counts", async () => {
  const home = new ScriptsHome();
  home.write(
    "config/genesis.json",
    `${JSON.stringify({ genesis_time: "", state: "x".repeat(2_000_000) }).slice(0, -1)},\n"chain_id" : "own-1"}`,
  );
  home.write("cosmovisor/queue.json", '{"v":1,"plans":[{"name":"v2","height":"49"}]}');
  home.program("genesis", "while :; do sleep 0.02; done");
  home.program("upgrades/v2", "echo v2 >> $OUT");
  expect(await home.run([], { rpcAddress: "tcp://node" }, { askRpc: nodeOf("own-1") }), home.lines.join("\n")).toBe(0);
  expect(home.current).toBe("upgrades/v2");
});
