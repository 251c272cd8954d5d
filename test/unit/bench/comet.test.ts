/** The parts of the benches of CometBFT that need none. */
import { describe, expect, test } from "vitest";
import { CALLS, Engine } from "../../../bench/comet/engine.js";
import { commitsOf, upgradeTimes, workerEndedAt } from "../../../bench/comet/upgrade-times.js";
import { serve, TIME } from "../node/comet/served.js";

const committed = (height: number, time: number) =>
  JSON.stringify({
    time: new Date(time).toISOString(),
    level: "info",
    message: "block committed",
    height: String(height),
  });

describe("upgradeTimes()", () => {
  const node = (offset: number, ...more: readonly string[]) => ({
    logs: [
      ["I[2026-01-01] CometBFT", committed(8, 500), committed(9, 1_000 + offset), "{"].join("\n"),
      [committed(10, 2_500 + 10 * offset), committed(11, 2_700 + offset), ...more].join("\n"),
    ],
    endedAt: 1_200 + offset,
  });

  test("of two nodes, whichever was first → from the first commit before the height to the last one after it", () => {
    const expected = { whole: 1_705, down: 1_505, spread: 50 };
    expect(upgradeTimes([node(0), node(5)], 10)).toEqual(expected);
    expect(upgradeTimes([node(5), node(0, committed(12, 2_900))], 10)).toEqual(expected);
  });

  test("a node that does not say so → an error that names it and the block", () => {
    expect(() => upgradeTimes([node(0), { logs: [committed(9, 1)], endedAt: 2 }], 10)).toThrow(
      "node 1 did not say that it committed block 11",
    );
    expect(commitsOf("").size).toBe(0);
  });

  test("workerEndedAt() of a relay's log → its time; of one whose worker goes on → an error", () => {
    const line = (message: string) => JSON.stringify({ time: new Date(7).toISOString(), level: "info", message });
    expect(workerEndedAt(`${line("worker before ended with 10 at height 9")}\n`)).toBe(7);
    expect(() => workerEndedAt(line("worker before ended with 12 at height 9"))).toThrow("no worker ended with 10");
  });
});

describe("Engine", () => {
  const CHAIN = { chainId: "scenario-1", time: TIME, votes: [{ address: new Uint8Array(20), power: 1n }] };

  test("emptyBlock() of an application over a socket → a time for each call; the next height each time", async () => {
    const { server } = await serve();
    const engine = await Engine.begin(server.address, CHAIN);
    for (const height of [1n, 2n]) {
      const millis = await engine.emptyBlock();
      expect(Object.keys(millis)).toEqual(CALLS);
      expect(Object.values(millis).every((each) => each > 0)).toBe(true);
      expect(engine.height).toBe(height);
    }
    engine.end();
  });

  test("begin() of another chain → what the application says", async () => {
    const { server } = await serve();
    await expect(Engine.begin(server.address, { ...CHAIN, chainId: "other" })).rejects.toThrow("initChain: the engine");
  });
});
