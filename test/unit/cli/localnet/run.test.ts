/** `localnet start`: processes in the place of nodes, and what is left of this process's own work when all have ended. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { NodeEvent } from "../../../../host/cli/localnet/lines.js";
import type { LocalNode } from "../../../../host/cli/localnet/network.js";
import { runNetwork } from "../../../../host/cli/localnet/run.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-localnet run-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Ends when it is asked to stop; node0 with 10, as soon as the other can be asked. */
const PROGRAM = `
const { existsSync, writeFileSync } = require("node:fs");
const [home] = process.argv.slice(4);
process.on("SIGTERM", () => process.exit(0));
const log = (level, source, message) =>
  process.stderr.write(JSON.stringify({ time: "2026-01-01T00:00:00.000Z", level, source, message }) + "\\n");
log("info", "node", "up");
log("error", "engine", "before");
writeFileSync(home + "/ready", "");
setInterval(() => {
  if (home.endsWith("node0") && existsSync(home.replace("node0", "node1/ready"))) {
    log("info", "node", "holding at the height: ends");
    log("error", "engine", "CONSENSUS FAILURE!!!");
    process.exit(10);
  }
}, 10);
`;

function nodes(count: number): LocalNode[] {
  const ports = { p2p: 1, rpc: 2, api: 3, grpc: 4 };
  return Array.from({ length: count }, (_, index) => {
    mkdirSync(join(root, `node${index}`), { recursive: true });
    return { name: `node${index}`, home: `node${index}`, node_id: "", address: "", operator_address: "", ...ports };
  });
}

afterEach(() => vi.useRealTimers());

test("--all-or-none, one node ends with 10 → the other is stopped, the status is 10, errors of CometBFT after the halt are not shown, no timer is left", async () => {
  const script = join(root, "program.cjs");
  writeFileSync(script, PROGRAM);
  const events: NodeEvent[] = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const exit = await runNetwork({
    ...{ folder: root, nodes: nodes(2), command: [process.execPath, script], flags: [], isAllOrNone: true },
    onEvent: (event) => events.push(event),
  });
  expect(exit).toBe(10);
  const begun = events.filter(({ event }) => event === "start").map(({ node, pid, home }) => [node, typeof pid, home]);
  expect(begun.sort()).toEqual(["node0", "node1"].map((node) => [node, "number", join(root, node)]));
  expect(events.filter(({ event }) => event === "end").map(({ node, exit: status }) => [node, status])).toEqual([
    ["node0", 10],
    ["node1", 0],
  ]);
  // The failure of consensus that a halt leads to is in its log alone.
  const shown = events.filter(({ node, event }) => node === "node0" && event === "log").map(({ message }) => message);
  expect(shown).toEqual(["up", "CometBFT: before", "holding at the height: ends"]);
  expect(readFileSync(join(root, "node0/node.log"), "utf8")).toContain("CONSENSUS FAILURE!!!");
  expect(vi.getTimerCount()).toBe(0);
});
