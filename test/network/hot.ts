/** The hot switch: four relays replace the application at the upgrade's height, and no CometBFT notices. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Query as AuthQuery } from "../../host/base/gen/cosmos/auth/v1beta1/query_pb.js";
import { toBase64 } from "../../host/base/text/bytes.js";
import { ask } from "../../host/cli/wallet/ask.js";
import { launchers } from "../cosmovisor/supervisor.js";
import { type Signer, send } from "../scenario/wallet.js";
import type { Network } from "./network.js";
import { type NetNode, until } from "./node.js";
import { expectSame, HEIGHTS_AFTER, type Scene } from "./scenes.js";

const PLAN = "v2";
const RELAYED = { isRelayed: true };
const AGAIN_MILLIS = 20;

export const hot: Scene = {
  name: "hot",
  what: "four relays: the next program goes on with the block of the height; the same CometBFTs, peers and mempool; kills",
  async run(network) {
    const { before: old, after: next } = launchers(network.folder, network.program);
    for (const { home } of network.nodes) place(home, "genesis", old);
    // The last one's comes too late: it holds.
    const [late, ...others] = network.nodes.toReversed();
    if (!late) throw new Error("no node");
    for (const { home } of others) place(home, `upgrades/${PLAN}`, next);
    network.start(RELAYED);
    await network.untilHeight(2);
    const height = await network.schedule(PLAN);
    const before = await Promise.all(network.nodes.map(partsOf));
    const holds = until(`${late.own.name} holds`, async () => late.log.includes(`holding at height ${height}`));
    const held = holds.then(() => place(late.home, `upgrades/${PLAN}`, next));
    const streams = network.nodes.map((node, at) => stream(node, network.signers[at] as Signer, height));
    await Promise.all([held, network.untilHeight(height + 3)]);
    const sent = (await Promise.all(streams)).flat();
    expectSame("CometBFTs and their peers", await Promise.all(network.nodes.map(partsOf)), before);
    expectSame(
      "current",
      network.nodes.map(({ home }) => readlinkSync(join(home, "cosmovisor/current"))),
      [...network.nodes.map(() => `upgrades/${PLAN}`)],
    );
    const over = await Promise.all(sent.map(async (tx) => ({ ...tx, made: await blockOf(network, tx.hash) })));
    const kept = over.filter(({ known, made }) => known < height && made > height).length;
    if (kept === 0) throw new Error("no transaction was in a mempool at the height, so nothing of it was tried");
    const seconds = others.map(secondsOf);
    await killsOfWorkers(network);
    await killOfRelay(network);
    await network.untilHeight(height + HEIGHTS_AFTER);
    const compared = await network.compare();
    expectSame(
      "exit statuses",
      await stopAll(network),
      network.nodes.map(() => 0),
    );
    const longest = Math.max(...seconds).toFixed(2);
    return {
      ...compared,
      counts: `${over.length} txs, ${kept} over the height; application away ${longest} s at most`,
    };
  },
};

function place(home: string, folder: string, program: string): void {
  const bin = join(home, "cosmovisor", folder, "bin");
  mkdirSync(bin, { recursive: true });
  copyFileSync(program, join(bin, "chaind"));
}

/** Process and peers. */
async function partsOf(node: NetNode): Promise<string> {
  const { peers } = (await node.rpc.call("net_info")) as { peers: { node_info: { id: string } }[] };
  return `${node.cometPid} ${peers.map((peer) => peer.node_info.id).sort()}`;
}

interface Sent {
  readonly hash: string;
  /** Last height when it came into the mempool. */
  readonly known: number;
}

/** Transactions of one account, one after the other, from a little before the height until after it. */
async function stream(node: NetNode, signer: Signer, height: number): Promise<Sent[]> {
  const sent: Sent[] = [];
  const { info } = await ask(node.rpc, AuthQuery.method.accountInfo, { address: signer.address });
  const { accountNumber = 0n, sequence = 0n } = info ?? {};
  await until(`${node.own.name} comes near the height`, async () => (await node.height()) >= height - 3);
  for (let known = 0; known <= height; ) {
    known = await node.height();
    const options = { chainId: "network-1", accountNumber, sequence: sequence + BigInt(sent.length), gas: 200_000n };
    const tx = signer.sign([send(signer, signer.address, 1)], options);
    const { code, hash } = (await node.rpc
      .call("broadcast_tx_sync", { tx: toBase64(tx) })
      .catch(() => ({ code: -1 }))) as {
      code: number;
      hash: string;
    };
    // In the block of the upgrade it is refused: it is sent again.
    if (code === 0) sent.push({ hash, known });
    else await sleep(AGAIN_MILLIS);
  }
  return sent;
}

async function blockOf(network: Network, hash: string): Promise<number> {
  let height = 0;
  await until(`${hash} is in a block`, async () => {
    const found = (await network.nodes[0]?.rpc
      .call("tx", { hash: Buffer.from(hash, "hex").toString("base64") })
      .catch(() => undefined)) as { height: string; tx_result: { code: number; log: string } } | undefined;
    if (found?.tx_result.code) throw new Error(`${hash} failed: ${found.tx_result.log}`);
    height = Number(found?.height ?? 0);
    return height > 0;
  });
  return height;
}

function secondsOf({ log, own }: NetNode): number {
  const [, seconds] = /block \d+ committed ([\d.]+) s after worker genesis ended/.exec(log) ?? [];
  if (seconds === undefined) throw new Error(`${own.name} does not say how long it took`);
  return Number(seconds);
}

function workerOf({ log }: NetNode): number {
  return Number([...log.matchAll(/worker \S+ started: [^"]*, process (\d+)/g)].at(-1)?.[1]);
}

/** Each one at another moment; CometBFT goes on. */
async function killsOfWorkers(network: Network): Promise<void> {
  for (const node of network.nodes) {
    const [comet, from] = [node.cometPid, await node.height()];
    process.kill(workerOf(node), "SIGKILL");
    await node.untilHeight(from + 3);
    expectSame(`CometBFT of ${node.own.name}`, node.cometPid, comet);
  }
}

/** Its CometBFT and its worker end with it; a second relay on a home is refused. */
async function killOfRelay(network: Network): Promise<void> {
  const [, node] = network.nodes;
  if (!node) throw new Error("no node");
  const parts = [node.cometPid, workerOf(node)];
  node.kill();
  await node.end();
  await until("nothing is left of it", async () => !parts.some((pid) => isAlive(pid)));
  expectSame("processes in its home", processesIn(node.home), []);
  node.start(RELAYED);
  await node.untilHeight((await network.nodes[0]?.height()) ?? 0);
  const log = node.log;
  expectSame("its worker", /worker v2 started/.test(log), true);
}

async function stopAll(network: Network): Promise<(number | null)[]> {
  const ends = await Promise.all(network.nodes.map((node) => node.stop()));
  for (const { home } of network.nodes) expectSame("processes that are left", processesIn(home), []);
  return ends.map(({ exit }) => exit);
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Those with the home on their command line. */
function processesIn(home: string): string[] {
  return readdirSync("/proc").filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0").includes(home);
    } catch {
      return false;
    }
  });
}
