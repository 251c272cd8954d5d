/** A node while it makes the block of a large upgrade: it serves, says how far it is, and can be stopped. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { pollWhile, risingReadings } from "../../bench/servers/endpoints.js";
import {
  prepareUpgrade,
  startUpgrading,
  transfers,
  UPGRADE_HEIGHT,
  type UpgradingNode,
} from "../../bench/servers/upgrading-node.js";
import { chaindHere } from "../in-process.js";
import { DIST } from "./chaind.js";

// A home with many accounts is made first, on a machine that does other things too.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const CHAIND = join(DIST, "chaind.js");
/** Signals that arrive sooner after the first one are the same request. */
const SECOND_REQUEST_MILLIS = 600;
/** So many that the block takes seconds. */
const ACCOUNTS = 120_000;

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-threads-"));
const nodes: UpgradingNode[] = [];
const home = join(root, "home");

beforeAll(() => prepareUpgrade(home, ACCOUNTS, join(DIST, "handlers")));
afterAll(() => {
  for (const { child } of nodes) child.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

async function start(): Promise<UpgradingNode> {
  const copy = join(root, `home-${nodes.length}`);
  cpSync(home, copy, { recursive: true });
  const node = await startUpgrading(CHAIND, copy);
  nodes.push(node);
  return node;
}

async function says(node: UpgradingNode, text: string): Promise<void> {
  while (!node.log().includes(text)) {
    if (node.child.exitCode !== null) throw new Error(`ended without saying ${text}:\n${node.log()}`);
    await sleep(5);
  }
}

test("SIGTERM twice in the upgrade block → 15, nothing of the block is kept", async () => {
  const node = await start();
  await says(node, "applying upgrade");
  node.child.kill("SIGTERM");
  await says(node, `finishing block ${UPGRADE_HEIGHT}, then stopping`);
  await sleep(SECOND_REQUEST_MILLIS);
  node.child.kill("SIGTERM");
  expect(await node.end).toBe(15);
  expect(node.log()).toContain("ends the node at once");
  expect(node.log()).not.toContain("upgrade applied");
});

test("SIGTERM and SIGINT within half a second in the upgrade block → one request: it is finished, 0", async () => {
  const node = await start();
  await says(node, "applying upgrade");
  node.child.kill("SIGTERM");
  await sleep(50);
  node.child.kill("SIGINT");
  expect(await node.end).toBe(0);
  expect(node.log()).toContain(`finishing block ${UPGRADE_HEIGHT}, then stopping`);
  const applied = node
    .log()
    .split("\n")
    .find((line) => line.includes('"upgrade applied"'));
  expect(JSON.parse(applied ?? "{}")).toMatchObject({ height: String(UPGRADE_HEIGHT), plan: "v2" });
});

test("all endpoints polled during the upgrade block → no request fails, done rises, rate and time left are there", async () => {
  const node = await start();
  const poll = await pollWhile(node.servers, transfers(), () => !node.log().includes('"upgrade applied"'));
  expect(poll.errors).toEqual([]);
  const scans = poll.progress.filter(({ phase, store }) => phase === "scan" && store === "auth");
  expect(new Set(poll.progress.map(({ phase }) => phase)).size).toBeGreaterThan(1);
  expect(scans.every(({ total, done }) => total >= ACCOUNTS && done <= total)).toBe(true);
  expect(risingReadings(poll)).toBeGreaterThan(0);
  expect(poll.progress.some(({ rate, leftMillis }) => rate > 0 && leftMillis !== undefined)).toBe(true);
});

test("chaind query upgrade progress while no upgrade runs → exit 0, nothing to report", async () => {
  const node = nodes.find(({ child }) => child.exitCode === null) ?? (await start());
  await says(node, '"upgrade applied"');
  const end = await chaindHere(["query", "upgrade", "progress", "-o", "json", "--node", node.servers.rpc]);
  expect(end.status).toBe(0);
  expect(JSON.parse(end.stdout)["progress"] ?? null).toBeNull();
});
