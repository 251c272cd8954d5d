/** A node of `localnet` ends with the process that started it, also one that ends while the node is still being loaded. */
import { EventEmitter } from "node:events";
import { expect, test, vi } from "vitest";
import { endWithParent } from "../../../../host/base/terminal/end-with-parent.js";

function started(connected: boolean | undefined) {
  const channel = { unref: vi.fn() };
  const self = Object.assign(new EventEmitter(), { pid: 7, kill: vi.fn(), channel: connected ? channel : null });
  endWithParent(connected === undefined ? self : Object.assign(self, { connected }));
  return { self, channel };
}

test("the channel closes → SIGTERM; it does not keep the node from ending before", () => {
  const { self, channel } = started(true);
  expect([self.kill.mock.calls, channel.unref.mock.calls.length]).toEqual([[], 1]);
  self.emit("disconnect");
  expect(self.kill.mock.calls).toEqual([[7, "SIGTERM"]]);
});

test("it was closed before → SIGTERM at once; there never was one → nothing", () => {
  expect(started(false).self.kill.mock.calls).toEqual([[7, "SIGTERM"]]);
  expect(started(undefined).self.kill.mock.calls).toEqual([]);
});
