/** One request to stop that arrives twice, and two requests. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StopRequests } from "../../../../host/base/terminal/stop-requests.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate"] }));
afterEach(() => vi.useRealTimers());

test("signals within 500 ms of the first → the same request, whichever they are; later → at once", () => {
  const requests = new StopRequests();
  expect(requests.take("SIGINT")).toBe("stop");
  vi.advanceTimersByTime(490);
  expect([requests.take("SIGINT"), requests.take("SIGTERM")]).toEqual(["again", "again"]);
  vi.advanceTimersByTime(20);
  expect(requests.take("SIGINT")).toBe("at once");
});

test("SIGHUP → asks to stop, and is neither a first request nor a second one", () => {
  const requests = new StopRequests();
  expect(requests.take("SIGHUP")).toBe("stop");
  vi.advanceTimersByTime(1_000);
  expect(requests.take("SIGTERM")).toBe("stop");
  vi.advanceTimersByTime(1_000);
  expect([requests.take("SIGHUP"), requests.take("SIGTERM")]).toEqual(["stop", "at once"]);
});

test("an event loop that was blocked for longer → signals that arrived in between are the same request", async () => {
  vi.useRealTimers();
  const requests = new StopRequests();
  const taken: string[] = [];
  const hear = (signal: NodeJS.Signals) => void taken.push(requests.take(signal));
  process.on("SIGUSR2", hear);
  try {
    process.kill(process.pid, "SIGUSR2");
    while (taken.length < 1) await new Promise((resolve) => setTimeout(resolve, 1));
    process.kill(process.pid, "SIGUSR2");
    const end = performance.now() + 700;
    while (performance.now() < end);
    while (taken.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(taken).toEqual(["stop", "again"]);
  } finally {
    process.off("SIGUSR2", hear);
  }
});
