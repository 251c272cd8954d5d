/** A node of CometBFT while it makes the block of a large upgrade: it serves, shows how far it is, and is stopped in order. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { encodeAddress } from "../addresses.js";
import { endlessHandler } from "../guest/build.js";
import { DIST, run } from "./chaind.js";
import { cometbft, freePorts, quickComet, votedGenesis } from "./cometbft.js";
import { makeHome } from "./prepared-home.js";

const CHAIND = join(DIST, "chaind.js");
const UPGRADE = 6;
/** Signals that arrive sooner after the first one are the same request. */
const SECOND_REQUEST_MILLIS = 600;
/** So many that the block takes a second or more. */
const ACCOUNTS = 60_000;

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-comet-threads-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function genesis(): string {
  const document = JSON.parse(votedGenesis({ name: "v2", height: UPGRADE }));
  const { auth, bank } = document.app_state;
  for (let i = 0; i < ACCOUNTS; i++) {
    const address = encodeAddress(sha256(utf8(`account ${i}`)).slice(0, 20));
    const type = "/cosmos.auth.v1beta1.BaseAccount";
    auth.accounts.push({ "@type": type, address, account_number: String(1_000 + i), sequence: "0" });
    bank.balances.push({ address, coins: [{ denom: "ustake", amount: String(1_000_000 + i) }] });
  }
  return JSON.stringify(document);
}

interface Progress {
  readonly progress: { readonly plan: string; readonly height: string; readonly phase: string } | null;
}

test("an upgrade of many accounts under CometBFT (needs CometBFT, or Go and its module proxy): REST, metrics, abci_query and the mempool respond; SIGTERM → the block is committed, 0", async (context) => {
  const program = cometbft();
  if (!program) return context.skip("CometBFT is missing here, and cannot be built: Go or its module proxy is missing");
  const home = join(root, "home");
  makeHome(home, genesis());
  const [port = 0, p2p = 0] = await freePorts(2);
  quickComet(home, port, p2p);
  cpSync(join(DIST, "handlers"), join(home, "handlers/staged"), { recursive: true });
  const servers = ["--grpc.address", "127.0.0.1:0", "--api.address", "tcp://127.0.0.1:0"];
  const node = run(CHAIND, ["start", "--home", home, "--engine", "cometbft", "--comet.bin", program, ...servers]);
  await node.says("servers open");
  const { api } = JSON.parse(readFileSync(join(home, "data/addresses.json"), "utf8")) as { api: string };
  const rest = api.replace("tcp:", "http:");
  await node.says("applying upgrade");
  let running: Progress["progress"] = null;
  while (!running && !node.stderr.includes("upgrade applied")) {
    running = ((await (await fetch(`${rest}/chain/upgrade/v1beta1/progress`)).json()) as Progress).progress;
  }
  expect(running).toMatchObject({ plan: "v2", height: String(UPGRADE) });
  const asked = await Promise.all([
    fetch(`${rest}/metrics`).then((response) => response.text()),
    fetch(`${rest}/cosmos/base/tendermint/v1beta1/blocks/latest`).then((response) => response.json()),
    fetch(`http://127.0.0.1:${port}/abci_query?path="/chain.upgrade.v1beta1.Query/Progress"`).then((got) => got.json()),
    fetch(`http://127.0.0.1:${port}/broadcast_tx_sync?tx=0x0a00`).then((response) => response.json()),
    fetch(`http://127.0.0.1:${port}/abci_info`).then((response) => response.json()),
  ]);
  // They came back while the block was made.
  expect(node.stderr).not.toContain("upgrade applied");
  node.child.kill("SIGTERM");
  const [metrics, latest, query, sent, info] = asked as [string, object, object, object, object];
  expect(metrics).toMatch(/^chain_upgrade_progress_done\{name="v2"/m);
  expect(latest).toMatchObject({ block: { header: { height: String(UPGRADE - 1) } } });
  const { value } = (query as { result: { response: { value: string } } }).result.response;
  expect(Buffer.from(value, "base64").toString("latin1")).toContain("v2");
  expect(sent).toMatchObject({ result: { codespace: "upgrade", code: 61 } });
  expect(info).toMatchObject({ result: { response: { last_block_height: String(UPGRADE - 1), app_version: "1" } } });
  const end = await node.end;
  expect(end.exit, end.stderr).toBe(0);
  expect(end.stderr).toContain(`finishing block ${UPGRADE}, then stopping`);
  expect(end.stderr).toContain("upgrade applied");
  expect(end.stderr).toMatch(new RegExp(`block committed.*${UPGRADE}`));
}, 240_000);

test("a block that takes for ever (needs CometBFT): CometBFT is killed in it → 16 at once, with a record; SIGTERM twice in it → 15, CometBFT is gone", async (context) => {
  const program = cometbft();
  if (!program) return context.skip("CometBFT is missing here, and cannot be built: Go or its module proxy is missing");
  const home = join(root, "endless");
  makeHome(home, votedGenesis({ name: "v2", height: UPGRADE }));
  const [port = 0, p2p = 0] = await freePorts(2);
  quickComet(home, port, p2p);
  const staged = join(home, "handlers/staged");
  mkdirSync(staged, { recursive: true });
  writeFileSync(join(staged, "v2.wasm"), endlessHandler());
  const none = ["--handlers", join(home, "handlers"), "--grpc.enable=false", "--api.enable=false"];
  const args = ["start", "--home", home, "--engine", "cometbft", "--comet.bin", program, ...none];
  const started = async () => {
    const node = run(CHAIND, args);
    await node.says("applying upgrade");
    return { node, comet: Number(/CometBFT started: .*, process ([0-9]+)/.exec(node.stderr)?.[1]) };
  };
  const first = await started();
  process.kill(first.comet, "SIGKILL");
  const end = await first.node.end;
  expect(end.exit, end.stderr).toBe(16);
  const { code, last_committed_height: last } = JSON.parse(readFileSync(join(home, "data/halt.json"), "utf8"));
  expect({ code, last }).toEqual({ code: "UPG_HALT_ENGINE", last: String(UPGRADE - 1) });
  const { node, comet } = await started();
  node.child.kill("SIGTERM");
  await node.says(`finishing block ${UPGRADE}, then stopping`);
  await sleep(SECOND_REQUEST_MILLIS);
  node.child.kill("SIGTERM");
  expect((await node.end).exit).toBe(15);
  while (isAlive(comet)) await new Promise((resolve) => setTimeout(resolve, 20));
}, 240_000);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
