/** A transaction that the thread which serves takes, and that needs more stack on the one which makes blocks. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toBase64 } from "../../host/bytes.js";
import { RpcClient } from "../../host/comet-rpc/client.js";
import { Query } from "../../host/gen/cosmos/auth/v1beta1/query_pb.js";
import { ask } from "../../host/wallet/ask.js";
import { GOVERNOR, governedGenesis } from "../readiness/governor.js";
import { recursionMessage } from "../recursion/chain.js";
import { memberGenesis } from "../scenario/members.js";
import { type Bundle, bundle } from "../sim/worker-process.js";
import { run } from "./chaind.js";
import { cometbft, freePorts, OWN_KEY, quickComet } from "./cometbft.js";
import { makeHome } from "./prepared-home.js";

const RPC_MILLIS = 20_000;
const BEYOND = 10_000_000;

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

/** What the governor sends to a node, always as its next transaction. */
class Sender {
  readonly #rpc: RpcClient;

  constructor(port: number) {
    this.#rpc = new RpcClient(`tcp://127.0.0.1:${port}`, RPC_MILLIS);
  }

  async sign(text: string): Promise<string> {
    const { accountNumber, sequence } = await this.#account();
    const options = { chainId: "scenario-1", gas: 100_000_000_000n, accountNumber, sequence };
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

  async isUp(): Promise<boolean> {
    return this.#account().then(
      () => true,
      () => false,
    );
  }

  async #account() {
    const { info } = await ask(this.#rpc, Query.method.accountInfo, { address: GOVERNOR.address });
    return { accountNumber: info?.accountNumber ?? 0n, sequence: info?.sequence ?? 0n };
  }
}

async function leavesOut(home: string, port: number, engine: readonly string[]): Promise<void> {
  const node = run(program.file, ["start", "--home", home, "--grpc.enable=false", "--api.enable=false", ...engine]);
  const sender = new Sender(port);
  while (!(await sender.isUp())) await sleep(50);
  const deep = await sender.sign(`engine:${BEYOND}`);
  const taken = await sender.send(deep);
  expect(taken.code, taken.log).toBe(0);
  await node.says("left out of the proposal, and refused");
  expect(node.stderr).toContain(taken.hash);
  while ((await sender.waiting()) > 0) await sleep(50);
  const again = await sender.send(deep);
  expect(again.code).toBe(35);
  expect(again.log).toContain("a proposal left it out");
  const next = await sender.send(await sender.sign("engine:0"));
  expect(next.code, next.log).toBe(0);
  await sender.decided(1);
  node.child.kill("SIGTERM");
  expect((await node.end).exit).toBe(0);
}

test("the embedded engine → said in the log, refused from then on, and its sender's next transaction is decided", async () => {
  const home = join(root, "embedded");
  makeHome(home, governedGenesis());
  const [port = 0] = await freePorts(1);
  const engine = [`--rpc.laddr=tcp://127.0.0.1:${port}`, "--block-time=200ms", "--create-empty-blocks=false"];
  await leavesOut(home, port, engine);
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
