/** A transaction that the thread which serves takes, and that needs more stack on the one which makes blocks. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Query } from "../../host/base/gen/cosmos/auth/v1beta1/query_pb.js";
import { toBase64 } from "../../host/base/text/bytes.js";
import { ask } from "../../host/cli/wallet/ask.js";
import { RpcClient } from "../../host/node/remote/client.js";
import { GOVERNOR, governedGenesis } from "../readiness/governor.js";
import { recursionMessage } from "../recursion/chain.js";
import { memberGenesis } from "../scenario/members.js";
import { type Bundle, bundle } from "../sim/worker-process.js";
import { run } from "./chaind.js";
import { cometbft, freePorts, OWN_KEY, quickComet } from "./cometbft.js";
import { makeHome } from "./prepared-home.js";

const RPC_MILLIS = 20_000;
const BEYOND = 10_000_000;
const GAS = 100_000_000_000n;

let program: Bundle;
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-left-out-"));
beforeAll(async () => {
  program = await bundle("deepd", "test/recursion/program.ts");
});
afterAll(() => {
  program.remove();
  rmSync(root, { recursive: true, force: true });
});

interface Sent {
  readonly code: number;
  readonly log: string;
  readonly hash: string;
}

/** What the governor sends to a node. */
class Sender {
  readonly #rpc: RpcClient;

  constructor(port: number) {
    this.#rpc = new RpcClient(`tcp://127.0.0.1:${port}`, RPC_MILLIS);
  }

  /** @param ahead transactions of the governor that run before it; none: it is the next one */
  async sign(text: string, ahead = 0n): Promise<string> {
    const { accountNumber, sequence } = await this.#account();
    const options = { chainId: "scenario-1", gas: GAS, accountNumber, sequence: sequence + ahead };
    return toBase64(GOVERNOR.sign([recursionMessage(text)], options));
  }

  async send(tx: string): Promise<Sent> {
    return (await this.#rpc.call("broadcast_tx_sync", { tx })) as Sent;
  }

  async waiting(): Promise<number> {
    const { n_txs } = (await this.#rpc.call("num_unconfirmed_txs")) as { n_txs: string };
    return Number(n_txs);
  }

  /** Until the governor's transactions in blocks are so many. */
  async decided(count: number): Promise<void> {
    while ((await this.#account()).sequence < BigInt(count)) await sleep(50);
  }

  /** Until a block has just been made. */
  async block(): Promise<void> {
    const before = await this.#height();
    while ((await this.#height()) === before) await sleep(20);
  }

  async isUp(): Promise<boolean> {
    return this.#account().then(
      () => true,
      () => false,
    );
  }

  async #height(): Promise<string> {
    const { sync_info } = (await this.#rpc.call("status")) as { sync_info: { latest_block_height: string } };
    return sync_info.latest_block_height;
  }

  async #account() {
    const { info } = await ask(this.#rpc, Query.method.accountInfo, { address: GOVERNOR.address });
    return { accountNumber: info?.accountNumber ?? 0n, sequence: info?.sequence ?? 0n };
  }
}

async function started(home: string, port: number, engine: readonly string[]) {
  const node = run(program.file, ["start", "--home", home, "--grpc.enable=false", "--api.enable=false", ...engine]);
  const sender = new Sender(port);
  while (!(await sender.isUp())) await sleep(50);
  return { node, sender };
}

type Started = Awaited<ReturnType<typeof started>>;

/** The governor's transaction, which the node took, is left out, and the next one with its sequence is decided. */
async function isLeftOut({ node, sender }: Started, deep: string, taken: Sent, decided: number): Promise<void> {
  expect(taken.code, taken.log).toBe(0);
  await node.says("left out a transaction and refuse it from now on");
  expect(node.stderr).toContain(taken.hash);
  while ((await sender.waiting()) > 0) await sleep(50);
  const again = await sender.send(deep);
  expect(again.code).toBe(35);
  expect(again.log).toContain("the node leaves it out of its blocks");
  const next = await sender.send(await sender.sign("engine:0"));
  expect(next.code, next.log).toBe(0);
  await sender.decided(decided);
  node.child.kill("SIGTERM");
  expect((await node.end).exit).toBe(0);
}

async function leavesOut(home: string, port: number, engine: readonly string[]): Promise<void> {
  const begun = await started(home, port, engine);
  const deep = await begun.sender.sign(`engine:${BEYOND}`);
  await isLeftOut(begun, deep, await begun.sender.send(deep), 1);
}

test("the embedded engine → said in the log, refused from then on, and its sender's next transaction is decided", async () => {
  const home = join(root, "embedded");
  makeHome(home, governedGenesis());
  const [port = 0] = await freePorts(1);
  const engine = [`--rpc.laddr=tcp://127.0.0.1:${port}`, "--block-time=200ms", "--create-empty-blocks=false"];
  await leavesOut(home, port, engine);
}, 120_000);

test("the embedded engine, a transaction that waits for the block after a full one → left out after the full one in the same way", async () => {
  const home = join(root, "full");
  const document = JSON.parse(governedGenesis());
  document.consensus.params.block.max_gas = String(GAS);
  makeHome(home, JSON.stringify(document));
  const [port = 0] = await freePorts(1);
  const begun = await started(home, port, [`--rpc.laddr=tcp://127.0.0.1:${port}`, "--block-time=1s"]);
  const { sender } = begun;
  const [first, deep] = [await sender.sign("engine:0"), await sender.sign(`engine:${BEYOND}`, 1n)];
  await sender.block();
  expect((await sender.send(first)).code).toBe(0);
  await isLeftOut(begun, deep, await sender.send(deep), 2);
}, 120_000);

test("CometBFT (needs CometBFT, or Go and its module proxy) → the same: it drops the transaction after its recheck", async (context) => {
  const comet = cometbft();
  if (!comet) return context.skip("CometBFT is missing here, and cannot be built: Go or its module proxy is missing");
  const home = join(root, "comet");
  const document = memberGenesis(JSON.parse(governedGenesis()), [{ key: OWN_KEY, tokens: 10_000_000n }]);
  makeHome(home, JSON.stringify(document));
  const [port = 0, p2p = 0] = await freePorts(2);
  quickComet(home, port, p2p);
  await leavesOut(home, port, ["--engine=cometbft", `--comet.bin=${comet}`]);
}, 120_000);
