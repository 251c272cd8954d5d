/** Proxies of the environment, as operators set them: HTTP_PROXY and HTTPS_PROXY, but for what NO_PROXY names and this machine. */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { fetchProgram } from "../../../../host/visor/download/fetch-program.js";
import { fetchOptions, infoOf, refusalOf, sha256, useScratch } from "./fetching.js";
import { HttpServer } from "./http-server.js";

useScratch();

const PROGRAM = "#!/bin/sh\nexit 0\n";
const NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];
const before = new Map(NAMES.map((name) => [name, process.env[name]]));
let server: HttpServer;
let proxy: Server;
const tunnels: string[] = [];

beforeAll(async () => {
  server = await HttpServer.start();
  proxy = createServer((_, response) => void response.writeHead(405).end());
  proxy.on("connect", (request, socket) => {
    tunnels.push(request.url ?? "");
    // Every name is this machine's server here.
    const to = connect(server.port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      to.pipe(socket).pipe(to);
    });
    for (const each of [to, socket]) each.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await server.close();
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
});
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test("fetchProgram() with HTTP_PROXY → through it; not this machine's, nor what NO_PROXY names", async () => {
  for (const name of NAMES) delete process.env[name];
  process.env["HTTP_PROXY"] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  server.file("/v2", PROGRAM);
  const url = `http://programs.example/v2?checksum=${sha256(PROGRAM)}`;
  const { file } = await fetchProgram(fetchOptions(infoOf(url)));
  expect(readFileSync(file, "utf8")).toBe(PROGRAM);
  expect(tunnels).toEqual(["programs.example:80"]);
  await fetchProgram(fetchOptions(infoOf(server.url("/v2"))));
  expect(tunnels).toHaveLength(1);
  process.env["NO_PROXY"] = "programs.invalid";
  const direct = fetchOptions(infoOf("http://programs.invalid/v2"), { attemptsMax: 1 });
  expect(await refusalOf(direct)).toMatch(/^UPG_REMOTE_UNAVAILABLE/);
  expect(tunnels).toHaveLength(1);
});
