/** What happens to a network of four validators around an upgrade. Each scene ends with no difference between its nodes. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Network } from "./network.js";
import type { NetNode } from "./node.js";

const PLAN = "v2";
const HANDLER = join(import.meta.dirname, "../../dist/handlers/split-balances.wasm");
/** A node that ends at once may leave a slower one a vote short of the block: that one waits for the others to come back. */
export const OLD = { flags: ["--app-version", "1", "--halt-linger", "2s"] };
/** Blocks after the upgrade that are compared at least. */
export const HEIGHTS_AFTER = 20;

interface SceneRun {
  /** Of heights and hashes that were compared. */
  readonly heights: number;
  readonly differences: readonly string[];
  /** What was counted besides. */
  readonly counts?: string;
}

export interface Scene {
  readonly name: string;
  readonly what: string;
  /** Its nodes run the program of program.ts. */
  readonly hasOwnProgram?: boolean;
  run(network: Network, seed: number): Promise<SceneRun>;
}

/** @throws Error naming both */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${what}: ${one}, expected ${other}`);
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** Up to the halt of the nodes that run; returns its height. */
export async function halted(network: Network, nodes: readonly NetNode[] = network.nodes, info = ""): Promise<number> {
  network.start(OLD, nodes);
  await network.untilHeight(2, nodes);
  const height = await network.schedule(PLAN, info);
  expectSame("exit statuses at the height", await network.ends(nodes), times(nodes.length, 10));
  const heights = nodes.map(({ halt }) => halt?.height);
  expectSame("heights in halt.json", heights, times(nodes.length, String(height)));
  return height;
}

export async function upTo(
  network: Network,
  upTo: number,
  nodes: readonly NetNode[] = network.nodes,
): Promise<SceneRun> {
  await network.untilHeight(upTo, nodes);
  return network.compare(nodes);
}

const applied = (node: NetNode) => {
  const { plan, height } = JSON.parse(readFileSync(node.data(`receipts/${PLAN}.json`), "utf8"));
  return `${plan} ${height}`;
};

const upgrade: Scene = {
  name: "upgrade",
  what: "a proposal, votes, all halt at one height with 10, the new version",
  async run(network) {
    const height = await halted(network);
    network.start();
    const run = await upTo(network, height + HEIGHTS_AFTER);
    expectSame("receipts", network.nodes.map(applied), times(network.nodes.length, `${PLAN} ${height}`));
    return run;
  },
};

/** Some blocks after the upgrade. Returns its height. */
async function upgraded(network: Network): Promise<number> {
  const height = await halted(network);
  network.start();
  await network.untilHeight(height + 3);
  return height;
}

const late: Scene = {
  name: "late",
  what: "a validator that was away and a full node from genesis halt at the height too, and catch up",
  async run(network) {
    const [away, ...others] = network.nodes;
    if (!away) throw new Error("no node");
    const height = await halted(network, others);
    network.start({}, others);
    await network.untilHeight(height + 3, others);
    const full = await network.addFullNode();
    for (const node of [away, full]) {
      node.start(OLD);
      expectSame(`exit status of ${node.own.name} with the old version`, (await node.end()).exit, 10);
      expectSame("its height", node.halt?.height, String(height));
      node.start();
    }
    return upTo(network, height + HEIGHTS_AFTER);
  },
};

const genesis: Scene = {
  name: "from-genesis",
  what: "a full node with the new version goes from genesis through the upgrade in one process",
  async run(network) {
    const height = await upgraded(network);
    const full = await network.addFullNode();
    // Otherwise a handler before its height is an end: too early.
    mkdirSync(join(full.home, "handlers/staged"), { recursive: true });
    copyFileSync(HANDLER, join(full.home, "handlers/staged", basename(HANDLER)));
    full.start();
    return upTo(network, height + HEIGHTS_AFTER);
  },
};

const downgrade: Scene = {
  name: "downgrade",
  what: "after the upgrade one node runs the old version again: refused with 12, nothing signed; the new one goes on",
  async run(network) {
    const height = await upgraded(network);
    const [, node] = network.nodes;
    if (!node) throw new Error("no node");
    await node.stop();
    const signed = readFileSync(node.data("priv_validator_state.json"), "utf8");
    node.start(OLD);
    expectSame("exit status of the old version", (await node.end()).exit, 12);
    expectSame("what was signed", readFileSync(node.data("priv_validator_state.json"), "utf8"), signed);
    node.start();
    return upTo(network, height + HEIGHTS_AFTER);
  },
};

const alone: Scene = {
  name: "alone",
  what: "one of four skips the upgrade alone, at the height and later by going back: it exits with 18, and the record's commands bring it back",
  async run(network) {
    const height = await halted(network);
    const [node, ...others] = network.nodes;
    if (!node) throw new Error("no node");
    const skip = ["--unsafe-skip-upgrades", String(height)];
    network.start({}, others);
    node.start({ flags: ["--app-version", "1", ...skip] });
    await diverged(node, height);
    await repaired(node, height + 5);
    await node.stop();
    node.command("rollback", "--to", String(height - 1), "--yes");
    node.start({ flags: ["--app-version", "1", ...skip] });
    await diverged(node, height);
    return repaired(node, height + HEIGHTS_AFTER).then(() => upTo(network, height + HEIGHTS_AFTER));
  },
};

/** The node exits by itself, and says which plan it skipped and where. */
async function diverged(node: NetNode, height: number): Promise<void> {
  expectSame("exit status of the node that skipped", (await node.end()).exit, 18);
  const { code, height: block, message = "" } = node.halt ?? {};
  expectSame("its record", [code, block], ["UPG_HALT_DIVERGED", String(height + 1)]);
  expectSame("its words", message.includes(`skipped "${PLAN}" at ${height}; the network did not`), true);
}

/** As its record says. */
async function repaired(node: NetNode, height: number): Promise<void> {
  const [back = ""] = node.halt?.commands ?? [];
  node.command(...back.split(" ").slice(1, back.split(" ").indexOf("--home")));
  node.start();
  await node.untilHeight(height);
}

const early: Scene = {
  name: "early",
  what: "one of four runs the new version before the height",
  async run(network) {
    network.start(OLD);
    await network.untilHeight(2);
    const [node, ...others] = network.nodes;
    if (!node) throw new Error("no node");
    const height = await network.schedule(PLAN);
    await node.stop();
    node.start({ flags: ["--app-version", "2"] });
    const { exit } = await node.end();
    if (exit !== 11 && exit !== 10) throw new Error(`exit status of the node that is early: ${exit}`);
    if (exit === 11) node.start(OLD);
    expectSame("exit statuses of the others", await network.ends(others), times(3, 10));
    if (exit === 11) expectSame("exit status of the early node", (await node.end()).exit, 10);
    network.start();
    return upTo(network, height + HEIGHTS_AFTER);
  },
};

const skip: Scene = {
  name: "skip",
  what: "all skip the plan's height with the old version; started again without the flag, and from genesis",
  async run(network) {
    const height = await halted(network);
    const flags = [...OLD.flags, "--unsafe-skip-upgrades", String(height)];
    network.start({ flags });
    await network.untilHeight(height + 3);
    await network.stop();
    network.start(OLD);
    const full = await network.addFullNode();
    full.start({ flags });
    const run = await upTo(network, height + HEIGHTS_AFTER);
    for (const { rpc } of network.nodes) {
      expectSame("app version", ((await rpc.call("abci_info")) as Info).response.app_version, "1");
    }
    return run;
  },
};

interface Info {
  readonly response: { readonly app_version: string };
}

export const SCENES: readonly Scene[] = [upgrade, late, genesis, downgrade, early, alone, skip];
