/** When a node with CometBFT opens its servers, and what becomes of them. */
import { createServer } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LateServers } from "../../../../host/serve/limits/late-servers.js";
import { listen, requireFree } from "../../../../host/serve/limits/listen.js";

afterEach(() => void vi.useRealTimers());

/** Servers that note what is done with them. */
function noted(failure?: Error) {
  const done: string[] = [];
  const open = async () => {
    done.push("opened");
    if (failure) throw failure;
    return { close: async () => void done.push("closed") };
  };
  return { done, servers: new LateServers(open) };
}

describe("LateServers", () => {
  test("begin() → opened once; close() → closed", async () => {
    const { done, servers } = noted();
    expect(done).toEqual([]);
    servers.beginSoon();
    await Promise.all([servers.begin(), servers.begin()]);
    expect(done).toEqual(["opened"]);
    await servers.close();
    expect(done).toEqual(["opened", "closed"]);
  });

  test("close() before begin() → never opened, also not by a late begin()", async () => {
    vi.useFakeTimers();
    const { done, servers } = noted();
    await servers.close();
    await servers.begin();
    vi.advanceTimersByTime(60_000);
    expect(done).toEqual([]);
  });

  test("nobody asks anything → opened after two seconds", async () => {
    vi.useFakeTimers();
    const { done, servers } = noted();
    vi.advanceTimersByTime(1_999);
    expect(done).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(done).toEqual(["opened"]);
    await servers.close();
  });

  test("they cannot be opened → `failed` rejects with the reason, close() does not", async () => {
    const { servers } = noted(new Error("the port is in use"));
    await expect(servers.begin()).rejects.toThrow("the port is in use");
    await expect(servers.failed).rejects.toThrow("the port is in use");
    await servers.close();
  });
});

test("requireFree() → nothing where the address can be had, and it can be had after; UPG_INVALID_CONFIG naming the flag where it is taken", async () => {
  const server = createServer();
  const address = await listen(server, { host: "127.0.0.1", port: 0 }, "--api.address");
  await expect(requireFree(address, "--api.address")).rejects.toMatchObject({
    code: "UPG_INVALID_CONFIG",
    message: expect.stringMatching(/^--api\.address: cannot listen on 127\.0\.0\.1:\d+: the port is in use/),
  });
  await new Promise((resolve) => server.close(resolve));
  await requireFree(address, "--api.address");
  await requireFree(address, "--api.address");
});
