/** Stock CometBFT 0.38 as the engine of a real chain: blocks, the upgrade, ends, and the same app hashes as without it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DIST, type End, type Running, run } from "./chaind.js";
import { cometbft, freePorts, heightOf, quickComet, rpc, votedGenesis } from "./cometbft.js";
import { makeHome } from "./prepared-home.js";

const CHAIND = join(DIST, "chaind.js");
const NONE = "CometBFT is missing here, and cannot be built: Go or its module proxy is missing";
const UPGRADE = 6;

let comet: string | undefined;
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-comet-"));
beforeAll(() => {
  comet = cometbft();
}, 300_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface CometHome {
  readonly path: string;
  readonly rpc: number;
  start(...args: readonly string[]): Running;
}

let homes = 0;

async function cometHome(): Promise<CometHome> {
  const path = join(root, `h${homes++}`);
  makeHome(path, votedGenesis({ name: "v2", height: UPGRADE }));
  const [port = 0, p2p = 0] = await freePorts(2);
  quickComet(path, port, p2p);
  const start = (...args: readonly string[]) =>
    run(CHAIND, ["start", "--home", path, ...FREE, ...args], { COMETBFT_BIN: comet ?? "" });
  return { path, rpc: port, start };
}

const FREE = ["--grpc.address", "127.0.0.1:0", "--api.address", "tcp://127.0.0.1:0"];
const ENGINE = ["--engine", "cometbft"];

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
const read = (home: CometHome, file: string) => readFileSync(join(home.path, "data", file), "utf8");

/** Waits until CometBFT has made this block. */
async function untilHeight(home: CometHome, height: number): Promise<void> {
  while ((await heightOf(home.rpc)) < height) await new Promise((resolve) => setTimeout(resolve, 50));
}

const appHashAt = async (home: CometHome, height: number) => {
  const commit = (await rpc(home.rpc, `commit?height=${height}`)) as {
    signed_header: { header: { app_hash: string } };
  };
  return commit.signed_header.header.app_hash;
};

