/** Lines of a node's log, as `localnet start` shows them. */
import { expect, test } from "vitest";
import { eventOf, isOfComet, lineOf } from "../../../../host/cli/localnet/lines.js";

const TIME = "2026-01-01T00:00:00.000Z";
const app = (entry: object) => JSON.stringify({ time: TIME, level: "info", source: "node", ...entry });

const HALT = { last_committed_height: "8", next: "Start the new version." };

test.each([
  [app({ height: "7", app_hash: "ab", message: "block committed" }), "node1   block 7  app hash AB"],
  [app({ plan: "v2", ms: 5, message: "upgrade applied" }), "node1   upgrade applied plan=v2 ms=5"],
  [app({ level: "warn", message: "take care" }), "node1   WARN take care"],
  [
    app({ level: "error", source: "engine", message: "CONSENSUS FAILURE!!!", module: "consensus" }),
    "node1   ERROR CometBFT: CONSENSUS FAILURE!!! module=consensus",
  ],
  [
    app({ level: "error", message: "m", code: "UPG_HALT_UPGRADE_NEEDED", height: "9", ...HALT }),
    "node1   halt at height 9: UPG_HALT_UPGRADE_NEEDED; Start the new version.",
  ],
  [
    app({ level: "error", message: "m", code: "UPG_STORE_CORRUPT", cause: "local", next: "Find what is damaged." }),
    "node1   halt: UPG_STORE_CORRUPT; Find what is damaged.",
  ],
])("eventOf(%j) → %j", (line, shown) => {
  const event = eventOf("node1", line);
  expect(event && lineOf(event, 6)).toBe(shown);
});

test.each([
  app({ level: "debug", message: "debug" }),
  app({ source: "engine", message: "finalized block" }),
  "{ no JSON",
  "",
  "null",
])("eventOf(%j) → only in the node's log", (line) => {
  expect(eventOf("node1", line)).toBeUndefined();
});

test("why a node does not start → its own line, as an error", () => {
  expect(eventOf("n", "Error: the home is locked [UPG_STORE_LOCKED]")).toEqual({
    ...{ node: "n", event: "log", level: "error", message: "the home is locked [UPG_STORE_LOCKED]" },
  });
  expect(isOfComet("Error: the home is locked")).toBe(false);
  expect(isOfComet(app({ message: "a" }))).toBe(false);
  expect(isOfComet(app({ source: "engine", message: "a" }))).toBe(true);
});

test("how a node ends → its status or its signal, and where its log is", () => {
  const end = { node: "n", event: "end", log: "n.log" } as const;
  expect(lineOf({ ...end, exit: 10, signal: null }, 1)).toBe("n  ended with exit status 10; log: n.log");
  expect(lineOf({ ...end, exit: null, signal: "SIGKILL" }, 1)).toBe("n  ended by SIGKILL; log: n.log");
});
