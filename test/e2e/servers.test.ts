/** The servers of `chaind start` as a process: where they are, when they open, and how they close. */
import { existsSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Running, TestHome } from "./chaind.js";

const ON = ["--rpc.enable=true", "--grpc.enable=true", "--api.enable=true"];
const FREE = [
  ...ON,
  ...["--rpc.laddr", "tcp://127.0.0.1:0", "--grpc.address", "127.0.0.1:0", "--api.address", "tcp://127.0.0.1:0"],
];

interface Addresses {
  readonly rpc: string;
  readonly grpc: string;
  readonly api: string;
}

async function addresses(home: TestHome, running: Running): Promise<Addresses> {
  await running.says("servers open");
  return JSON.parse(readFileSync(home.data("addresses.json"), "utf8")) as Addresses;
}

const http = (address: string) => address.replace("tcp:", "http:");

describe("chaind start, servers", () => {
  test("free ports → printed in a log line and in addresses.json, which goes with the process", async () => {
    const home = new TestHome();
    const running = home.startSlowly(...FREE);
    const { rpc, grpc, api } = await addresses(home, running);
    expect(rpc).toMatch(/^tcp:\/\/127\.0\.0\.1:[1-9][0-9]+$/);
    expect(grpc).toMatch(/^127\.0\.0\.1:[1-9][0-9]+$/);
    await running.says("block made");
    expect((await fetch(`${http(api)}/readyz`)).status).toBe(200);
    const status = (await (await fetch(`${http(rpc)}/status`)).json()) as { result: { node_info: object } };
    expect(status.result.node_info).toMatchObject({ network: "scenario-1", listen_addr: rpc });
    running.child.kill("SIGTERM");
    const end = await running.end;
    expect(end.exit, end.stderr).toBe(0);
    expect(existsSync(home.data("addresses.json"))).toBe(false);
  });

  test("a port that is in use → the flag by name, exit 2, no block made", async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) =>
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port)),
    );
    for (const [flag, address] of [
      ["--rpc.laddr", `tcp://127.0.0.1:${port}`],
      ["--grpc.address", `127.0.0.1:${port}`],
      ["--api.address", `tcp://127.0.0.1:${port}`],
    ] as const) {
      const home = new TestHome();
      const end = await home.startSlowly(...FREE, flag, address).end;
      expect(end.exit, end.stderr).toBe(2);
      expect(end.stderr).toContain(`${flag}: cannot listen on 127.0.0.1:${port}`);
      expect(end.stderr).toContain("UPG_INVALID_CONFIG");
      expect(home.last.height).toBe("0");
    }
    taken.close();
  });

  test("an address that is none → exit 2; servers that are off listen nowhere", async () => {
    const wrong = await new TestHome().startSlowly(...FREE, "--rpc.laddr", "nonsense").end;
    expect(wrong.exit).toBe(2);
    const home = new TestHome();
    const running = home.startSlowly("--api.enable=true", "--api.address", "tcp://127.0.0.1:0");
    const told = await addresses(home, running);
    expect(Object.keys(told)).toEqual(["api"]);
    running.child.kill("SIGTERM");
    expect((await running.end).exit).toBe(0);
  });

  test("SIGTERM with idle and half-sent connections open → the node ends all the same", async () => {
    const home = new TestHome();
    const running = home.startSlowly(...FREE);
    const { rpc, grpc, api } = await addresses(home, running);
    const ports = [rpc, grpc, api].map((address) => Number(address.slice(address.lastIndexOf(":") + 1)));
    const sockets = ports.map((port) => connect(port, "127.0.0.1"));
    for (const socket of sockets) {
      socket.on("error", () => undefined);
      socket.write("GET /status HTTP/1.1\r\nhost: x\r\n");
    }
    await running.says("block made");
    running.child.kill("SIGTERM");
    const end = await running.end;
    expect(end.exit, end.stderr).toBe(0);
    for (const socket of sockets) socket.destroy();
  });

  test("--create-empty-blocks=false → the first block, one whose header proves it, and no more until something is to be done", async () => {
    const home = new TestHome();
    const running = home.startSlowly(...FREE, "--create-empty-blocks=false");
    const { rpc } = await addresses(home, running);
    await running.says("block made");
    const height = async () => {
      const { result } = (await (await fetch(`${http(rpc)}/status`)).json()) as {
        result: { sync_info: { latest_block_height: string } };
      };
      return result.sync_info.latest_block_height;
    };
    while ((await height()) !== "2") await sleep(20);
    // Ten times the time of a block.
    await sleep(500);
    expect(await height()).toBe("2");
    running.child.kill("SIGTERM");
    expect((await running.end).exit).toBe(0);
    expect(home.last.height).toBe("2");
  });

  test("two nodes on one home → the second says that the home is taken", async () => {
    const home = new TestHome();
    const first = home.startSlowly(...FREE);
    await addresses(home, first);
    const second = await home.startSlowly(...FREE).end;
    expect(second.exit).toBe(30);
    expect(second.stderr).toContain("UPG_STORE_LOCKED");
    first.child.kill("SIGTERM");
    expect((await first.end).exit).toBe(0);
  });
});