describe("chaind start --engine cometbft (needs CometBFT, or Go and its module proxy)", () => {
  test("halts at the height with 10, goes on with the new version, and survives a kill", async (context) => {
    if (!comet) return context.skip(NONE);
    const home = await cometHome();
    const old = home.start(...ENGINE, "--app-version", "1");
    const end = await old.end;
    expect(end.stderr).toContain(`UPGRADE "v2" NEEDED at height: ${UPGRADE}`);
    expect(end.exit).toBe(10);
    expect(JSON.parse(read(home, "upgrade-info.json"))).toMatchObject({ name: "v2", height: UPGRADE });
    expect(JSON.parse(read(home, "halt.json"))).toMatchObject({
      code: "UPG_HALT_UPGRADE_NEEDED",
      height: String(UPGRADE),
      commands: [`chaind start --home ${home.path} --engine cometbft`],
    });
    // The message is in CometBFT's own log too, where operators look for it.
    expect(end.stderr).toMatch(/CONSENSUS FAILURE|err="UPGRADE|UPGRADE \\"v2\\" NEEDED/);
    const signed = read(home, "priv_validator_state.json");
    const wrong = await home.start().end;
    expect(wrong.stderr).toContain("--engine cometbft");
    expect(wrong.exit).toBe(2);
    expect(read(home, "priv_validator_state.json")).toBe(signed);
    const next = home.start(...ENGINE);
    await untilHeight(home, UPGRADE + 3);
    expect(existsSync(join(home.path, "data/halt.json"))).toBe(false);
    expect(JSON.parse(read(home, "receipts/v2.json"))).toMatchObject({ plan: "v2", height: String(UPGRADE) });
    const before = await appHashAt(home, UPGRADE);
    const after = await appHashAt(home, UPGRADE + 1);
    expect(after).not.toBe(before);
    const info = (await rpc(home.rpc, "abci_info")) as { response: Record<string, string> };
    expect(info.response).toMatchObject({ data: "chaind", app_version: "2" });
    // No CometBFT stays when the application is killed.
    next.child.kill("SIGKILL");
    await next.end;
    while ((await heightOf(home.rpc)) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const again = home.start(...ENGINE);
    await untilHeight(home, UPGRADE + 6);
    expect(await appHashAt(home, UPGRADE + 1)).toBe(after);
    again.child.kill("SIGTERM");
    expect(await again.end).toMatchObject({ exit: 0 });
    expect(await heightOf(home.rpc)).toBe(0);
  });

  test("CometBFT that is killed → 16 with a record; started again, the chain goes on", async (context) => {
    if (!comet) return context.skip(NONE);
    const home = await cometHome();
    const node = home.start(...ENGINE, "--app-version", "1");
    await untilHeight(home, 2);
    await node.says("CometBFT started");
    const end = await killed(node);
    expect(end.exit).toBe(16);
    expect(JSON.parse(read(home, "halt.json"))).toMatchObject({ code: "UPG_HALT_ENGINE" });
    const again = home.start(...ENGINE, "--halt-height", "5", "--app-version", "1");
    expect((await again.end).exit).toBe(13);
    expect(JSON.parse(read(home, "halt.json"))).toMatchObject({ code: "UPG_HALT_HEIGHT", last_committed_height: "4" });
  });

  test("votes of a new chain and after a restart are in the record: no warning; an older copy of the record → a warning", async (context) => {
    if (!comet) return context.skip(NONE);
    const home = await cometHome();
    const finding = join(home.path, "data/unrecorded-vote.json");
    const stderrUntil = async (height: number) => {
      const node = home.start(...ENGINE, "--app-version", "1");
      await untilHeight(home, height);
      node.child.kill("SIGTERM");
      return (await node.end).stderr;
    };
    for (const height of [2, 4]) {
      expect(await stderrUntil(height)).not.toContain("has signed block");
      expect(existsSync(finding)).toBe(false);
    }
    writeFileSync(join(home.path, "data/priv_validator_state.json"), '{"height":"1","round":0,"step":3}');
    expect(await stderrUntil(5)).toMatch(/has signed block \d+, but \S+ ends at height 1/);
    expect(existsSync(finding)).toBe(true);
  });

  test("kill -9 before CometBFT has reached the application → none is left dialling", async () => {
    const home = await cometHome();
    const program = join(root, "dials-for-ever");
    writeFileSync(program, '#!/bin/sh\n[ "$1" = version ] && { echo 0.38.25; exit; }\nexec sleep 600\n', {
      mode: 0o755,
    });
    const node = home.start(...ENGINE, "--comet.bin", program, "--app-version", "1");
    await node.says("CometBFT started");
    const [, pid] = /CometBFT started: .*, process ([0-9]+)/.exec(node.stderr) ?? [];
    expect(isAlive(Number(pid))).toBe(true);
    node.child.kill("SIGKILL");
    await node.end;
    while (isAlive(Number(pid))) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  test("--with-comet=false serves one that is started elsewhere, also when it dies and comes again", async (context) => {
    if (!comet) return context.skip(NONE);
    const home = await cometHome();
    const socket = `unix://${join(home.path, "data/own.sock")}`;
    const serve = ["--with-comet=false", "--transport", "socket", "--address", socket, "--app-version", "1"];
    const node = home.start(...serve);
    await node.says("ABCI server open");
    const { api } = JSON.parse(read(home, "addresses.json")) as { api: string };
    const readiness = async () => (await fetch(`${api.replace("tcp:", "http:")}/readyz`)).status;
    for (const height of [2, 4]) {
      const engine = spawn(comet, ["start", "--home", home.path, "--proxy_app", socket], { stdio: "ignore" });
      await untilHeight(home, height);
      expect(await readiness()).toBe(200);
      engine.kill("SIGKILL");
      await once(engine, "exit");
      // It has blocks and serves state, but nobody gives it the next block.
      while ((await readiness()) !== 503) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    node.child.kill("SIGTERM");
    const end = await node.end;
    expect(end.exit).toBe(0);
    expect(end.stderr).toContain("the engine hung up; it may come again");
  });
});

/** Kills the CometBFT that a node has started; returns how the node ends. */
function killed(node: Running): Promise<End> {
  process.kill(Number(/CometBFT started: .*, process (\d+)/.exec(node.stderr)?.[1]), "SIGKILL");
  return node.end;
}
