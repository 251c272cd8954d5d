import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { createServer, get, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PAGE_FILES } from "../../../host/serve/api/page-bytes.js";
import { askStatus } from "../../../host/visor/status/ask.js";
import { openStatus } from "../../../host/visor/status/server.js";
import { socketPath } from "../../../host/visor/status/socket-path.js";
import { plan, useStatusHome } from "./status-home.js";
import { statusMachine } from "./status-machine.js";

const bed = useStatusHome();
const { settingsOf, url } = bed;

describe("openStatus()", () => {
  it("GET /status → the status; HEAD → its head alone; another method → 405", async () => {
    bed.board.update({ phase: "ready", plan });
    const response = await fetch(url("/status"));
    expect(await response.json()).toMatchObject({ v: 1, phase: "ready", plan: { name: "v2" } });
    expect(response.headers.get("etag")).toMatch(/^".+"$/);
    const head = await fetch(url("/status"), { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await fetch(url("/status"), { method: "POST", body: "x".repeat(100_000) });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await fetch(url("/etc/passwd"))).status).toBe(404);
  });

  it("/status?wait= → responds at the change; at once when another version is known; 400 for what is no time", async () => {
    const first = await fetch(url("/status"));
    await first.text();
    const etag = first.headers.get("etag") ?? "";
    const begun = performance.now();
    const waiting = fetch(url("/status?wait=30"), { headers: { "if-none-match": etag } });
    setTimeout(() => bed.board.update({ phase: "running" }), 50);
    expect(await (await waiting).json()).toMatchObject({ phase: "running" });
    const again = await fetch(url("/status?wait=30"), { headers: { "if-none-match": etag } });
    expect(await again.json()).toMatchObject({ phase: "running" });
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect((await fetch(url("/status?wait=forever"))).status).toBe(400);
    expect((await fetch(url("/status?wait=9999"))).status).toBe(400);
  });

  it("/status?wait= by more than 64 → the others get 503, and those that left make room", async () => {
    const leaving = new AbortController();
    const some = Array.from({ length: 70 }, () =>
      fetch(url("/status?wait=30"), { signal: leaving.signal }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    const refused = await Promise.race(some);
    expect(refused).toBe(503);
    leaving.abort();
    await Promise.all(some);
    await expect.poll(async () => (await fetch(url("/status?wait=0"))).status).toBe(200);
  });

  it("/healthz, /readyz in each phase → 503 when failed, or when the application does not serve", async () => {
    const codes = async () => Promise.all(["/healthz", "/readyz"].map(async (path) => (await fetch(url(path))).status));
    expect(await codes()).toEqual([200, 503]);
    bed.board.update({ phase: "waiting", plan });
    expect(await codes()).toEqual([200, 200]);
    for (const change of [{ program: { name: "v1", file: "/v1", pid: null } }, { phase: "migrating" }] as const) {
      bed.board.update(change);
      expect(await codes()).toEqual([200, 503]);
    }
    bed.board.update({ phase: "failed" });
    expect(await codes()).toEqual([503, 503]);
  });

  it("/metrics and /supervisor → text of Prometheus, a page with its policy", async () => {
    const metrics = await fetch(url("/metrics"));
    expect(metrics.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await metrics.text()).toMatch(/^chain_upgrade_sidecar_disk_free_bytes\{folder="home"\} [0-9]+$/m);
    const page = await fetch(url("/supervisor"));
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
    expect(await page.text()).toMatch(/^<!doctype html>/);
  });

  it("/ → the same bytes as the node's page, with its policy; known by its tag", async () => {
    const page = PAGE_FILES.find(({ path }) => path === "/");
    const response = await fetch(url("/"), { headers: { "accept-encoding": "br" } });
    expect(response.headers.get("content-security-policy")).toBe(page?.headers["content-security-policy"]);
    expect(await response.text()).toContain("<html");
    const raw = await new Promise<Buffer>((resolve) => {
      get(url("/"), { headers: { "accept-encoding": "br" } }, async (incoming) => resolve(await bodyOf(incoming)));
    });
    expect(raw.toString("base64")).toBe(page?.brotli);
    const tag = response.headers.get("etag") ?? "";
    expect((await fetch(url("/"), { headers: { "if-none-match": tag } })).status).toBe(304);
  });

  it("/chain/upgrade/v1/status with no node → the sidecar's word in the node's form, without a path; with a node → its own", async () => {
    const halt = {
      ...{ v: 1, code: "UPG_HALT_UPGRADE_NEEDED", plan: null, handler: null, height: "1000" },
      ...{ last_committed_height: "999", app_hash: "", message: `put it in ${bed.home}/x`, next: "start `chaind`" },
      ...{ commands: ["chaind"], time: "2026-01-01T00:00:00Z" },
    };
    writeFileSync(join(bed.home, "data/halt.json"), JSON.stringify(halt));
    bed.board.update({ phase: "halted", plan, height: { value: "999", source: "store" } });
    const text = await (await fetch(url("/chain/upgrade/v1/status"))).text();
    expect(JSON.parse(text)).toMatchObject({
      phase: "halted",
      height: "999",
      halt: { code: halt.code },
      plan: { name: "v2" },
    });
    expect(text).not.toContain(bed.home);
    // A sidecar that was started beside a dead node knows no height; the record of the halt has it.
    bed.board.update({ phase: "failed", height: null });
    const again = await (await fetch(url("/chain/upgrade/v1/status"))).json();
    expect(again).toMatchObject({ phase: "failed", height: "999" });
    const node = createServer((_, response) => response.end('{"phase":"running","height":"5"}'));
    await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
    const { port } = node.address() as AddressInfo;
    mkdirSync(join(bed.home, "config"));
    writeFileSync(join(bed.home, "config/app.toml"), `[api]\naddress = "tcp://0.0.0.0:${port}"\n`);
    const other = await openStatus({
      board: bed.board,
      settings: settingsOf(),
      machine: statusMachine,
      args: [],
      log: () => undefined,
    });
    expect(await (await fetch(`http://${other.address}/chain/upgrade/v1/status`)).json()).toEqual({
      phase: "running",
      height: "5",
    });
    await other.close();
    node.close();
  });

  it("/rpc/… → passed on to the node's RPC; another method → 404, no node → 502", async () => {
    const asked: string[] = [];
    const node = createServer(({ url: path = "" }, response) => {
      asked.push(path);
      response.end('{"result":{}}');
    });
    await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
    const rpcAddress = `tcp://127.0.0.1:${(node.address() as AddressInfo).port}`;
    expect((await fetch(url("/rpc/status"))).status).toBe(502);
    const other = await bed.open({ rpcAddress });
    const response = await fetch(`http://${other.address}/rpc/commit?height=5`);
    expect([response.status, await response.text()]).toEqual([200, '{"result":{}}']);
    expect((await fetch(`http://${other.address}/rpc/broadcast_tx_sync?tx=0x00`)).status).toBe(404);
    expect(asked).toEqual(["/commit?height=5"]);
    await other.close();
    node.close();
  });

  it("an address that is taken, or is none → a warning, and the socket is served", async () => {
    const taken = createTcpServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as AddressInfo;
    for (const statusAddress of [`127.0.0.1:${port}`, "nonsense"]) {
      bed.lines = [];
      const other = await bed.open({ statusAddress });
      expect(other.address).toBeUndefined();
      expect(bed.lines.join("\n")).toContain("CHAINVISOR_STATUS_ADDRESS");
      expect((await askStatus({ socket: socketPath(join(bed.home, "cosmovisor")) }))?.status.v).toBe(1);
      await other.close();
    }
    taken.close();
  });

  it("the socket → of its user alone; one that was left is replaced; another file under its name is kept, with a warning", async () => {
    const socket = socketPath(join(bed.home, "cosmovisor"));
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    await bed.server.close();
    writeFileSync(socket, "mine");
    bed.server = await bed.open();
    expect(bed.lines.join("\n")).toContain("is no socket");
    expect(existsSync(socket)).toBe(true);
  });

  it("the socket of another process that serves → stays that one's, with a warning", async () => {
    const other = await bed.open();
    expect(bed.lines.join("\n")).toContain("is in use");
    await other.close();
    expect((await askStatus({ socket: socketPath(join(bed.home, "cosmovisor")) }))?.status.v).toBe(1);
  });

  it("a head of 40 KB → 431; requests sent ahead → the connection ends; others are served", async () => {
    const { status } = await fetch(url("/status"), { headers: { "x-long": "x".repeat(40_000) } });
    expect(status).toBe(431);
    const [host = "", port = ""] = bed.server.address?.split(":") ?? [];
    const socket = connect(Number(port), host);
    const ended = new Promise<void>((resolve) => socket.on("error", () => undefined).once("close", () => resolve()));
    socket.resume();
    socket.write("GET /status?wait=30 HTTP/1.1\r\nhost: x\r\n\r\n".repeat(50));
    await ended;
    expect((await fetch(url("/status"))).status).toBe(200);
  });
});

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
