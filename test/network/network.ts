/** A network of validators with stock CometBFT, its operators' keys, and what it may never do: disagree. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Query as AuthQuery } from "../../host/base/gen/cosmos/auth/v1beta1/query_pb.js";
import { VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { Query as UpgradeQuery } from "../../host/base/gen/cosmos/upgrade/v1beta1/query_pb.js";
import { writeSetting } from "../../host/base/terminal/config-edit.js";
import { toBase64 } from "../../host/base/text/bytes.js";
import { withKeyring } from "../../host/cli/client/keyring-options.js";
import { initHome } from "../../host/cli/commands/init.js";
import { cometToml } from "../../host/cli/localnet/comet-toml.js";
import { initLocalnet } from "../../host/cli/localnet/init.js";
import type { LocalNode } from "../../host/cli/localnet/network.js";
import { portsFor } from "../../host/cli/localnet/ports.js";
import { ask } from "../../host/cli/wallet/ask.js";
import { exampleChain } from "../example-chain.js";
import { exampleContext } from "../example-context.js";
import { type Packed, propose, Signer, signTogether, softwareUpgrade, vote } from "../scenario/wallet.js";
import { type Compared, compareHeaders } from "./compare.js";
import { NetNode, type StartOptions, until } from "./node.js";

/** Ten blocks a second on a machine with nothing else to do. */
const BLOCK_MILLIS = 100;
const VOTING_NANOS = 5_000_000_000n;
/** From the proposal: the vote ends before, also where blocks are as quick as they can be. */
const BLOCKS_TO_PLAN = 60;
const GAS = 2_000_000n;

export interface NetworkOptions {
  readonly program: string;
  readonly comet: string;
  readonly validators?: number;
  /** How long a vote is. */
  readonly votingNanos?: bigint;
}

export class Network {
  readonly #begun = Date.now();
  #proposals = 0n;

  private constructor(
    readonly folder: string,
    private readonly options: NetworkOptions,
    readonly nodes: NetNode[],
    readonly signers: readonly Signer[],
  ) {}

  static async make(options: NetworkOptions): Promise<Network> {
    const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-network-"));
    const { nodes } = await initLocalnet(exampleContext, folder, options.validators ?? 4, {
      ...{
        makeHome: (home) => initHome(exampleContext.chain, home),
        chainId: "network-1",
        appVersion: undefined,
        basePort: undefined,
      },
      ...{ blockNanos: BigInt(BLOCK_MILLIS) * 1_000_000n, votingNanos: options.votingNanos ?? VOTING_NANOS },
    });
    const own = nodes.map((node) => new NetNode(join(folder, node.home), node, options.program, options.comet));
    const signers = await Promise.all(
      own.map(({ home, own: { name } }) =>
        withKeyring(
          exampleContext,
          { keyringBackend: "test" },
          home,
          async (keyring) => new Signer(name, await keyring.privateKey(name)),
        ),
      ),
    );
    return new Network(folder, options, own, signers);
  }

  /** The script that its nodes run. */
  get program(): string {
    return this.options.program;
  }

  /** Milliseconds since it was made. */
  get age(): number {
    return Date.now() - this.#begun;
  }

  start(options: StartOptions = {}, nodes: readonly NetNode[] = this.nodes): void {
    for (const node of nodes) node.start(options);
  }

  async untilHeight(height: number, nodes: readonly NetNode[] = this.nodes): Promise<void> {
    await Promise.all(nodes.map((node) => node.untilHeight(height)));
  }

  /** Exit statuses of nodes that end by themselves. */
  async ends(nodes: readonly NetNode[] = this.nodes): Promise<(number | null)[]> {
    return Promise.all(nodes.map(async (node) => (await node.end()).exit));
  }

  async stop(nodes: readonly NetNode[] = this.nodes): Promise<void> {
    await Promise.all(nodes.filter(({ isRunning }) => isRunning).map((node) => node.stop()));
  }

