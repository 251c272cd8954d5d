/** How long a node that has halted holds for its supervisor. */
import { describe, expect, test } from "vitest";
import { UpgradeError } from "../../../../host/base/errors/errors.js";
import { haltLingerTime } from "../../../../host/cli/flags/halt-linger-flag.js";
import { HaltLinger } from "../../../../host/node/home/halt-linger.js";
import { Halt } from "../../../../host/upgrade/module/halt.js";

const NEEDED = new Halt("UPG_HALT_UPGRADE_NEEDED", 'UPGRADE "v2" NEEDED', 7n);
const LONG = { millis: 3_600_000, isAsked: false };
const HEIGHT = new Halt("UPG_HALT_HEIGHT", "halt-height", 7n);

describe("HaltLinger", () => {
  test("an upgrade is needed, or the same binary again → holds once, until it is asked to stop; the log says how it ends", async () => {
    for (const error of [NEEDED, new Halt("UPG_HALT_RESTART", "again", 7n)]) {
      const lines: string[] = [];
      const linger = new HaltLinger(LONG, (_, message) => lines.push(message));
      const stop = new AbortController();
      let isOver = false;
      const held = linger.before(error, stop.signal).then(() => {
        isOver = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(isOver).toBe(false);
      stop.abort();
      await held;
      expect(lines).toEqual([expect.stringContaining(`ends with ${error.kind.exit} in at most 3600 s`)]);
      await linger.before(error, new AbortController().signal);
      expect(lines).toHaveLength(1);
    }
  });

  test("the time is over, or the stop was asked for before → ends by itself", async () => {
    await new HaltLinger({ millis: 1, isAsked: true }, () => undefined).before(NEEDED, new AbortController().signal);
    await new HaltLinger(LONG, () => undefined).before(NEEDED, AbortSignal.abort());
  });

  test("no supervisor, or an end that no file names → none", () => {
    expect(new HaltLinger({ millis: 0, isAsked: true }, () => undefined).holds(NEEDED)).toBe(false);
    const linger = new HaltLinger(LONG, () => undefined);
    const others = [HEIGHT, new UpgradeError("UPG_STORE_IO", "disk"), new Error("another"), undefined];
    for (const error of others) expect(linger.holds(error)).toBe(false);
  });

  test("--halt-height, where the flag asks for a time → holds too: a peer may lack this node's vote; a supervisor alone → not", () => {
    expect(new HaltLinger({ ...LONG, isAsked: true }, () => undefined).holds(HEIGHT)).toBe(true);
    expect(new HaltLinger(LONG, () => undefined).holds(HEIGHT)).toBe(false);
  });
});

test("haltLingerTime: the flag → its time; DAEMON_NAME → 30 s and two intervals; neither → 3 s with CometBFT, else 0", () => {
  const supervised = (millis: number) => ({ millis, isAsked: false });
  const alone = (millis: number) => ({ ...supervised(millis), isForPeers: millis > 0 });
  expect(haltLingerTime({}, {})).toEqual(alone(0));
  expect(haltLingerTime({}, { DAEMON_NAME: "" })).toEqual(alone(0));
  expect(haltLingerTime({}, {}, true)).toEqual(alone(3_000));
  expect(haltLingerTime({ haltLinger: 0n }, {}, true)).toEqual({ millis: 0, isAsked: true });
  expect(haltLingerTime({}, { DAEMON_NAME: "chaind" }, true)).toEqual(supervised(30_000));
  expect(haltLingerTime({}, { DAEMON_NAME: "chaind" })).toEqual(supervised(30_000));
  const polled = (interval: string) => haltLingerTime({}, { DAEMON_NAME: "chaind", DAEMON_POLL_INTERVAL: interval });
  expect(polled("1m30s")).toEqual(supervised(210_000));
  expect(polled("often")).toEqual(supervised(30_000));
  expect(haltLingerTime({ haltLinger: 0n }, { DAEMON_NAME: "chaind" })).toEqual({ millis: 0, isAsked: true });
  expect(haltLingerTime({ haltLinger: 1_500_000_000n }, {})).toEqual({ millis: 1_500, isAsked: true });
});
