/** Clients that ask for much, many times ahead, and read nothing: the process keeps to the bytes that may be unread. */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { genesisDocument } from "../scenario/genesis-text.js";
import { type Running, TestHome } from "./chaind.js";

const SOCKETS = 400;
const AHEAD = 10;
/** What the sockets and their requests need, and what the collector has not freed yet. */
const BESIDES_MEBIBYTES = 96;
/** What may be unread unless a setting says otherwise, of responses that are made for each request. */
const UNREAD_MEBIBYTES = 128;

let running: Running;
let rpc: URL;

/** A document of 1 MB: 400 times 10 of them are 4 GB. */
const genesis = () => JSON.stringify({ ...genesisDocument(), app_name: "x".repeat(1_000_000) });

const mebibytes = () =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${running.child.pid}/status`, "utf8"))?.[1]) / 1_024;

function flood(path: string): Socket[] {
  return Array.from({ length: SOCKETS }, () => {
    const socket = connect(Number(rpc.port), rpc.hostname).pause();
    socket.on("error", () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(AHEAD));
    return socket;
  });
}

beforeAll(async () => {
  const home = new TestHome(genesis());
  running = home.startSlowly("--rpc.enable=true", "--rpc.laddr", "tcp://127.0.0.1:0");
  await running.says("block made");
  rpc = new URL((JSON.parse(readFileSync(home.data("addresses.json"), "utf8")) as { rpc: string }).rpc);
});

afterAll(async () => {
  running.child.kill("SIGTERM");
  expect((await running.end).exit).toBe(0);
});

// Another system does not say what a process has.
for (const [path, growth] of [
  // All have the same bytes.
  ["/genesis", BESIDES_MEBIBYTES],
  ["/genesis_chunked", BESIDES_MEBIBYTES + UNREAD_MEBIBYTES],
] as const) {
  test.runIf(process.platform === "linux")(
    `${SOCKETS} sockets with ${AHEAD} requests for ${path} that are never read → at most ${growth} MiB more memory, and others are served`,
    async () => {
      const url = `http://${rpc.host}`;
      expect((await fetch(`${url}${path}`)).status).toBe(200);
      const before = mebibytes();
      const sockets = flood(path);
      let most = 0;
      for (const end = performance.now() + 2_000; performance.now() < end; await sleep(20))
        most = Math.max(most, mebibytes());
      expect((await fetch(`${url}/health`)).status).toBe(200);
      expect(most - before).toBeLessThan(growth);
      for (const socket of sockets) socket.destroy();
      await expect.poll(async () => (await fetch(`${url}${path}`)).status, { timeout: 20_000 }).toBe(200);
    },
  );
}
