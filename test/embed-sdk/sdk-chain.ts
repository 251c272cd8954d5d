/** The Cosmos SDK's example chain as a process with its own CometBFT: governance schedules the plan v2, binaries change at it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../e2e/free-port.js";
import type { Loose } from "../lying-proxy.js";

const ROOT = join(import.meta.dirname, "../..");
export const HANDLER = join(ROOT, "embed/go/sdk/testdata/v2.wasm");
const PATIENCE_MILLIS = 240_000;
const KEYRING = ["--keyring-backend", "test"];
/** From the proposal: the vote takes four seconds. */
const BLOCKS_TO_PLAN = 50;

export const binaryOf = (version: 1 | 2) => join(ROOT, `build/exampled/v${version}/exampled`);

export interface SdkBinaries {
  readonly 1: string;
  readonly 2: string;
}

export class SdkChain {
  readonly chainId = "example-1";
  readonly #root = mkdtempSync(join(tmpdir(), "chain-upgrade-sdk-"));
  readonly #home = join(this.#root, "home");
  #child: ChildProcess | undefined;
  #log = "";
  #rpc = "";

  constructor(private readonly binaries: SdkBinaries = { 1: binaryOf(1), 2: binaryOf(2) }) {}

  /** `http://host:port` of its CometBFT. */
  get rpc(): string {
    return this.#rpc;
  }

  /** A home with one validator, and governance of seconds. */
  init(): void {
    const run = (...args: string[]) => this.#run(1, ...args);
    run("init", "node", "--chain-id", this.chainId);
    run(...KEYRING, "keys", "add", "val");
    run(...KEYRING, "genesis", "add-genesis-account", "val", "1000000000000stake");
    run(...KEYRING, "genesis", "gentx", "val", "500000000000stake", "--chain-id", this.chainId);
    run("genesis", "collect-gentxs");
    const genesis = join(this.#home, "config/genesis.json");
    const document = JSON.parse(readFileSync(genesis, "utf8")) as Loose;
    Object.assign(document.app_state.gov.params, {
      ...{ voting_period: "4s", expedited_voting_period: "3s", max_deposit_period: "4s" },
      min_deposit: [{ denom: "stake", amount: "1000" }],
    });
    document.app_state.notes.count = 1_000;
    writeFileSync(genesis, JSON.stringify(document));
    const settings = join(this.#home, "config/config.toml");
    const quick = readFileSync(settings, "utf8").replace('timeout_commit = "5s"', 'timeout_commit = "500ms"');
    // What an operator sets so that pages of other sites may ask.
    writeFileSync(settings, quick.replace("cors_allowed_origins = []", 'cors_allowed_origins = ["*"]'));
  }

  #run(version: 1 | 2, ...args: string[]): string {
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync(this.binaries[version], [...args, "--home", this.#home], {
      encoding: "utf8",
      stdio: [...stdio],
    });
  }

  /** What the new version's command `rehearse --json` prints on the stopped node's home. */
  rehearse(handler = HANDLER): Loose {
    const env = { ...process.env, EXAMPLED_UPGRADE_HANDLER: handler, EXAMPLED_UPGRADE_UNPINNED: "true" };
    const args = ["rehearse", "--json", "--home", this.#home];
    return JSON.parse(execFileSync(this.binaries[2], args, { encoding: "utf8", env })) as Loose;
  }

  /** @param handler the file that version 2 runs at the plan's height */
  async start(version: 1 | 2, handler = HANDLER): Promise<void> {
    const [rpc, p2p] = [await freePort(), await freePort()];
    this.#rpc = `http://127.0.0.1:${rpc}`;
    this.#log = "";
    const args = ["start", "--home", this.#home, "--minimum-gas-prices", "0stake", "--grpc.enable=false"];
    const ports = ["--rpc.laddr", `tcp://127.0.0.1:${rpc}`, "--p2p.laddr", `tcp://127.0.0.1:${p2p}`];
    const settings = { EXAMPLED_UPGRADE_HANDLER: handler, EXAMPLED_UPGRADE_UNPINNED: "true" };
    const env = { ...process.env, ...(version === 2 ? settings : {}) };
    const child = spawn(this.binaries[version], [...args, ...ports], { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#log = (this.#log + text).slice(-100_000);
      });
    }
    this.#child = child;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await Promise.race([ended, sleep(20_000)]);
    child.kill("SIGKILL");
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }

  async get(path: string): Promise<Loose> {
    const answer = (await (await fetch(`${this.#rpc}/${path}`)).json()) as Loose;
    if (answer.error) throw new Error(JSON.stringify(answer.error));
    return answer.result;
  }

  async height(): Promise<number> {
    const status = await this.get("status").catch(() => undefined);
    return Number(status?.sync_info.latest_block_height ?? 0);
  }

  async hashAt(height: number): Promise<string> {
    return (await this.get(`commit?height=${height}`)).signed_header.commit.block_id.hash;
  }

  async untilHeight(height: number): Promise<void> {
    await this.#until(`height ${height}`, async () => (await this.height()) >= height);
  }

  async untilSays(text: string): Promise<void> {
    await this.#until(text, async () => this.#log.includes(text));
  }

  /** Governance schedules the plan; returns its height, once a header proves that it is scheduled. */
  async schedule(info = "{}"): Promise<number> {
    const height = (await this.height()) + BLOCKS_TO_PLAN;
    const text = ["--title", "version 2", "--summary", "notes by owner", "--deposit", "1000stake"];
    const plan = ["--upgrade-height", String(height), "--upgrade-info", info, "--no-validate"];
    await this.#send("upgrade", "software-upgrade", "v2", ...text, ...plan);
    await this.#send("gov", "vote", "1", "yes");
    await this.#until(
      "the plan",
      async () => (await this.get('abci_query?path="/store/upgrade/key"&data=0x00')).response.value,
    );
    // A state is proven by the header after it.
    await this.untilHeight((await this.height()) + 2);
    return height;
  }

  /** Waits for the transaction's block. */
  async #send(...args: string[]): Promise<void> {
    const to = ["--node", this.#rpc.replace("http", "tcp"), "--chain-id", this.chainId, ...KEYRING];
    const out = this.#run(1, "tx", ...args, ...to, "--from", "val", "-y", "-o", "json");
    const { txhash } = JSON.parse(out.trim().split("\n").at(-1) ?? "") as { txhash: string };
    await this.#until(args.join(" "), async () => (await this.get(`tx?hash=0x${txhash}`)).tx_result.code === 0);
  }

  async #until(what: string, holds: () => Promise<unknown>): Promise<void> {
    for (const end = Date.now() + PATIENCE_MILLIS; Date.now() < end; await sleep(200)) {
      if (await holds().catch(() => false)) return;
    }
    throw new Error(`${what}: not in time\n${this.#log.slice(-3_000)}`);
  }
}
