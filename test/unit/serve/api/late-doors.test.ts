/** When a node with CometBFT opens its servers, and what becomes of them. */
import { createServer } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LateDoors } from "../../../../host/serve/limits/late-servers.js";
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
  return { done, doors: new LateDoors(open) };
}

describe("LateDoors", () => {
  test("begin() → opened once; close() → closed", async () => {
    const { done, doors } = noted();
    expect(done).toEqual([]);
    doors.beginSoon();
    await Promise.all([doors.begin(), doors.begin()]);
    expect(done).toEqual(["opened"]);
    await doors.close();
    expect(done).toEqual(["opened", "closed"]);
  });

  test("close() before begin() → never opened, also not by a late begin()", async () => {
    vi.useFakeTimers();
    const { done, doors } = noted();
    await doors.close();
    await doors.begin();
    vi.advanceTimersByTime(60_000);
    expect(done).toEqual([]);
  });

  test("nobody asks anything → opened after two seconds", async () => {
    vi.useFakeTimers();
    const { done, doors } = noted();
    vi.advanceTimersByTime(1_999);
    expect(done).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(done).toEqual(["opened"]);
    await doors.close();
  });

  test("they cannot be opened → `failed` rejects with the reason, close() does not", async () => {
    const { doors } = noted(new Error("the port is in use"));
    await expect(doors.begin()).rejects.toThrow("the port is in use");
    await expect(doors.failed).rejects.toThrow("the port is in use");
    await doors.close();
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
