/** CometBFT's end by itself, where the sidecar holds its connections. */
import { expect, test } from "vitest";
import { UpgradeError } from "../../../host/base/errors/errors.js";
import { Halt } from "../../../host/upgrade/module/halt.js";
import { heldAgain } from "../../../host/visor/run/hot/restart-engine.js";
import { Board } from "../../../host/visor/status/board.js";
import { statusMachine } from "./status-machine.js";

function held(restartsMax: number, ...ends: (Error | number)[]) {
  const waits: number[] = [];
  const board = new Board(statusMachine.clock);
  const log: string[] = [];
  const stopping = new AbortController();
  let stopAt = Number.POSITIVE_INFINITY;
  const sleep = async (millis: number) => {
    if (waits.push(millis) === stopAt) stopping.abort();
  };
  const of = {
    settings: { restartsMax, restartWindow: 600_000 },
    machine: { clock: { ...statusMachine.clock, now: () => 0, sleep } },
    ...{ board, signal: stopping.signal, log: (level: string, line: string) => log.push(`${level} ${line}`) },
  } as unknown as Parameters<typeof heldAgain>[0];
  const run = () =>
    heldAgain(of, async () => {
      const end = ends.shift() ?? 0;
      if (typeof end === "number") return end;
      throw end;
    });
  const stopInWait = (at: number) => {
    stopAt = at;
  };
  return { run, waits, board, log, stopping, stopInWait };
}

const killed = () => new Halt("UPG_HALT_ENGINE", "CometBFT ended by itself (signal SIGKILL)", 5n);
const lost = () => new Halt("UPG_HALT_WORKER", "worker v2 crashed", 5n);

test("heldAgain() CometBFT ends twice, a worker once → started again after 1, 2 and 4 s; then the last end's status", async () => {
  const { run, waits, board, log } = held(5, killed(), killed(), lost(), 13);
  expect(await run()).toBe(13);
  expect(waits).toEqual([1_000, 2_000, 4_000]);
  expect(board.current.restarts).toBe(3);
  expect(log[0]).toBe(
    "warn CometBFT ended by itself (signal SIGKILL). CometBFT and the application are started again in 1 s",
  );
});

test("heldAgain() more ends than CHAINVISOR_RESTARTS_MAX → fails with 16; with 0 at the first one", async () => {
  const twice = held(1, killed(), killed());
  await expect(twice.run()).rejects.toMatchObject({
    exit: 16,
    message: expect.stringContaining("after 1 restarts in 600 s"),
  });
  const never = held(0, killed());
  await expect(never.run()).rejects.toMatchObject({ exit: 16 });
  expect([twice.waits, never.waits]).toEqual([[1_000], []]);
});

test("heldAgain() a signal while it waits → 0, nothing is started; an end of another kind → is thrown at once", async () => {
  const stopped = held(5, killed(), 7);
  stopped.stopInWait(1);
  expect(await stopped.run()).toBe(0);
  const wrong = held(5, new UpgradeError("UPG_INVALID_CONFIG", "no cometbft"));
  await expect(wrong.run()).rejects.toMatchObject({ code: "UPG_INVALID_CONFIG" });
  expect(wrong.waits).toEqual([]);
});
