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
