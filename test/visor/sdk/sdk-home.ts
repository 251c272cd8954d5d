/** A home with one validator of such a chain, and governance that takes seconds. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts, rpc } from "../../e2e/cometbft.js";
import type { Loose } from "../../lying-proxy.js";
import { ChainHome, until } from "./chain-home.js";

const CHAIN_ID = "sidecar-1";
const KEYRING = ["--keyring-backend", "test"];
const VOTING = "3s";
/** From the proposal: a transaction and a vote of a block each, and the voting period. */
const BLOCKS_TO_PLAN = 14;

export class SdkHome extends ChainHome {
  readonly start = ["--log_no_color"];

  /** @param program the version that the chain begins with */
  constructor(
    private readonly program: string,
    path: string,
  ) {
    super(path);
  }

  committed(height: number): RegExp {
    return new RegExp(`committed state.*height=${height}\\b`);
  }

  async init(commit: string): Promise<this> {
    this.#run("init", "node", "--chain-id", CHAIN_ID, "--default-denom", "stake");
    this.#run(...KEYRING, "keys", "add", "val");
    this.#run(...KEYRING, "genesis", "add-genesis-account", "val", "1000000000000stake");
    this.#run(...KEYRING, "genesis", "gentx", "val", "500000000000stake", "--chain-id", CHAIN_ID);
    this.#run("genesis", "collect-gentxs");
    const genesis = this.#file("config/genesis.json");
    const document = JSON.parse(readFileSync(genesis, "utf8")) as Loose;
    Object.assign(document.app_state.gov.params, {
      ...{ voting_period: VOTING, expedited_voting_period: "1s", max_deposit_period: VOTING },
      min_deposit: [{ denom: "stake", amount: "1000" }],
      expedited_min_deposit: [{ denom: "stake", amount: "2000" }],
    });
    writeFileSync(genesis, JSON.stringify(document));
    await this.#settings(commit);
    return this;
  }

  async #settings(commit: string): Promise<void> {
    const [port = 0, p2p = 0, grpc = 0, proxy = 0] = await freePorts(4);
    this.port = port;
    this.#edit("config/config.toml", [
      [/^laddr = "tcp:\/\/127.0.0.1:26657"/m, `laddr = "tcp://127.0.0.1:${port}"`],
      [/^laddr = "tcp:\/\/0.0.0.0:26656"/m, `laddr = "tcp://127.0.0.1:${p2p}"`],
      [/^proxy_app = .*/m, `proxy_app = "tcp://127.0.0.1:${proxy}"`],
      [/^pprof_laddr = .*/m, 'pprof_laddr = ""'],
      [/^timeout_commit = .*/m, `timeout_commit = "${commit}"`],
    ]);
    this.#edit("config/app.toml", [
      [/^minimum-gas-prices = .*/m, 'minimum-gas-prices = "0stake"'],
      [/^address = "localhost:9090"/m, `address = "127.0.0.1:${grpc}"`],
    ]);
    this.#edit("config/client.toml", [[/^node = .*/m, `node = "tcp://127.0.0.1:${port}"`]]);
  }

  #file(name: string): string {
    return join(this.path, name);
  }

  #edit(name: string, rules: readonly (readonly [RegExp, string])[]): void {
    const file = this.#file(name);
    const text = rules.reduce(
      (before, [pattern, line]) => {
        if (!pattern.test(before)) throw new Error(`${file}: no line like ${pattern}`);
        return before.replace(pattern, line);
      },
      readFileSync(file, "utf8"),
    );
    writeFileSync(file, text);
  }

  #run(...args: readonly string[]): string {
    const { program, path } = this;
    return execFileSync(program, [...args, "--home", path], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  /** Governance schedules the plan `v2`; returns its height. */
  async propose(): Promise<number> {
    const height = (await this.height()) + BLOCKS_TO_PLAN;
    const text = ["--title", "to v2", "--summary", "version 2", "--deposit", "1000stake", "--no-validate"];
    const plan = ["--upgrade-height", String(height), "--upgrade-info", ""];
    await this.#send("upgrade", "software-upgrade", "v2", ...text, ...plan);
    await this.#send("gov", "vote", "1", "yes");
    return height;
  }

  async #send(...args: readonly string[]): Promise<void> {
    const to = ["--node", `tcp://127.0.0.1:${this.port}`, "--chain-id", CHAIN_ID, ...KEYRING, "--gas", "400000"];
    const sent = this.#run("tx", ...args, ...to, "--from", "val", "-y", "-o", "json");
    const { txhash, code, raw_log } = JSON.parse(sent.trim().split("\n").at(-1) ?? "") as Loose;
    if (code) throw new Error(`${args.join(" ")}: ${raw_log}`);
    await until(args.join(" "), async () => {
      const found = (await rpc(this.port, `tx?hash=0x${txhash}`)) as Loose;
      return found?.tx_result?.code === 0;
    });
  }
}
