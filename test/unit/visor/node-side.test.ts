import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Settings } from "../../../host/visor/decide/settings.js";
import { Board } from "../../../host/visor/status/board.js";
import { fetchBounded } from "../../../host/visor/status/fetch-bounded.js";
import { NodeSide } from "../../../host/visor/status/node-side.js";
import { openStatus } from "../../../host/visor/status/server.js";
import { StatusView } from "../../../host/visor/status/view.js";
import { statusMachine } from "./status-machine.js";

let node: Server;
let answers: Record<string, unknown>;
let address: string;

beforeEach(async () => {
  answers = {};
  node = createServer(({ url = "" }, response) => {
    const answer = answers[url];
    if (answer === undefined) response.writeHead(404).end();
    else response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  address = `127.0.0.1:${(node.address() as AddressInfo).port}`;
});
afterEach(() => {
  node.closeAllConnections();
  node.close();
});

const side = () =>
  new NodeSide({
    ...{ home: "/no/home", rpcAddress: `tcp://${address}`, machine: statusMachine },
    args: ["start", `--api.address=tcp://${address}`],
  });

const STATUS_PATH = "/chain/upgrade/v1/status";
const at = (agoSeconds: number) => new Date(Date.now() - agoSeconds * 1_000).toISOString();
const lastBlock = (height: number, agoSeconds: number, isCatchingUp = false) => ({
  result: {
    sync_info: {
      ...{ latest_block_height: String(height), latest_block_time: at(agoSeconds) },
      ...{ earliest_block_height: "1", catching_up: isCatchingUp },
    },
  },
});
const commit = (height: number, agoSeconds: number) => ({
  result: { signed_header: { header: { height: String(height), time: at(agoSeconds) } } },
});

describe("NodeSide", () => {
  it("blocksBefore() → the last block and those where the windows begin, for an estimate at once", async () => {
    answers = {
      "/status": lastBlock(150, 0),
      "/commit?height=130": commit(130, 100),
      "/commit?height=50": commit(50, 500),
    };
    expect((await side().blocksBefore()).map(({ height }) => height)).toEqual([150n, 130n, 50n]);
    const board = new Board(statusMachine.clock);
    board.update({ phase: "ready", plan: { name: "v2", height: "250", info: "", origin: "chain" } });
    board.update({ height: { value: "150", source: "rpc" } });
    const view = new StatusView({ board, node: side(), clock: statusMachine.clock });
    await expect.poll(() => view.shown().status.eta?.seconds, { timeout: 5_000 }).toBeGreaterThan(480);
    expect(view.shown().status.eta?.seconds).toBeLessThan(520);
    view.close();
  });

  it("blocksBefore() of a node that catches up, has stopped, or says nonsense → none", async () => {
    for (const status of [lastBlock(150, 0, true), lastBlock(150, 3_600), "nonsense", { result: [] }, undefined]) {
      answers = status === undefined ? {} : { "/status": status };
      expect(await side().blocksBefore()).toEqual([]);
    }
  });

  it("progress() → what the node's own status has; null for another program, or none", async () => {
    answers = { [STATUS_PATH]: { progress: { phase: "trees", store: "bank", done: 5, total: 9 } } };
    expect(await side().progress()).toEqual({ what: "trees bank", done: "5", total: "9" });
    answers = { [STATUS_PATH]: { progress: { phase: "loading", store: "", done: 0, total: 0 } } };
    expect(await side().progress()).toEqual({ what: "loading", done: "0", total: null });
    for (const other of [{ progress: null }, "<html>", undefined]) {
      answers = other === undefined ? {} : { [STATUS_PATH]: other };
      expect(await side().progress()).toBeNull();
    }
  });

  it("the board while it migrates → has the node's progress", async () => {
    answers = { [STATUS_PATH]: { progress: { phase: "scan", store: "bank", done: 5, total: 9 } } };
    const board = new Board(statusMachine.clock, { phase: "migrating" });
    const view = new StatusView({ board, node: side(), clock: statusMachine.clock });
    await expect.poll(() => board.current.progress).toEqual({ what: "scan bank", done: "5", total: "9" });
    view.close();
  });
});

describe("fetchBounded()", () => {
  it("more bytes, or more time, than it may take → undefined", async () => {
    answers = { "/long": "x".repeat(100_000) };
    const url = `http://${address}/long`;
    expect(await fetchBounded(url, { millisMax: 5_000, bytesMax: 1_000 })).toBeUndefined();
    expect((await fetchBounded(url, { millisMax: 5_000, bytesMax: 100_000 }))?.body.length).toBe(100_000);
    node.removeAllListeners("request");
    const begun = performance.now();
    expect(await fetchBounded(url, { millisMax: 100, bytesMax: 1_000 })).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});

describe("openStatus()", () => {
  it("300 connections that read nothing, and heads that never end → the socket and later clients are served, and it closes", async () => {
    const home = mkdtempSync(join(tmpdir(), "chain-upgrade-slow-"));
    const settings = {
      home,
      root: home,
      backupDir: home,
      statusAddress: "127.0.0.1:0",
      rpcAddress: "http://127.0.0.1:1",
    };
    const board = new Board(statusMachine.clock, { message: "x".repeat(50_000) });
    const log = () => undefined;
    const server = await openStatus({ board, settings: settings as Settings, machine: statusMachine, args: [], log });
    const [host = "", port = ""] = server.address?.split(":") ?? [];
    const sockets = Array.from({ length: 300 }, (_, each) => {
      const socket = connect(Number(port), host).on("error", () => undefined);
      socket.pause();
      socket.write(each % 2 === 0 ? "GET /status HTTP/1.1\r\nhost: x\r\n\r\n" : "GET /sta");
      return socket;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (const socket of sockets.slice(0, 150)) socket.destroy();
    await expect
      .poll(
        async () =>
          (await fetchBounded(`http://${server.address}/healthz`, { millisMax: 2_000, bytesMax: 99_999 }))?.status,
        { timeout: 8_000 },
      )
      .toBe(200);
    const begun = performance.now();
    await server.close();
    expect(performance.now() - begun).toBeLessThan(3_000);
    for (const socket of sockets) socket.destroy();
    rmSync(home, { recursive: true });
  });
});
