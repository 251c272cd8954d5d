/** `chainvisor prepare` against nodes that answer over gRPC, over RPC, or not at all; and one that is killed in the middle. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { QueryCurrentPlanResponseSchema } from "../../host/base/gen/cosmos/upgrade/v1beta1/query_pb.js";
import { everyNth } from "../sample.js";
import { sha256 } from "../unit/visor/download/fetching.js";
import { HttpServer, sendFile } from "../unit/visor/download/http-server.js";

const CHAINVISOR = join(import.meta.dirname, "../../dist/chainvisor.js");
const PROGRAM = `#!/bin/sh\n${"# v2\n".repeat(2_000)}`;
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-prepare-"));
let homes = 0;
let server: HttpServer;
let grpc: Http2Server;
let answer: Uint8Array | undefined;

beforeAll(async () => {
  server = await HttpServer.start();
  grpc = createServer();
  grpc.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    if (answer === undefined) return stream.close(2);
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () =>
      stream.sendTrailers({ "grpc-status": headers[":path"]?.endsWith("CurrentPlan") ? "0" : "12" }),
    );
    const head = Buffer.alloc(5);
    head.writeUInt32BE(answer.length, 1);
    stream.end(Buffer.concat([head, answer]));
  });
  await new Promise<void>((resolve) => grpc.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await server.close();
  await new Promise((resolve) => grpc.close(resolve));
  rmSync(root, { recursive: true, force: true });
});

const responseOf = (plan?: { name: string; height: bigint; info: string }) =>
  toBinary(QueryCurrentPlanResponseSchema, create(QueryCurrentPlanResponseSchema, plan ? { plan } : {}));

function newHome(): string {
  const home = join(root, `home-${homes++}`);
  mkdirSync(join(home, "data"), { recursive: true });
  mkdirSync(join(home, "cosmovisor/genesis/bin"), { recursive: true });
  writeFileSync(join(home, "cosmovisor/genesis/bin/appd"), "#!/bin/sh\n", { mode: 0o755 });
  return home;
}

function start(home: string, args: readonly string[], rpc = "http://127.0.0.1:9"): ChildProcess {
  const env = {
    ...{ PATH: process.env["PATH"], DAEMON_HOME: home, DAEMON_NAME: "appd", CHAINVISOR_RPC_ADDRESS: rpc },
    DAEMON_GRPC_ADDRESS: `127.0.0.1:${(grpc.address() as AddressInfo).port}`,
  };
  return spawn(process.execPath, [CHAINVISOR, "prepare", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
}

async function prepare(home: string, args: readonly string[] = [], rpc?: string) {
  const child = start(home, args, rpc);
  const text = { stdout: "", stderr: "" };
  child.stdout?.on("data", (part) => (text.stdout += part));
  child.stderr?.on("data", (part) => (text.stderr += part));
  const exit = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { exit, ...text };
}

const goodInfo = () =>
  JSON.stringify({ binaries: { any: `${server.file("/v2", PROGRAM)}?checksum=${sha256(PROGRAM)}` } });
const placeOf = (home: string, plan = "v2") => join(home, "cosmovisor/upgrades", plan, "bin/appd");

describe("chainvisor prepare", () => {
  test("over gRPC → fetched, verified, into the folder in lower case, what is ready printed; again → nothing fetched", async () => {
    answer = responseOf({ name: "V2", height: 100n, info: goodInfo() });
    const home = newHome();
    const first = await prepare(home);
    expect(first, first.stderr).toMatchObject({ exit: 0 });
    expect(first.stdout).toMatch(/^plan "V2" at height 100, from the node's gRPC/);
    expect(first.stdout).toMatch(/✓ program +ready/);
    expect(first.stdout).toMatch(/✓ checksum +ready/);
    expect(readFileSync(placeOf(home), "utf8")).toBe(PROGRAM);
    server.requests.length = 0;
    const again = JSON.parse((await prepare(home, ["-o", "json"])).stdout);
    expect(again).toMatchObject({
      plan: { name: "V2", height: "100" },
      readiness: [
        { what: "program", state: "ready" },
        { what: "checksum", state: "ready" },
        { what: "sidecar", state: "skipped", detail: expect.stringContaining("no chainvisor runs on") },
      ],
    });
    expect(server.requests).toEqual([]);
    expect(readdirSync(join(home, "cosmovisor")).sort()).toEqual(["genesis", "upgrades"]);
  });

  test("over RPC where gRPC is silent; no plan → says so, exit 0; a file that was given → that", async () => {
    answer = undefined;
    const home = newHome();
    const value = (plan?: Parameters<typeof responseOf>[0]) => Buffer.from(responseOf(plan)).toString("base64");
    const rpc = (plan?: Parameters<typeof responseOf>[0]) => {
      server.file("/abci_query", JSON.stringify({ result: { response: { code: 0, value: value(plan) } } }));
      return server.url("");
    };
    expect((await prepare(home, [], rpc())).stdout).toBe("No active upgrade plan found\n");
    const found = await prepare(home, [], rpc({ name: "v2", height: 100n, info: goodInfo() }));
    expect(found, found.stderr).toMatchObject({ exit: 0, stdout: expect.stringContaining("from the node's RPC") });
    const file = join(home, "v3.json");
    writeFileSync(file, JSON.stringify({ name: "v3", height: 200, info: goodInfo() }));
    expect(await prepare(home, ["--plan", file])).toMatchObject({ exit: 0 });
    expect(existsSync(placeOf(home, "v3"))).toBe(true);
  });

  test("nobody answers → upgrade-info.json; without that, and after it was applied → in words", async () => {
    answer = undefined;
    const home = newHome();
    const silent = await prepare(home);
    expect(silent).toMatchObject({ exit: 1, stderr: expect.stringContaining("UPG_REMOTE_UNAVAILABLE") });
    expect(silent.stderr).toContain("failed to query current upgrade plan");
    const plan = JSON.stringify({ name: "v2", height: 100, info: goodInfo() });
    writeFileSync(join(home, "data/upgrade-info.json"), plan);
    expect(await prepare(home)).toMatchObject({ exit: 0 });
    mkdirSync(join(home, "cosmovisor/current"));
    writeFileSync(join(home, "cosmovisor/current/upgrade-info.json"), plan);
    expect((await prepare(home)).stdout).toBe("No active upgrade plan found\n");
  });

  test("a wrong checksum, no platform, a text → exit 30, why, and what is missing; nothing in the folder", async () => {
    const home = newHome();
    for (const [info, words] of [
      [
        JSON.stringify({ binaries: { any: `${server.file("/v2", "x")}?checksum=${sha256(PROGRAM)}` } }),
        "Checksums did not match",
      ],
      [JSON.stringify({ binaries: { "plan9/mips": "https://example.com/x" } }), "cannot find binary for os/arch"],
      ["see the forum", "could not parse plan info"],
    ] as const) {
      answer = responseOf({ name: "v2", height: 100n, info });
      const { exit, stdout, stderr } = await prepare(home);
      expect([exit, stdout, stderr]).toEqual([
        30,
        expect.stringMatching(/✗ program +wrong/),
        expect.stringContaining("the upgrade is not prepared: program"),
      ]);
      expect(stdout).toContain(words);
      expect(existsSync(placeOf(home))).toBe(false);
    }
  });

  test("killed in the middle → the next one asks for the rest alone, and leaves nothing else", async () => {
    for (const cut of everyNth(3, [1_000, 1, PROGRAM.length - 1])) {
      const bytes = Buffer.from(PROGRAM);
      const url = server.on("/kill", (request, response, times) => {
        if (times > 0) return sendFile(request, response, { bytes, etag: '"k"' });
        response.writeHead(200, { "content-length": bytes.length, etag: '"k"' });
        response.write(bytes.subarray(0, cut));
      });
      const info = JSON.stringify({ binaries: { any: `${url}?checksum=${sha256(bytes)}` } });
      answer = responseOf({ name: "v2", height: 100n, info });
      const home = newHome();
      const child = start(home, []);
      const ended = new Promise((resolve) => child.once("close", resolve));
      const part = join(home, "cosmovisor/upgrades/v2#part-prepare/download");
      while (!existsSync(part) || readFileSync(part).length < cut)
        await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill("SIGKILL");
      await ended;
      expect(existsSync(placeOf(home))).toBe(false);
      server.requests.length = 0;
      expect(await prepare(home)).toMatchObject({ exit: 0 });
      expect(server.requests).toEqual([`/kill bytes=${cut}-`]);
      expect(readFileSync(placeOf(home), "utf8")).toBe(PROGRAM);
      expect(readdirSync(join(home, "cosmovisor/upgrades"))).toEqual(["v2"]);
    }
  });
});
