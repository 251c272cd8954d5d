/**
 * `npm run autocli -- [--engine embedded|cometbft]`: the Cosmos SDK's client/v2, with no code of any chain, sends transactions to a
 * running node and reads what became of them. Its commands, messages and signers are those that the node describes. Takes Go
 * and its module proxy; the first run compiles for minutes.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { cometbft, freePorts, heightOf, quickComet } from "../e2e/cometbft.js";
import { decidesBlocks, operatorGenesis } from "../e2e/operator-genesis.js";
import { makeHome } from "../e2e/prepared-home.js";
import { MNEMONIC, SIGNER } from "../unit/serve/api/test-node.js";

const CHAIND = join(import.meta.dirname, "../../dist/chaind.js");
const CLIENT = join(import.meta.dirname, "../../build/autocli-client");
const ENGINES = ["embedded", "cometbft"];
const OTHER = "cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x";
const VOTING = "15s";
const PATIENCE_MILLIS = 60_000;

const { values } = parseArgs({ options: { engine: { type: "string", multiple: true, default: ENGINES } } });
if (!values.engine.every((engine) => ENGINES.includes(engine))) {
  process.stderr.write("usage: npm run autocli -- [--engine embedded|cometbft]\n");
  process.exit(2);
}

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-autocli-"));

interface Running {
  readonly child: ChildProcess;
  readonly rpc: string;
  readonly grpc: string;
}

async function startNode(engine: string): Promise<Running> {
  const home = join(root, engine);
  const document = operatorGenesis(VOTING);
  if (engine === "cometbft") decidesBlocks(document);
  makeHome(home, JSON.stringify(document));
  const [rpc = 0, p2p = 0, grpc = 0, rest = 0] = await freePorts(4);
  quickComet(home, rpc, p2p);
  const blocks =
    engine === "cometbft"
      ? ["--engine", engine, "--comet.bin", cometbft() ?? ""]
      : ["--rpc.laddr", `tcp://127.0.0.1:${rpc}`, "--block-time", "200ms"];
  const servers = ["--grpc.address", `127.0.0.1:${grpc}`, "--api.address", `tcp://127.0.0.1:${rest}`];
  const args = [CHAIND, "start", "--home", home, "--app-version", "1", ...servers, ...blocks];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  await until("the node makes blocks", async () => (await heightOf(rpc)) > 1);
  return { child, rpc: `tcp://127.0.0.1:${rpc}`, grpc: `127.0.0.1:${grpc}` };
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MILLIS;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`it never came to pass: ${what}`);
    await sleep(100);
  }
}

class Client {
  constructor(private readonly node: Running) {}

  run(args: readonly string[], input = ""): string {
    const env = { ...process.env, GRPC_ADDRESS: this.node.grpc };
    return execFileSync(CLIENT, [...args, "--home", join(root, "keys")], { env, input, encoding: "utf8" });
  }

  query(...words: readonly string[]): Record<string, unknown> {
    return JSON.parse(this.run(["query", ...words, "--output", "json"]));
  }

  /** Sends, and waits until the signer's next number says that a block has it. */
  async send(...words: readonly string[]): Promise<void> {
    const { rpc } = this.node;
    const before = this.#sequence();
    const flags = ["--from", "payer", "--keyring-backend", "test", "--node", rpc, "--chain-id", "scenario-1"];
    const sent = JSON.parse(this.run(["tx", ...words, ...flags, "--yes", "--output", "json"]));
    if (sent.code !== 0) throw new Error(`${words.join(" ")}: ${sent.raw_log}`);
    await until(`a block with ${words.join(" ")}`, async () => this.#sequence() > before);
  }

  #sequence(): number {
    const { info } = this.query("auth", "account-info", SIGNER) as { info: { sequence?: string } };
    return Number(info.sequence ?? 0);
  }
}

function requireEqual(what: string, found: unknown, expected: unknown): void {
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

async function story(node: Running): Promise<void> {
  const client = new Client(node);
  rmSync(join(root, "keys"), { recursive: true, force: true });
  client.run(["keys", "add", "payer", "--recover", "--keyring-backend", "test"], `${MNEMONIC}\n`);
  const transfer = (amount: number) => ["bank", "send", "--to-address", OTHER, "--amount", `${amount}ustake`];
  await client.send(...transfer(5));
  await client.send(...transfer(6), "--gas", "auto", "--gas-adjustment", "1.3");
  await client.send(...transfer(7), "--sign-mode", "amino-json");
  const { balances } = client.query("bank", "all-balances", OTHER);
  requireEqual("coins of three transfers", balances, [{ denom: "ustake", amount: "18" }]);

  const plan = JSON.stringify({ name: "v2", height: "100000" });
  const texts = ["--title", "Second", "--summary", "the second version", "--deposit", "10ustake"];
  await client.send("upgrade", "software-upgrade-proposal", "--plan", plan, ...texts, "--gas", "1000000");
  for (const mode of ["direct", "amino-json"])
    await client.send("gov", "vote", "--proposal-id", "1", "--option", "yes", "--sign-mode", mode);
  const { vote } = client.query("gov", "vote", "1", SIGNER) as { vote: { options: object[] } };
  requireEqual("the vote", vote.options, [{ option: "VOTE_OPTION_YES", weight: "1.000000000000000000" }]);
  const proposal = () => client.query("gov", "proposal", "1")["proposal"] as Record<string, unknown>;
  await until("the proposal passed", async () => proposal()["status"] === "PROPOSAL_STATUS_PASSED");
  const { plan: scheduled } = client.query("upgrade", "current-plan") as { plan: Record<string, unknown> };
  requireEqual("the plan", [scheduled["name"], scheduled["height"]], ["v2", "100000"]);
}

mkdirSync(join(CLIENT, ".."), { recursive: true });
const source = join(import.meta.dirname, "go");
execFileSync("go", ["build", "-trimpath", "-o", CLIENT, "."], { cwd: source, stdio: ["ignore", "inherit", "inherit"] });
let failed = 0;
for (const engine of values.engine) {
  const begun = performance.now();
  const node = await startNode(engine);
  try {
    await story(node);
    process.stdout.write(`${engine}: sent and read, ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`);
  } catch (error) {
    failed++;
    process.stdout.write(`${engine}: FAILED, ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    node.child.kill("SIGTERM");
    await new Promise((resolve) => node.child.once("close", resolve));
  }
}
rmSync(root, { recursive: true, force: true });
process.exit(failed > 0 ? 1 : 0);
