/** Stock CometBFT 0.38 over one process through an upgrade, and over one that holds at the height for a supervisor. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { DIST, type Running, run } from "./chaind.js";
import { cometbft, freePorts, heightOf, quickComet, rpc, votedGenesis } from "./cometbft.js";
import { makeHome } from "./prepared-home.js";

vi.setConfig({ testTimeout: 180_000 });

const FREE = ["--grpc.address", "127.0.0.1:0", "--api.address", "tcp://127.0.0.1:0"];
const CHAIND = join(DIST, "chaind.js");
const NONE = "CometBFT is missing here, and cannot be built: Go or its module proxy is missing";
const UPGRADE = 6;

let comet: string | undefined;
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-restart-"));
beforeAll(() => {
  comet = cometbft();
}, 300_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function untilHeight(port: number, height: number): Promise<void> {
  while ((await heightOf(port)) < height) await new Promise((resolve) => setTimeout(resolve, 50));
}

test("holds at the height: CometBFT and queries go on, the status says halted; SIGTERM → 10; then one process from the old version on, no exit at the height", async (context) => {
  if (!comet) return context.skip(NONE);
  const home = join(root, "home");
  makeHome(home, votedGenesis({ name: "v2", height: UPGRADE }));
  const [port = 0, p2p = 0] = await freePorts(2);
  quickComet(home, port, p2p);
  const start = (...args: readonly string[]): Running =>
    run(CHAIND, ["start", "--home", home, ...FREE, "--engine", "cometbft", ...args], { COMETBFT_BIN: comet ?? "" });
  const data = (file: string) => join(home, "data", file);

  const old = start("--app-version", "1", "--halt-linger", "1h");
  await old.says("holding at the height");
  expect(JSON.parse(readFileSync(data("upgrade-info.json"), "utf8"))).toMatchObject({ name: "v2", height: UPGRADE });
  expect(await heightOf(port)).toBe(UPGRADE);
  const info = (await rpc(port, "abci_info")) as { response: Record<string, string> };
  expect(info.response).toMatchObject({ app_version: "1", last_block_height: String(UPGRADE - 1) });
  const { api } = JSON.parse(readFileSync(data("addresses.json"), "utf8")) as { api: string };
  const said = await (await fetch(`${api.replace("tcp:", "http:")}/chain/upgrade/v1/status`)).text();
  expect(JSON.parse(said)).toMatchObject({
    ...{ phase: "halted", height: String(UPGRADE - 1), plan: { name: "v2", blocks_left: "1" } },
    halt: { code: "UPG_HALT_UPGRADE_NEEDED", commands: ["chaind start --home <home> --engine cometbft"] },
  });
  expect(said).not.toContain(root);
  old.child.kill("SIGTERM");
  const end = await old.end;
  expect(end.exit, end.stderr).toBe(10);
  expect(end.stderr).toContain(`UPGRADE "v2" NEEDED at height: ${UPGRADE}`);

  // From genesis: what the first node committed is gone.
  for (const folder of ["data", "config/addrbook.json"]) rmSync(join(home, folder), { recursive: true });
  cpSync(join(DIST, "handlers"), join(home, "handlers/staged"), { recursive: true });
  const node = start();
  await untilHeight(port, UPGRADE + 2);
  expect(node.child.exitCode).toBeNull();
  expect(node.stderr).toContain(`app version 2 goes on at height ${UPGRADE}, after 1`);
  expect(node.stderr.match(/CometBFT started/g)).toHaveLength(1);
  expect(existsSync(data("upgrade-info.json"))).toBe(false);
  expect(JSON.parse(readFileSync(data("receipts/v2.json"), "utf8"))).toMatchObject({ plan: "v2" });
  expect(await rpc(port, "abci_info")).toMatchObject({ response: { app_version: "2" } });
  node.child.kill("SIGTERM");
  expect((await node.end).exit).toBe(0);
});