  async close(): Promise<void> {
    await this.stop().catch(() => undefined);
    for (const node of this.nodes) node.kill();
    // Until their CometBFTs are gone too: these write to the folder.
    await Promise.all(this.nodes.filter(({ isRunning }) => isRunning).map((node) => node.end().catch(() => undefined)));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** One more node of the chain: it has no validator in it. @param settings more of CometBFT's, for its config.toml */
  async addFullNode(settings = ""): Promise<NetNode> {
    const name = `node${this.nodes.length}`;
    const home = join(this.folder, name);
    const genesis = join(this.nodes[0]?.home ?? "", "config/genesis.json");
    const { node_id } = initHome(exampleChain, { home, moniker: name, chainId: "network-1", genesis });
    const [ports] = await portsFor(1, undefined);
    if (!ports) throw new Error("no ports");
    const own: LocalNode = { name, home: name, node_id, address: "", operator_address: "", ...ports };
    const nodes = this.nodes.map((node) => node.own);
    writeFileSync(
      join(home, "config/config.toml"),
      `${cometToml({ node: own, nodes, blockMillis: BLOCK_MILLIS })}${settings}`,
    );
    writeSetting(home, "app", "api.address", `tcp://127.0.0.1:${own.api}`);
    writeSetting(home, "app", "grpc.address", `127.0.0.1:${own.grpc}`);
    const { program, comet } = this.options;
    const node = new NetNode(home, own, program, comet);
    this.nodes.push(node);
    return node;
  }

  /** Signs and sends through CometBFT's RPC, and waits for the block; returns its height. @throws Error when the transaction fails */
  send(signer: Signer, messages: readonly Packed[], node = this.#running()): Promise<number> {
    return this.#sendTogether([signer], messages, node);
  }

  async #sendTogether(signers: readonly Signer[], messages: readonly Packed[], node: NetNode): Promise<number> {
    const accounts = signers.map(async (signer) => {
      const { info } = await ask(node.rpc, AuthQuery.method.accountInfo, { address: signer.address });
      return { signer, accountNumber: info?.accountNumber ?? 0n, sequence: info?.sequence ?? 0n };
    });
    const tx = signTogether(await Promise.all(accounts), messages, { chainId: "network-1", gas: GAS });
    const sent = (await node.rpc.call("broadcast_tx_sync", { tx: toBase64(tx) })) as {
      code: number;
      log: string;
      hash: string;
    };
    if (sent.code !== 0) throw new Error(`refused: ${sent.log}`);
    const hash = Buffer.from(sent.hash, "hex").toString("base64");
    let result: { code: number; log: string } | undefined;
    let height = 0;
    await until(`${sent.hash} is in a block`, async () => {
      const found = (await node.rpc.call("tx", { hash }).catch(() => undefined)) as
        | { height: string; tx_result: { code: number; log: string } }
        | undefined;
      result = found?.tx_result;
      height = Number(found?.height ?? 0);
      return result !== undefined;
    });
    if (result?.code) throw new Error(`failed: ${result.log}`);
    return height;
  }

  #running(): NetNode {
    const node = this.nodes.find(({ isRunning }) => isRunning);
    if (!node) throw new Error("no node runs");
    return node;
  }

  /** A proposal that all vote for, in one transaction: no machine is too slow for the voting period. */
  async propose(messages: readonly Packed[]): Promise<void> {
    const [first] = this.signers;
    if (!first) throw new Error("no signer");
    this.#proposals += 1n;
    const id = this.#proposals;
    const votes = this.signers.map((signer) => vote(signer, id, VoteOption.YES));
    await this.#sendTogether(
      this.signers,
      [propose(first, messages, { amount: 10_000_000 }), ...votes],
      this.#running(),
    );
  }

  /** The same of an upgrade; returns the height of its plan once it is scheduled. */
  async schedule(plan: string, info = "", blocks = BLOCKS_TO_PLAN): Promise<number> {
    const node = this.#running();
    const height = (await node.height()) + blocks;
    await this.propose([softwareUpgrade(plan, BigInt(height), info)]);
    await until(`the plan ${plan} is scheduled`, async () => {
      const { plan: found } = await ask(node.rpc, UpgradeQuery.method.currentPlan, {});
      return Number(found?.height ?? 0) === height;
    });
    return height;
  }

  /** @throws Error when not all nodes can be asked */
  compare(nodes: readonly NetNode[] = this.nodes): Promise<Compared> {
    return compareHeaders(nodes);
  }
}
