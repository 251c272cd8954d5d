/** Nodes for the page: each a process on a home whose first blocks were made before, with a plan that a vote scheduled. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { encodeAddress } from "../addresses.js";
import { DIST, type Running, run } from "../e2e/chaind.js";
import { votedGenesis } from "../e2e/cometbft.js";
import { makeBlocksUpTo, makeHome, withNode } from "../e2e/prepared-home.js";

const CHAIND = join(DIST, "chaind.js");
const HANDLERS = join(DIST, "handlers");
/** What `makeBlocksUpTo` counts the clock on by for each block. */
const BLOCK_SECONDS = 5;
const READY_MILLIS = 30_000;

export interface Prepared {
  readonly upgradeHeight: number;
  /** Blocks that are there when the process begins. */
  readonly blocks: number;
  readonly accounts?: number;
}

export class PageHome {
  readonly path = mkdtempSync(join(tmpdir(), "chain-upgrade-page-"));
  #running: Running | undefined;

  constructor({ upgradeHeight, blocks, accounts = 0 }: Prepared) {
    // The last block that is made here is of now.
    const genesis = JSON.parse(votedGenesis({ name: "v2", height: upgradeHeight }, blocks * BLOCK_SECONDS + 5));
    addAccounts(genesis, accounts);
    makeHome(this.path, JSON.stringify(genesis));
    withNode({ path: this.path, handlers: HANDLERS, appVersion: 1n }, (node) => makeBlocksUpTo(node, BigInt(blocks)));
  }

  /** `chaind start` with its servers. Returns where REST is, with a slash at the end. */
  async start(...flags: readonly string[]): Promise<string> {
    const any = ["--rpc.laddr", "tcp://127.0.0.1:0", "--grpc.enable=false", "--api.address", "tcp://127.0.0.1:0"];
    const args = ["start", "--home", this.path, "--log_format", "json", "--api.enabled-unsafe-cors", ...any, ...flags];
    rmSync(join(this.path, "data/addresses.json"), { force: true });
    const node = run(CHAIND, args);
    this.#running = node;
    for (const begun = Date.now(); ; await sleep(20)) {
      const api = this.#address();
      if (api !== undefined) return `${api.replace("tcp:", "http:")}/`;
      if (Date.now() - begun > READY_MILLIS || node.child.exitCode !== null)
        throw new Error(`no server:\n${node.stderr}`);
    }
  }

  #address(): string | undefined {
    try {
      return (JSON.parse(readFileSync(join(this.path, "data/addresses.json"), "utf8")) as { api: string }).api;
    } catch {
      return undefined;
    }
  }

  says(text: string): Promise<void> {
    return this.#running?.says(text) ?? Promise.reject(new Error("it does not run"));
  }

  async stop(): Promise<void> {
    this.#running?.child.kill("SIGTERM");
    await this.#running?.end;
  }

  /** A handler that the next start finds. */
  addHandler(bytes: Uint8Array): readonly string[] {
    mkdirSync(join(this.path, "handlers"), { recursive: true });
    writeFileSync(join(this.path, "handlers/slow.wasm"), bytes);
    return ["--handlers", join(this.path, "handlers")];
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function addAccounts(genesis: Record<string, unknown>, count: number): void {
  const state = genesis["app_state"] as Record<string, Record<string, unknown[]>>;
  for (let index = 0; index < count; index++) {
    const address = encodeAddress(sha256(utf8(`page ${index}`)).slice(0, 20));
    const type = "/cosmos.auth.v1beta1.BaseAccount";
    state["auth"]?.["accounts"]?.push({ "@type": type, address, account_number: String(1_000 + index), sequence: "0" });
    state["bank"]?.["balances"]?.push({ address, coins: [{ denom: "ustake", amount: String(1_000_000 + index) }] });
  }
}

/** Height of the last block of a node. */
async function heightOf(api: string): Promise<number> {
  const response = await fetch(`${api}cosmos/base/tendermint/v1beta1/blocks/latest`);
  const { block } = (await response.json()) as { block: { header: { height: string } } };
  return Number(block.header.height);
}

export async function untilHeight(api: string, height: number): Promise<void> {
  while ((await heightOf(api)) < height) await sleep(50);
}

/** Hash of a block in hex, for readers who trust it. */
export async function hashOf(api: string, height: number): Promise<string> {
  const response = await fetch(`${api}rpc/commit?height=${height}`);
  const { result } = (await response.json()) as {
    result: { signed_header: { commit: { block_id: { hash: string } } } };
  };
  return result.signed_header.commit.block_id.hash;
}
