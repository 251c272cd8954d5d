/** A node in this process with all its servers open on free ports; blocks are made when a test asks for them. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DirectSecp256k1HdWallet } from "@cosmjs/proto-signing";
import { sha256 } from "../../../../host/base/native/sha256.js";
import type { Plan } from "../../../../host/base/types/types.js";
import type { Chain } from "../../../../host/chain/app/chain.js";
import type { LocalNode, NodePort } from "../../../../host/chain/app/query/node-port.js";
import type { MempoolLimits } from "../../../../host/node/blocks/mempool.js";
import type { SearchLimits } from "../../../../host/node/blocks/search-budget.js";
import { CometNode } from "../../../../host/node/comet/comet-node.js";
import { type Clock, logicalClock } from "../../../../host/node/embedded/clock.js";
import type { EmbeddedNode } from "../../../../host/node/embedded/embedded-node.js";
import { NodeService } from "../../../../host/node/embedded/node-service.js";
import { GenesisFile } from "../../../../host/node/home/genesis-file.js";
import { type OpenNode, openNode } from "../../../../host/node/open/open-node.js";
import { CometRpc } from "../../../../host/node/remote/comet-rpc.js";
import { Metrics } from "../../../../host/serve/api/metrics.js";
import { openServers } from "../../../../host/serve/api/servers.js";
import type { ServerLimits } from "../../../../host/serve/limits/server-limits.js";
import { Query } from "../../../../host/serve/query/query.js";
import type { Database } from "../../../../host/state/store/disk/database.js";
import { LmdbReader } from "../../../../host/state/store/disk/lmdb-reader.js";
import { UPGRADE_STORE } from "../../../../host/upgrade/module/keeper.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisDocument } from "../../../scenario/genesis-text.js";

/** Always the same keys; test data, of use nowhere else. */
export const MNEMONIC =
  "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon art";

const BLOCK_NANOS = 5_000_000_000n;

export const wallet = await DirectSecp256k1HdWallet.fromMnemonic(MNEMONIC);
const [signer] = await wallet.getAccounts();
/** The account whose key the tests have. */
export const SIGNER = signer?.address ?? "";

export interface TestNode {
  readonly node: EmbeddedNode;
  readonly query: Query<LocalNode>;
  /** `http://127.0.0.1:<port>` */
  readonly rest: string;
  readonly rpc: string;
  /** `127.0.0.1:<port>` */
  readonly grpc: string;
  /** Requests that failed in a way that must not be. */
  readonly bugs: unknown[];
  makeBlocks(count: number): void;
  schedule(name: string, height: bigint, info?: string): void;
  isReady: boolean;
}

export interface TestNodeOptions {
  readonly limits?: Partial<ServerLimits>;
  readonly compatCosmos?: boolean;
  readonly cors?: boolean;
  readonly blocks?: number;
  /** Five seconds a block, unless another is given. */
  readonly clock?: Clock;
  readonly genesis?: string;
  /** The example chain, unless another is given. */
  readonly chain?: Chain;
  /** What is done with the home before the node is opened. */
  readonly prepare?: (home: string) => void;
  readonly mempool?: Partial<MempoolLimits>;
  readonly search?: Partial<SearchLimits>;
  readonly origins?: readonly string[];
  /** Is an RPC asked for the blocks, as that of CometBFT is? */
  readonly isOfComet?: boolean;
}

/** The scenario's genesis, and an account with a key that has coins and delegates most of the power. */
export function fundedGenesis(): string {
  const document = genesisDocument();
  const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
  const account = {
    "@type": "/cosmos.auth.v1beta1.BaseAccount",
    address: SIGNER,
    account_number: "100",
    sequence: "0",
  };
  state["auth"]?.["accounts"]?.push(account);
  state["bank"]?.["balances"]?.push({ address: SIGNER, coins: [{ denom: "ustake", amount: "1000000000" }] });
  return JSON.stringify(document);
}

export async function useTestNode(
  use: (node: TestNode) => Promise<void>,
  options: TestNodeOptions = {},
): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), "chain-upgrade-api-"));
  makeHome(path, options.genesis ?? fundedGenesis());
  options.prepare?.(path);
  const handlers = join(path, "none");
  const { mempool = {}, clock = logicalClock(BLOCK_NANOS), chain = exampleChain } = options;
  const open = openNode({ chain, home: path, clock, handlers, mempool, log: () => undefined });
  try {
    await serveNode(open, use, options);
  } finally {
    open.close();
    rmSync(path, { recursive: true, force: true });
  }
}

/** `npm run same-answers:suites` sets it. */
export const IS_OF_COMET = process.env["CHAIN_UPGRADE_TEST_ENGINE"] === "cometbft";

