/** Lines of a node's log, as `localnet start` shows them. */
import { expect, test } from "vitest";
import { eventOf, isOfComet, lineOf } from "../../../host/localnet/lines.js";

const app = (entry: object) => JSON.stringify({ level: 30, time: 1, ...entry });

test.each([
  [app({ height: "7", app_hash: "ab", msg: "block committed" }), "node1   block 7  app hash AB"],
  [app({ plan: "v2", ms: 5, msg: "upgrade applied" }), "node1   upgrade applied plan=v2 ms=5"],
  [app({ level: 40, msg: "take care" }), "node1   WARN take care"],
  [
    "E[2026-01-01|00:00:00.000] CONSENSUS FAILURE!!!  module=consensus",
    "node1   ERROR CometBFT: CONSENSUS FAILURE!!!  module=consensus",
  ],
  [
    JSON.stringify({ v: 1, code: "UPG_HALT_UPGRADE_NEEDED", height: "9", next: "Start the new version." }),
    "node1   halt at height 9: UPG_HALT_UPGRADE_NEEDED; Start the new version.",
  ],
])("eventOf(%j) → %j", (line, shown) => {
  const event = eventOf("node1", line);
  expect(event && lineOf(event, 6)).toBe(shown);
});

test.each([app({ level: 20, msg: "debug" }), "I[2026-01-01|00:00:00.000] finalized block", "{ no JSON", "", "null"])(
  "eventOf(%j) → only in the node's log",
  (line) => {
    expect(eventOf("node1", line)).toBeUndefined();
  },
);

test("why a node does not start → its own line, as an error", () => {
  expect(eventOf("n", "Error: the home is locked [UPG_STORE_LOCKED]")).toEqual({
    ...{ node: "n", event: "log", level: "error", message: "the home is locked [UPG_STORE_LOCKED]" },
  });
  expect(isOfComet("Error: the home is locked")).toBe(false);
});

test("how a node ends → its status or its signal, and where its log is", () => {
  const end = { node: "n", event: "end", log: "n.log" } as const;
  expect(lineOf({ ...end, exit: 10, signal: null }, 1)).toBe("n  ended with exit status 10; log: n.log");
  expect(lineOf({ ...end, exit: null, signal: "SIGKILL" }, 1)).toBe("n  ended by SIGKILL; log: n.log");
});
