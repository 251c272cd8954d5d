/** A plan that is scheduled and not yet due: the node is asked for it, and it is made ready. */

import { existsSync } from "node:fs";
import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { QueryCurrentPlanResponseSchema } from "../../../../host/base/gen/cosmos/upgrade/v1beta1/query_pb.js";
import { lackingIn, verdictOf } from "../../../../host/visor/decide/readiness.js";
import { requestRestart } from "../../../../host/visor/decide/restart-request.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { hurried, planText, ScriptsHome } from "../scripts-home.js";

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
    next: "export CHAINVISOR_RPC_ADDRESS=http://127.0.0.1:PORT",
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

/** A home of this project's chains, whose node applied v7 at 1076 by a handler: no program of that name is there. */
function homeOfHandlerPlan(): ScriptsHome {
  const home = new ScriptsHome();
  home.write("data/chain.mdb", "");
  home.write("data/upgrade-info.json", planText("v7", 1076));
  home.program("genesis", "echo Started >> $OUT\ntrap 'exit 0' TERM; while :; do sleep 0.02; done");
  return home;
}

const noAnswer = () => Promise.reject(new Error("connection refused"));

test.each([
  [1092n, null],
  [1076n, null],
  [1075n, "v7"],
  [undefined, "v7"],
])(
  "the store's last block is %s, and the node that starts does not respond yet → the plan of 1076 is %s",
  async (last, pending) => {
    const home = homeOfHandlerPlan();
    const shown = new Set<string | null>();
    home.board.onChange(
      ({ phase, plan }) => phase !== "starting" && phase !== "stopped" && shown.add(plan?.name ?? null),
    );
    const others = { askRpc: noAnswer, storeHeight: async () => last };
    const run = home.run(["start"], { rpcAddress: "tcp://node" }, others);
    while (home.out === "") await realMachine.clock.sleep(5);
    await realMachine.clock.sleep(200);
    expect(home.board.current).toMatchObject(
      pending === null
        ? { phase: "running", plan: null, readiness: [] }
        : { phase: "waiting", plan: { name: pending } },
    );
    if (pending === null) expect([...shown]).toEqual([null]);
    home.stop.abort("SIGTERM");
    expect(await run).toBe(0);
  },
);

test.each([
  ["1070, which the store has passed", 1070n, null],
  ["2000", 2000n, { name: "v8", height: "2000" }],
])(
  "the application is started again, and what its node said last is a plan of height %s → %#",
  async (_, height, shown) => {
    const home = homeOfHandlerPlan();
    const plan = { name: "v8", height, info: "" };
    const value = Buffer.from(
      toBinary(QueryCurrentPlanResponseSchema, create(QueryCurrentPlanResponseSchema, { plan })),
    );
    let last = 1060n;
    const askRpc = async (url: string) => {
      if (last !== 1060n || !url.includes("abci_query")) throw new Error("connection refused");
      return { result: { response: { code: 0, value: value.toString("base64") } } };
    };
    home.write("data/upgrade-info.json", planText("v6", 1000));
    const run = home.run(["start"], { rpcAddress: "tcp://node" }, { askRpc, storeHeight: async () => last });
    while (home.board.current.plan?.name !== "v8") await realMachine.clock.sleep(5);
    last = 1092n;
    requestRestart(realMachine.files, home.file("cosmovisor/restart.json"));
    while (home.out.split("Started").length < 3) await realMachine.clock.sleep(5);
    await realMachine.clock.sleep(200);
    if (shown) expect(home.board.current.plan).toMatchObject(shown);
    else expect(home.board.current).toMatchObject({ plan: null, phase: "running" });
    home.stop.abort("SIGTERM");
    expect(await run).toBe(0);
  },
);

test("an application that crashed is started again → not ready until it responds", async () => {
  const home = new ScriptsHome();
  home.program(
    "genesis",
    `[ -f ${home.file("crashed")} ] || { touch ${home.file("crashed")}; sleep 0.2; exit 2; }
    trap 'exit 0' TERM; while :; do sleep 0.02; done`,
  );
  home.program("upgrades/v2", "exit 0");
  const network = nodeOf("own-1");
  let isAnswered = true;
  const askRpc = async (url: string) => {
    if (existsSync(home.file("crashed")) && !isAnswered) throw new Error("connection refused");
    return network(url);
  };
  const run = home.run([], { rpcAddress: "tcp://node", restartsMax: 3 }, { askRpc, machine: hurried([]) });
  while (home.board.current.plan === null) await realMachine.clock.sleep(5);
  isAnswered = false;
  await home.says("is started again");
  while (home.board.current.program?.pid == null) await realMachine.clock.sleep(5);
  await realMachine.clock.sleep(200);
  expect(home.board.current.phase).toBe("starting");
  expect(verdictOf(home.board.current)).toBe("not ready");
  expect(lackingIn(home.board.current)[0]?.detail).toContain("has not responded yet");
  isAnswered = true;
  while (home.board.current.phase === "starting") await realMachine.clock.sleep(5);
  expect(lackingIn(home.board.current).filter(({ detail }) => detail.includes("has not responded yet"))).toEqual([]);
  home.stop.abort("SIGTERM");
  expect(await run).toBe(0);
});

test("20 blocks or fewer before the plan's height → the node is asked every second, so that a cancelled plan goes soon", async () => {
  const home = new ScriptsHome();
  home.program("genesis", "trap 'exit 0' TERM; while :; do sleep 0.02; done");
  const plan = { name: "v2", height: 80n, info: "" };
  const encoded = (response: { plan?: typeof plan }) =>
    Buffer.from(toBinary(QueryCurrentPlanResponseSchema, create(QueryCurrentPlanResponseSchema, response)));
  let asked = 0;
  const askRpc = async (url: string) => {
    if (!url.includes("abci_query")) return { result: { sync_info: { latest_block_height: "60" } } };
    const value = encoded(asked++ === 0 ? { plan } : {});
    return { result: { response: { code: 0, value: value.toString("base64") } } };
  };
  let now = 0;
  const clock = { ...realMachine.clock, now: () => now };
  const run = home.run([], { rpcAddress: "tcp://node" }, { askRpc, machine: { ...realMachine, clock } });
  const until = async (isDone: () => boolean) => {
    while (!isDone()) await realMachine.clock.sleep(5);
  };
  await until(() => home.board.current.plan !== null && home.board.current.height !== null);
  now += 900;
  await realMachine.clock.sleep(150);
  expect(asked).toBe(1);
  now += 200;
  await until(() => home.board.current.plan === null);
  expect(asked).toBe(2);
  home.stop.abort("SIGTERM");
  expect(await run).toBe(0);
});
