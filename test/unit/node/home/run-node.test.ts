/** The pace of a node that runs by the clock. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { wallClock } from "../../../../host/node/embedded/clock.js";
import { openNode } from "../../../../host/node/open/open-node.js";
import { runNode } from "../../../../host/node/open/run-node.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisText } from "../../../scenario/genesis-text.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-run-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());

const BLOCKS = 5;

test("runNode() a block time longer than a timer counts → it waits after the first block, and hears the signal", async () => {
  const home = join(root, "home");
  makeHome(home, genesisText());
  const open = openNode({
    chain: exampleChain,
    home,
    clock: wallClock,
    handlers: join(home, "none"),
    log: () => undefined,
  });
  const stop = new AbortController();
  const heights: bigint[] = [];
  const run = runNode(open, {
    ...{ blockMillis: 3 * 2 ** 31, maxBlocks: BLOCKS, signal: stop.signal, onWarning: () => undefined },
    onBlock: ({ stored }) => heights.push(stored.header.height),
  });
  try {
    expect(await Promise.race([run.then(() => "ended"), sleep(300).then(() => "waits")])).toBe("waits");
    stop.abort();
    await run;
    expect(heights).toEqual([1n]);
  } finally {
    open.close();
  }
});

test("runNode() while the machine's clock is set back by three days, and forward by a year → no block waits, times ascend", async () => {
  const home = join(root, "clock");
  makeHome(home, genesisText());
  const open = openNode({
    chain: exampleChain,
    home,
    clock: wallClock,
    handlers: join(home, "none"),
    log: () => undefined,
  });
  const stop = new AbortController();
  const now = Date.now();
  const days = [0, -3, 365, -3, 0];
  const times: bigint[] = [];
  const run = runNode(open, {
    ...{ blockMillis: 1, maxBlocks: BLOCKS, signal: stop.signal, onWarning: () => undefined },
    onBegin: () => void vi.spyOn(Date, "now").mockReturnValue(now + (days[times.length] ?? 0) * 86_400_000),
    onBlock: ({ stored: { header } }) => times.push(header.time.seconds * 1_000_000_000n + BigInt(header.time.nanos)),
  });
  try {
    expect(await Promise.race([run.then(() => "ended"), sleep(20_000).then(() => "waits")])).toBe("ended");
    expect(times.length).toBe(BLOCKS);
    expect(times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0n))).toBe(true);
  } finally {
    stop.abort();
    await run;
    open.close();
  }
}, 60_000);