/**
 * The node as one that CometBFT keeps the blocks of: REST and gRPC read state here, and ask an RPC for everything else. That
 * RPC is the embedded engine's, which makes blocks when a test asks for them; `npm run same-answers` holds it equal to CometBFT's.
 */
function remoteNode({ node, home }: Pick<OpenNode, "node" | "home">, service: NodeService, comet: CometRpc) {
  const database = new LmdbReader(home.databaseFile);
  const port = new CometNode({
    ...{ comet, chainId: service.chainId, settings: service.settings },
    database: {
      get: (key) => {
        database.renew();
        return database.get(key);
      },
    } as Database,
    lastHeight: () => service.lastHeight ?? 0n,
    consensusParams: () => node.consensusParams,
    progress: () => service.progress(),
  });
  return { port, close: () => database.close() };
}

/** Serves a node of this process that is open already. */
export async function serveNode(
  { node, home, genesisDigest }: OpenNode,
  use: (node: TestNode) => Promise<void>,
  options: TestNodeOptions,
): Promise<void> {
  const { limits = {}, search = {}, origins = [], compatCosmos = true, cors = false, blocks = 2 } = options;
  const { isOfComet = IS_OF_COMET } = options;
  const { chain = exampleChain } = options;
  const { app } = node;
  const service = new NodeService(node, {
    nodeId: "ab".repeat(20),
    moniker: "test",
    genesis: new GenesisFile(home.genesisFile, genesisDigest),
    search,
  });
  const document = JSON.parse(options.genesis ?? fundedGenesis()) as { app_state: { staking?: { params?: unknown } } };
  const genesis = { bondDenom: "ustake", stakingParams: document.app_state.staking?.params };
  const about = { chain, app, sha256, ...genesis, compatCosmos };
  const query = new Query({ ...about, node: service });
  const metrics = new Metrics({
    app,
    node: service,
    coreHash: sha256(new Uint8Array()),
    handlerState: (plan) => app.keeper.handlerState(plan),
    diskFree: () => 12_345_678_901,
  });
  const bugs: unknown[] = [];
  const any = { host: "127.0.0.1", port: 0 };
  const state = { isReady: true };
  const common = {
    events: {
      program: "chaind",
      onAnswer: (endpoint: string, method: string, status: number, seconds: number) =>
        metrics.onAnswer(endpoint, method, status, seconds),
      onBug: (error: unknown) => bugs.push(error),
    },
    ...{ cors, origins, limits },
    site: {
      rpc: query,
      handlerFolders: [home.handlersFolder, home.stagedFolder],
      witnessFile: (plan: string) => home.witnessFile(plan),
      handlerState: (plan: Plan) => app.keeper.handlerState(plan),
      halt: () => undefined,
      stages: () => [],
    },
    isReady: () => state.isReady && service.latest() !== undefined,
    metrics: () => metrics.text(),
  };
  const rpc = { address: any, query };
  // CometBFT's RPC is a server of its own.
  const rpcServer = isOfComet ? await openServers({ ...common, query, rpc }) : undefined;
  const comet = rpcServer && new CometRpc(rpcServer.addresses.rpc ?? "", service.chainId, sha256);
  const remote = comet && remoteNode({ node, home }, service, comet);
  const servers = await openServers(
    comet && remote
      ? {
          ...common,
          site: { ...common.site, rpc: (method, params) => comet.result(method, params) },
          query: new Query<NodePort>({ ...about, node: remote.port }),
          grpc: any,
          rest: any,
        }
      : { ...common, query, rpc, grpc: any, rest: any },
  );
  const http = (address: string | undefined) => (address ?? "").replace("tcp:", "http:");
  const addresses = { ...servers.addresses, ...rpcServer?.addresses };
  const makeBlocks = (count: number) => {
    for (let made = 0; made < count; made++) node.makeBlock();
  };
  makeBlocks(blocks);
  const { keeper } = app;
  const schedule = (name: string, height: bigint, info = "") => {
    const message = { authority: keeper.authority, plan: { name, height, info } };
    node.makeBlock([(context) => keeper.softwareUpgrade(context.store(UPGRADE_STORE), context.height, message)]);
  };
  const test: TestNode = Object.assign(state, {
    ...{ node, query, bugs, makeBlocks, schedule },
    ...{ rest: http(addresses.api), rpc: http(addresses.rpc), grpc: addresses.grpc ?? "" },
  });
  try {
    await use(test);
  } finally {
    await servers.close(1_000);
    await rpcServer?.close(1_000);
    remote?.close();
  }
}
