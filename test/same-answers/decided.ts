/**
 * A chain that CometBFT decides, with a real process for each: what it was sent, what it said of it, and its blocks. It makes no
 * empty blocks, so that nothing changes while it is asked.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { toBase64, toHex } from "../../host/base/text/bytes.js";
import type { Block } from "../../host/chain/comet-types/block.js";
import type { Commit } from "../../host/chain/comet-types/commit.js";
import { JsonReader } from "../../host/chain/values/json-reader.js";
import { commitOf } from "../../host/node/remote/blocks.js";
import { CometRpc } from "../../host/node/remote/comet-rpc.js";
import { freePorts, quickComet } from "../e2e/cometbft.js";
import { NetNode, until } from "../network/node.js";
import { CHAIN_ID, makeChainHome } from "./chain.js";

const CHAIND = join(import.meta.dirname, "../../dist/chaind.js");

export interface Verdict {
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
}

/** A transaction that was not taken, and the last block at that time. */
export interface Refusal {
  readonly what: string;
  readonly tx: Uint8Array;
  readonly after: bigint;
  readonly verdict: Verdict;
}

export interface DecidedBlock {
  readonly block: Block;
  /** That decided it. */
  readonly commit: Commit;
}

export class DecidedChain {
  readonly refusals: Refusal[] = [];

  private constructor(
    readonly node: NetNode,
    readonly rest: string,
    readonly grpc: string,
    private readonly flags: readonly string[],
  ) {}

  static async make(home: string, comet: string): Promise<DecidedChain> {
    makeChainHome(home);
    const [rpc = 0, p2p = 0, rest = 0, grpc = 0] = await freePorts(4);
    quickComet(home, rpc, p2p);
    // A round more would have other signatures than those of an engine that never needs one.
    const patient = 'timeout_propose = "60s"\ntimeout_prevote = "60s"\ntimeout_precommit = "60s"\n';
    appendFileSync(join(home, "config/config.toml"), `create_empty_blocks = false\n${patient}`);
    const own = { name: "cometbft", home, node_id: "", address: "", operator_address: "", rpc, p2p, api: rest, grpc };
    const flags = ["--api.address", `tcp://127.0.0.1:${rest}`, "--grpc.address", `127.0.0.1:${grpc}`];
    const node = new NetNode(home, own, CHAIND, comet);
    return new DecidedChain(node, `http://127.0.0.1:${rest}`, `127.0.0.1:${grpc}`, flags);
  }

  async start(...flags: readonly string[]): Promise<void> {
    this.node.start({ flags: [...this.flags, ...flags] });
    await this.node.untilHeight(1);
    await this.untilQuiet();
  }

  /** Sends one that must be taken. */
  async send(tx: Uint8Array): Promise<void> {
    const { code, log } = await this.#broadcast(tx);
    if (code !== 0) throw new Error(`refused: ${log}`);
  }

  /** Sends one that must not be taken, to a chain that is quiet. */
  async sendRefused(what: string, tx: Uint8Array): Promise<void> {
    const verdict = await this.#broadcast(tx);
    if (verdict.code === 0) throw new Error(`taken: ${what}`);
    this.refusals.push({ what, tx, after: BigInt(await this.node.height()), verdict });
  }

  async #broadcast(tx: Uint8Array): Promise<Verdict> {
    const answer = (await this.node.rpc.call("broadcast_tx_sync", { tx: toBase64(tx) })) as Verdict;
    return { code: answer.code, codespace: answer.codespace, log: answer.log };
  }

  /** Waits until nothing waits, and the last header has the last state. */
  async untilQuiet(): Promise<void> {
    // It ends in the middle where the next block is that of the upgrade.
    const isGone = (error: unknown) => {
      if (!(isUpgradeError(error) && error.code === "UPG_REMOTE_UNAVAILABLE")) throw error;
      return false;
    };
    await until("the chain is quiet", () => this.#isStill().catch(isGone));
  }

  async #isStill(): Promise<boolean> {
    if (!this.node.isRunning) return true;
    const waiting = (await this.node.rpc.call("num_unconfirmed_txs")) as { total: string };
    if (waiting.total !== "0") return false;
    const before = await this.#isProven();
    await sleep(SETTLE_MILLIS);
    return before !== undefined && before === (await this.#isProven());
  }

  /** Waits until it does; false: it ended, as at the height of an upgrade, or has come to that height. */
  async isQuietBefore(height: number): Promise<boolean> {
    await this.untilQuiet();
    return this.node.isRunning && (await this.node.height()) < height;
  }

  /** The number of the signer's next transaction. */
  async sequence(address: string): Promise<bigint> {
    const answer = await fetch(`${this.rest}/cosmos/auth/v1beta1/account_info/${address}`);
    const { info } = (await answer.json()) as { info: { sequence: string } };
    return BigInt(info.sequence);
  }

  /** Height of the last block, when the application has committed it and its header has the state. */
  async #isProven(): Promise<string | undefined> {
    const { sync_info } = (await this.node.rpc.call("status")) as { sync_info: SyncInfo };
    const { response } = (await this.node.rpc.call("abci_info")) as { response: AppInfo };
    const hash = toHex(Buffer.from(response.last_block_app_hash ?? "", "base64")).toUpperCase();
    const isLast = response.last_block_height === sync_info.latest_block_height;
    return isLast && hash === sync_info.latest_app_hash ? sync_info.latest_block_height : undefined;
  }

  async blocks(): Promise<DecidedBlock[]> {
    const comet = new CometRpc(this.node.rpc.node, CHAIN_ID, sha256);
    const last = await this.node.height();
    const blocks: DecidedBlock[] = [];
    for (let height = 1n; height <= BigInt(last); height++) {
      const { block } = await comet.block(height);
      const found = new JsonReader(await this.node.rpc.call("commit", { height: String(height) }), "commit");
      blocks.push({ block, commit: commitOf(found.get("signed_header").get("commit")) });
    }
    return blocks;
  }
}

/** CometBFT begins the next block within its timeout_commit of 100 ms. */
const SETTLE_MILLIS = 300;

interface SyncInfo {
  readonly latest_block_height: string;
  readonly latest_app_hash: string;
}

/** Empty before the first block. */
interface AppInfo {
  readonly last_block_height?: string;
  readonly last_block_app_hash?: string;
}
