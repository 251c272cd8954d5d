/** `chainvisor run` with CHAINVISOR_HOT_SWITCH over stock CometBFT, through an upgrade: CometBFT is started once. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { askStatus } from "../../host/visor/status/ask.js";
import { launchers } from "../cosmovisor/supervisor.js";
import { DIST, type Running, run } from "./chaind.js";
import { cometbft, freePorts, heightOf, quickComet, rpc, votedGenesis } from "./cometbft.js";
import { makeHome } from "./prepared-home.js";

vi.setConfig({ testTimeout: 180_000 });

const CHAINVISOR = join(DIST, "chainvisor.js");
const NONE = "CometBFT is missing here, and cannot be built: Go or its module proxy is missing";
const UPGRADE = 6;
/** Nobody, and CometBFT dials it. */
const PEER = `${"ab".repeat(20)}@127.0.0.1:1`;

let comet: string | undefined;
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-visor-hot-"));
beforeAll(() => {
  comet = cometbft();
}, 300_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const home = join(root, "home");
const folder = join(home, "cosmovisor");

function place(name: string, program: string): void {
  const bin = join(folder, name, "bin");
  mkdirSync(bin, { recursive: true });
  copyFileSync(program, join(bin, "chaind"));
}

function chainvisor(port: number, more: Readonly<Record<string, string>> = {}): Running {
  const env = {
    ...{ DAEMON_HOME: home, DAEMON_NAME: "chaind", CHAINVISOR_HOT_SWITCH: "true", UNSAFE_SKIP_BACKUP: "true" },
    ...{ CHAINVISOR_STATUS_ADDRESS: "127.0.0.1:0", CHAINVISOR_RPC_ADDRESS: `http://127.0.0.1:${port}` },
    ...{ COMETBFT_BIN: comet ?? "", CHAIND_MONIKER: "hot", CHAIND_P2P_PERSISTENT_PEERS: PEER, ...more },
  };
  const servers = ["--grpc.address", "127.0.0.1:0", "--api.address", "tcp://127.0.0.1:0"];
  return run(
    CHAINVISOR,
    ["run", "start", "--engine", "cometbft", `--rpc.laddr=tcp://127.0.0.1:${port}`, ...servers],
    env,
  );
}

async function until({ child, ...node }: Running, isReached: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isReached())) {
    if (child.exitCode !== null) throw new Error((await node.end).stderr);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("an upgrade with the sidecar holding CometBFT's connections → CometBFT once, the program that was put in late takes over; phases", async (context) => {
  if (!comet) return context.skip(NONE);
  makeHome(home, votedGenesis({ name: "v2", height: UPGRADE }));
  const [port = 0, p2p = 0, unused = 0] = await freePorts(3);
  quickComet(home, unused, p2p);
  const { before, after } = launchers(root, join(DIST, "chaind.js"));
  place("genesis", before);

  const visor = chainvisor(port);
  const socket = join(folder, "chainvisor.sock");
  const status = async () => (await askStatus({ socket }))?.status;
  await until(visor, async () => (await status())?.phase === "halted" && ((await status())?.next.length ?? 0) > 0);
  expect(await status()).toMatchObject({
    plan: { name: "v2", height: String(UPGRADE), origin: "chain" },
    height: { value: String(UPGRADE - 1) },
    program: { name: "genesis", pid: null },
    message: expect.stringContaining("is missing"),
  });
  // CometBFT goes on serving meanwhile, and has the block that it waits for.
  expect(await heightOf(port)).toBe(UPGRADE);

  // What the environment and the flags give CometBFT is as under `start`.
  expect(await rpc(port, "status")).toMatchObject({ node_info: { moniker: "hot" } });
  expect(visor.stderr).toContain(PEER);

  place("upgrades/v2", after);
  await until(visor, async () => (await heightOf(port)) >= UPGRADE + 2);
  expect(visor.stderr.match(/CometBFT started/g)).toHaveLength(1);
  expect(visor.stderr).toContain(`FinalizeBlock ${UPGRADE} given again, to worker v2`);
  expect(readlinkSync(join(folder, "current"))).toBe("upgrades/v2");
  expect(readlinkSync(join(folder, "previous"))).toBe("genesis");
  expect(JSON.parse(readFileSync(join(folder, "upgrades/v2/upgrade-info.json"), "utf8"))).toMatchObject({ name: "v2" });
  expect(await rpc(port, "abci_info")).toMatchObject({ response: { app_version: "2" } });
  expect(JSON.parse(readFileSync(join(home, "data/addresses.json"), "utf8"))).toMatchObject({
    rpc: `tcp://127.0.0.1:${port}`,
  });
  expect(await status()).toMatchObject({ phase: "running", upgrades: 1, plan: null, program: { name: "v2" } });

  visor.child.kill("SIGTERM");
  expect(await visor.end).toMatchObject({ exit: 0 });
  expect(await heightOf(port)).toBe(0);

  // CometBFT that is killed is started again, as often as an application that crashes.
  const second = chainvisor(port, { CHAINVISOR_RESTARTS_MAX: "1" });
  const starts = () =>
    [...second.stderr.matchAll(/CometBFT started: .*, process ([0-9]+)/g)].map(([, pid]) => Number(pid));
  const isPast = (height: number) => async () => (await heightOf(port)) > height;
  await until(second, isPast(0));
  const reached = await heightOf(port);
  process.kill(starts()[0] ?? 0, "SIGKILL");
  await until(second, () => starts().length === 2);
  await until(second, isPast(reached + 1));
  expect(await status()).toMatchObject({ phase: "running", restarts: 1, program: { name: "v2" } });
  process.kill(starts()[1] ?? 0, "SIGKILL");
  expect(await second.end).toMatchObject({ exit: 16 });
  expect(second.stderr).toMatch(
    /the application has ended, after 1 restarts in 600 s: exit status 16: CometBFT exited \(signal SIGKILL\)/,
  );
  expect(starts()).toHaveLength(2);
});
