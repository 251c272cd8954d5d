/** Addresses of this machine, and of others. */
import { expect, test } from "vitest";
import { isOfThisMachine } from "../../../../host/node/remote/client.js";

test.each([
  ["tcp://127.0.0.1:26657", true],
  ["127.8.0.1:1", true],
  ["http://localhost:1", true],
  ["tcp://[::1]:1", true],
  ["tcp://10.0.0.1:26657", false],
  ["http://127.0.0.1.example:1", false],
  ["tcp://cometbft:26657", false],
])("isOfThisMachine() %s → %s", (address, isHere) => {
  expect(isOfThisMachine(address)).toBe(isHere);
});
