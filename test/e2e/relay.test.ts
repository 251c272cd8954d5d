/** `chaind relay` with stock CometBFT: the application is replaced, CometBFT goes on. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchers } from "../cosmovisor/supervisor.js";
import { DIST, type Running, run } from "./chaind.js";
import { cometbft, freePorts, heightOf, quickComet, rpc, votedGenesis } from "./cometbft.js";
import { makeHome } from "./prepared-home.js";

const CHAIND = join(DIST, "chaind.js");
const NONE = "CometBFT is missing here, and cannot be built: Go or its module proxy is missing";
const UPGRADE = 6;
const FREE = ["--grpc.address", "127.0.0.1:0", "--api.address", "tcp://127.0.0.1:0"];

let comet: string | undefined;
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-relay-"));
beforeAll(() => {
  comet = cometbft();
}, 300_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const pidOf = ({ stderr }: Running, what: RegExp) => Number(what.exec(stderr)?.at(-1));
const COMET = /CometBFT started: .*, process (\d+)/;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("chaind relay (needs CometBFT, or Go and its module proxy)", () => {
  test("holds at the height until the program is there, goes on with one CometBFT, survives a kill, leaves nothing", async (context) => {
    if (!comet) return context.skip(NONE);
    const home = join(root, "h");
    makeHome(home, votedGenesis({ name: "v2", height: UPGRADE }));
    const [port = 0, p2p = 0] = await freePorts(2);
    quickComet(home, port, p2p);
    const { before, after } = launchers(root, CHAIND);
    const bin = join(home, "cosmovisor/genesis/bin");
    mkdirSync(bin, { recursive: true });
    renameSync(before, join(bin, "chaind"));
    const relay = run(CHAIND, ["relay", "--home", home, "--", ...FREE], { COMETBFT_BIN: comet });
    await relay.says(`holding at height ${UPGRADE}`);
    const pid = pidOf(relay, COMET);
    const next = join(home, "cosmovisor/upgrades/v2/bin");
    expect(relay.stderr).toContain(`mkdir -p ${next} && cp NEW_PROGRAM ${next}/chaind`);
    mkdirSync(next, { recursive: true });
    renameSync(after, join(next, "chaind"));
    await until(async () => (await heightOf(port)) >= UPGRADE + 2);
    expect(readlinkSync(join(home, "cosmovisor/current"))).toBe("upgrades/v2");
    expect(JSON.parse(readFileSync(join(home, "data/receipts/v2.json"), "utf8"))).toMatchObject({ plan: "v2" });
    expect(relay.stderr).toContain(`FinalizeBlock ${UPGRADE} given again, to worker v2`);
    const worker = pidOf(relay, /worker v2 started: .*, process (\d+)/);
    process.kill(worker, "SIGKILL");
    await relay.says("worker v2 ended by SIGKILL");
    const height = await heightOf(port);
    await until(async () => (await heightOf(port)) >= height + 2);
    expect(pidOf(relay, COMET)).toBe(pid);
    expect(isAlive(pid)).toBe(true);
    const info = (await rpc(port, "abci_info")) as { response: Record<string, string> };
    expect(info.response).toMatchObject({ app_version: "2" });
    relay.child.kill("SIGTERM");
    expect(await relay.end).toMatchObject({ exit: 0 });
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(home, "data/LOCK"))).toBe(false);
  });
});
