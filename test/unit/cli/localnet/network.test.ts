/** `localnet init`: homes, ports, one genesis document, settings; what it refuses. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { formatHelp } from "../../../../host/base/terminal/help.js";
import { validateGenesis } from "../../../../host/cli/genesis/validate.js";
import { chosenNodes, readNetwork } from "../../../../host/cli/localnet/network.js";
import { portsFor } from "../../../../host/cli/localnet/ports.js";
import { makeProgram } from "../../../../host/cli/program/program.js";
import { exampleChain } from "../../../example-chain.js";
import { exampleContext } from "../../../example-context.js";
import { failureOf } from "../../../scenario/chain.js";
import { runHere } from "../run-here.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-localnet-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const init = (folder: string, ...args: string[]) =>
  runHere("localnet", "init", ...args, "--home", join(root, folder)) as Promise<{
    chain_id: string;
    nodes: { p2p: number; rpc: number; node_id: string; operator_address: string }[];
  }>;
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");

test("init 3 → three homes, one document with three validators, settings that name each other", async () => {
  const options = ["--chain-id", "net-7", "--app-version", "1", "--block-time", "250ms", "--voting-period", "1500ms"];
  const { chain_id, nodes } = await init("three", "3", ...options);
  expect(chain_id).toBe("net-7");
  expect(readNetwork(join(root, "three")).nodes).toEqual(nodes);
  expect(new Set(nodes.flatMap(({ p2p, rpc }) => [p2p, rpc])).size).toBe(6);
  const genesis = read("three/node0/config/genesis.json");
  expect(validateGenesis(exampleChain, join(root, "three/node0"))).toMatchObject({
    chain_id: "net-7",
    validators: "3",
    app_version: "1",
  });
  const { gov, staking } = JSON.parse(genesis).app_state;
  expect(gov.params).toMatchObject({ voting_period: "1.5s", expedited_voting_period: "0.75s" });
  expect(staking.validators.map((each: { operator_address: string }) => each.operator_address)).toEqual(
    nodes.map(({ operator_address }) => operator_address),
  );
  for (const [index, { rpc }] of nodes.entries()) {
    const home = `three/node${index}`;
    expect(read(home, "config/genesis.json")).toBe(genesis);
    const toml = read(home, "config/config.toml");
    expect(toml).toContain(`laddr = "tcp://127.0.0.1:${rpc}"`);
    expect(toml).toContain('timeout_commit = "250ms"');
    const others = nodes.filter((_, at) => at !== index).map(({ node_id, p2p }) => `${node_id}@127.0.0.1:${p2p}`);
    expect(toml).toContain(`persistent_peers = "${others.join(",")}"`);
    expect(read(home, "config/app.toml")).toMatch(/^engine = "cometbft"$[\s\S]*^app-version = "1"$/m);
    expect(read(home, "config/client.toml")).toContain(`node = "tcp://127.0.0.1:${rpc}"`);
    expect(JSON.parse(read(home, "key_seed.json")).secret.split(" ")).toHaveLength(24);
  }
});

test("init again, 0 or 17 nodes, an unknown version, no block time → refused, and nothing is made", async () => {
  await init("again", "1");
  await expect(init("again", "1")).rejects.toMatchObject({ code: "UPG_INVALID_CONFIG" });
  for (const args of [["0"], ["17"], ["x"], ["2", "--app-version", "9"], ["2", "--block-time", "0"]]) {
    await expect(init("none", ...args)).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  }
  expect(existsSync(join(root, "none"))).toBe(false);
});

test("init where a later node's home exists → refused before the first one is made; the advice can be pasted", async () => {
  mkdirSync(join(root, "some net/node1"), { recursive: true });
  await expect(init("some net", "2")).rejects.toThrow("some net/node1 exists");
  expect(existsSync(join(root, "some net/node0"))).toBe(false);
  rmSync(join(root, "some net"), { recursive: true });
  await init("some net", "1");
  await expect(init("some net", "1")).rejects.toThrow(`localnet start --home '${join(root, "some net")}'`);
});

test("localnet with the home of one node in the environment → its own folder all the same; help says so, for both commands", async () => {
  const comet = join(root, "comet");
  writeFileSync(comet, "#!/bin/sh\necho 0.38.25\n");
  chmodSync(comet, 0o755);
  const args = ["localnet", "start", "--comet.bin", comet];
  const program = await makeProgram(exampleContext, args, "0.0.0");
  program.setOptionValueWithSource("home", join(root, "one-node"), "env");
  await expect(program.parseAsync(args, { from: "user" })).rejects.toThrow(/^localnet\/localnet\.json is missing/);
  const group = program.commands.find((each) => each.name() === "localnet");
  for (const command of group?.commands ?? []) {
    const [, globals = ""] = formatHelp(command).split("Global Flags:\n");
    expect(globals).toContain(`folder of the network (default "localnet"; the environment's CHAIND_HOME`);
    const flags = Array.from(globals.matchAll(/^ +(?:-\w, )?(--[\w.-]+)/gm), ([, flag]) => flag);
    expect(flags).toEqual(["--chain-id", "--home", "--output", "--trace"]);
  }
});

test("--base-port → ten ports a node from there on; one that is taken, or above 65535 → refused", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await expect(portsFor(2, port - 10)).rejects.toThrow(/ is not free/);
  await new Promise((resolve) => server.close(resolve));
  await expect(portsFor(2, 65_523)).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  const [first, second] = await portsFor(2, 65_522);
  expect(first).toEqual({ p2p: 65_522, rpc: 65_523, api: 65_524, grpc: 65_525 });
  expect(second?.grpc).toBe(65_535);
});

test("no --base-port → ports that differ, none of those that connections of the system take", async () => {
  const ports = (await portsFor(16, undefined)).flatMap(({ p2p, rpc, api, grpc }) => [p2p, rpc, api, grpc]);
  expect(new Set(ports).size).toBe(64);
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(20_000);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

test("nodes that are chosen → by number or name; an unknown one, no network, a damaged file → refused", async () => {
  await init("chosen", "2");
  const network = readNetwork(join(root, "chosen"));
  expect(chosenNodes(network, ["1"]).map(({ name }) => name)).toEqual(["node1"]);
  expect(chosenNodes(network, ["node0", "1"])).toHaveLength(2);
  expect(failureOf(() => chosenNodes(network, ["2"])).message).toContain('there is no node "2"');
  expect(failureOf(() => readNetwork(root))).toMatchObject({ code: "UPG_INVALID_CONFIG" });
  writeFileSync(join(root, "localnet.json"), '{"nodes":[{}]}');
  expect(failureOf(() => readNetwork(root)).message).toContain("is not what");
});
