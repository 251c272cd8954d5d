/** `chaind relay` as a process of its own, over stock CometBFT and through an upgrade; four of them are a scene of `npm run network`. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { askStatus } from "../../host/visor/status/ask.js";
import { launchers } from "../cosmovisor/supervisor.js";
import { DIST, type Running, run } from "./chaind.js";
import { cometbft, freePorts, heightOf, quickComet, rpc, votedGenesis } from "./cometbft.js";
import { makeHome } from "./prepared-home.js";

vi.setConfig({ testTimeout: 180_000 });

const CHAIND = join(DIST, "chaind.js");
const NONE = "CometBFT is missing here, and cannot be built: Go or its module proxy is missing";
const UPGRADE = 6;

let comet: string | undefined;
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-comet-relay-"));
beforeAll(() => {
  comet = cometbft();
}, 300_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const home = join(root, "home");
const chaind = (...args: readonly string[]): Running => run(CHAIND, args, { COMETBFT_BIN: comet ?? "" });
const servers = ["--grpc.address", "127.0.0.1:0", "--api.address", "tcp://127.0.0.1:0"];
const relay = (...flags: readonly string[]) => chaind("relay", "--home", home, "--", ...servers, ...flags);
const statusOf = async () => (await askStatus({ socket: join(home, "cosmovisor/chainvisor.sock") }))?.status;

function place(folder: string, program: string): void {
  const bin = join(home, "cosmovisor", folder, "bin");
  mkdirSync(bin, { recursive: true });
  copyFileSync(program, join(bin, "chaind"));
}

const addressesOf = (folder: string) => JSON.parse(readFileSync(join(folder, "data/addresses.json"), "utf8"));

async function untilHeight({ child, ...node }: Running, port: number, height: number): Promise<void> {
  while ((await heightOf(port)) < height) {
    if (child.exitCode !== null) throw new Error((await node.end).stderr);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("an upgrade by the programs in its folders, one CometBFT; others are refused its home; then by this program alone", async (context) => {
  if (!comet) return context.skip(NONE);
  makeHome(home, votedGenesis({ name: "v2", height: UPGRADE }));
  const [port = 0, p2p = 0, other = 0] = await freePorts(3);
  quickComet(home, port, p2p);
  const { before, after } = launchers(root, CHAIND);
  place("genesis", before);
  place("upgrades/v2", after);

  const [page = 0] = await freePorts(1);
  const address = { CHAINVISOR_STATUS_ADDRESS: `127.0.0.1:${page}`, COMETBFT_BIN: comet };
  const first = run(CHAIND, ["relay", "--home", home, "--", ...servers], address);
  await untilHeight(first, port, UPGRADE + 2);
  expect(first.stderr).not.toContain("is a copy of the program that runs now");
  expect(await statusOf()).toMatchObject({ phase: "running", upgrades: 1, plan: null, program: { name: "v2" } });
  const metrics = await (await fetch(`http://127.0.0.1:${page}/metrics`)).text();
  expect(metrics).toMatch(/^chain_upgrade_sidecar_upgrades_total 1$/m);
  for (const command of [["start", "--engine", "cometbft"], ["rollback"], ["comet", "rollback"]]) {
    const refused = await chaind(...command, "--home", home).end;
    expect([refused.exit, command], refused.stderr).toEqual([30, command]);
    expect(refused.stderr).toMatch(/UPG_STORE_LOCKED/);
  }
  expect(first.stderr.match(/CometBFT started/g)).toHaveLength(1);
  expect(first.stderr).toContain(`FinalizeBlock ${UPGRADE} given again, to worker v2`);
  expect(readlinkSync(join(home, "cosmovisor/current"))).toBe("upgrades/v2");
  const receipt = JSON.parse(readFileSync(join(home, "data/receipts/v2.json"), "utf8"));
  expect(receipt).toMatchObject({ plan: "v2", height: String(UPGRADE) });
  expect(await rpc(port, "abci_info")).toMatchObject({ response: { app_version: "2" } });
  first.child.kill("SIGTERM");
  expect(await first.end).toMatchObject({ exit: 0 });
  expect(await heightOf(port)).toBe(0);

  rmSync(join(home, "cosmovisor"), { recursive: true });
  // As after `start`: CometBFT's are passed on to it, and the application asks it at its address.
  const own = relay("--moniker", "mine", "--rpc.laddr", `tcp://127.0.0.1:${other}`);
  await untilHeight(own, other, UPGRADE + 5);
  expect(await rpc(other, "status")).toMatchObject({ node_info: { moniker: "mine" } });
  expect(addressesOf(home)).toMatchObject({ rpc: `tcp://127.0.0.1:${other}` });
  own.child.kill("SIGTERM");
  expect(await own.end).toMatchObject({ exit: 0 });
  expect(own.stderr).not.toMatch(/has no effect/);
  // Without folders there is nothing to prepare, and no place for a status.
  expect(await statusOf()).toBeUndefined();
});

test("the start that is on record → the words of the relay, with its flags for the log", async () => {
  const folder = join(root, "recorded");
  for (const each of ["config", "cosmovisor/genesis/bin"]) mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(join(folder, "config/genesis.json"), "{}");
  writeFileSync(join(folder, "cosmovisor/genesis/bin/chaind"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const words = [
    "relay",
    "--home",
    folder,
    "--log_format",
    "json",
    "--log_no_color",
    "--",
    "--min-retain-blocks",
    "500",
  ];
  expect(await chaind(...words).end).toMatchObject({ exit: 0 });
  const record = JSON.parse(readFileSync(join(folder, "cosmovisor/last-start.json"), "utf8"));
  expect(record.command).toBe(["chaind", ...words].join(" "));
});
