/** What the relay does before an upgrade's height, and a process that is started before its turn. */
import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { untilCalled } from "../../../../host/base/terminal/standby.js";
import { Layout, type Program } from "../../../../host/node/programs/layout.js";
import type { Plan } from "../../../../host/visor/decide/decision/plan-file.js";
import { BeforeHeight, type StandbyWorker } from "../../../../host/visor/hot/before-height.js";
import type { Worker } from "../../../../host/visor/hot/worker.js";
import { NO_HOOKS } from "./network.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-ahead-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());
const ENDED = { exit: 0, signal: null, error: undefined };
let homes = 0;

function ahead({
  problem,
  checking = Promise.resolve(),
  isReady = true,
  isPreparedByOthers = false,
}: {
  problem?: string;
  /** A check lasts until then. */
  checking?: Promise<void>;
  isReady?: boolean;
  isPreparedByOthers?: boolean;
} = {}) {
  let isCheckedByOthers = false;
  const home = join(root, `h${homes++}`);
  const options = { home, name: "chaind", program: undefined, upgrades: new Map<string, string>(), own: "/own" };
  const layout = new Layout({ ...options, isCaseKept: false });
  const log: string[] = [];
  const [started, stopped, asked] = [[] as string[], [] as string[], [] as string[]];
  const worker = (program: Program): StandbyWorker => ({
    ...{ program, pid: undefined, isReady, ended: new Promise(() => undefined) },
    lastBlock: async () => undefined,
    plan: async () => plan,
    connect: () => Promise.reject(new Error("nobody")),
    stop: async () => {
      stopped.push(program.name);
      return ENDED;
    },
  });
  let plan: Plan | undefined = { name: "v2", height: 100n, info: "" };
  const made = new BeforeHeight({
    layout,
    startStandby: (program) => {
      started.push(program.name);
      return worker(program);
    },
    problemOf: async ({ name }) => {
      asked.push(name);
      await checking;
      return problem;
    },
    hooks: { ...NO_HOOKS, preparation: isPreparedByOthers ? { isChecked: () => isCheckedByOthers } : undefined },
    log: (level, message) => log.push(`${level} ${message}`),
  });
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const current: Worker = worker({ name: "genesis", file: "/old", folder: undefined });
  let last = 0n;
  /** Blocks of three seconds; where there is none, two looks. */
  const look = (height: bigint, millis = Math.max(3_000 * Number(height - last), 3_000)) => {
    now += millis;
    last = height;
    return made.look(current, height);
  };
  const put = (text: string) => {
    const { file } = layout.of("v2");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n# ${text}\n`, { mode: 0o755 });
  };
  const checkByOthers = () => {
    isCheckedByOthers = true;
  };
  const schedule = (next: Plan | undefined) => {
    plan = next;
  };
  return { ahead: made, program: layout.of("v2"), look, put, schedule, checkByOthers, log, started, stopped, asked };
}

describe("BeforeHeight", () => {
  test("a program that is missing → said once; there, and the height far → said; in the last 30 blocks → asked, started, taken", async () => {
    const { ahead: made, program, look, put, log, started, asked } = ahead();
    await look(10n);
    await look(11n);
    expect(log).toEqual([
      `warn the upgrade "v2" is due at height 100, and ${program.file} is missing: put it there before, ` +
        `\`mkdir -p ${dirname(program.file)} && cp NEW_PROGRAM ${program.file}.new && mv ${program.file}.new ${program.file}\``,
    ]);
    put("a");
    await look(69n);
    expect(log[1]).toBe(`info the upgrade "v2" is due at height 100: ${program.file} takes over`);
    expect([started, made.isChecked(program)]).toEqual([[], false]);
    await look(70n);
    await look(71n);
    expect([started, asked, made.isChecked(program)]).toEqual([["v2"], ["v2"], true]);
    expect((await made.take(program))?.program.name).toBe("v2");
    expect(await made.take(program)).toBeUndefined();
  });

  test("the turn comes while the program is still checked → none is started before its turn any more", async () => {
    let checked = () => {};
    const checking = new Promise<void>((resolve) => {
      checked = resolve;
    });
    const { ahead: made, program, look, put, started, asked } = ahead({ checking });
    put("a");
    const looked = look(99n);
    await vi.waitFor(() => expect(asked).toEqual(["v2"]));
    expect(await made.take(program)).toBeUndefined();
    checked();
    await looked;
    expect([started, made.isChecked(program)]).toEqual([[], false]);
  });

  test("others report what is missing → nothing is said of it; what is there takes over", async () => {
    const { ahead: made, program, look, put, log, checkByOthers, started, asked } = ahead({ isPreparedByOthers: true });
    await look(10n);
    await look(11n);
    expect(log).toEqual([]);
    put("a");
    await look(12n);
    expect(log).toEqual([`info the upgrade "v2" is due at height 100: ${program.file} takes over`]);
    // They say whether it can take over: it is not asked a second time.
    await look(99n);
    expect([started, made.isChecked(program)]).toEqual([[], false]);
    checkByOthers();
    await look(99n);
    expect([started, asked, made.isChecked(program)]).toEqual([["v2"], [], true]);
  });

  test("blocks of a tenth of a second → prepared a minute before the height", async () => {
    const { look, put, started, schedule } = ahead();
    schedule({ name: "v2", height: 1_000n, info: "" });
    put("a");
    await look(300n);
    await look(399n, 9_900);
    expect(started).toEqual([]);
    await look(400n, 1_000);
    await look(500n, 10_000);
    expect(started).toEqual(["v2"]);
  });

  test("the file is replaced, or the plan is cancelled → the process that waits is stopped", async () => {
    const { ahead: made, program, look, put, schedule, started, stopped } = ahead();
    put("a");
    await look(99n);
    put("another one");
    expect(made.isChecked(program)).toBe(false);
    await look(99n);
    expect([started, stopped]).toEqual([["v2", "v2"], ["v2"]]);
    schedule(undefined);
    await look(99n);
    expect(stopped).toHaveLength(2);
    expect(await made.take(program)).toBeUndefined();
  });

  test("a program that refuses → a warning, asked again only when it is another one", async () => {
    const { look, put, log, started, asked } = ahead({ problem: "it refuses" });
    put("a");
    await look(90n);
    await look(91n);
    expect(asked).toHaveLength(1);
    expect(log).toContain("warn it refuses; it is asked again at height 100");
    put("another one");
    await look(92n);
    expect([asked.length, started]).toEqual([2, []]);
  });

  test("one that does not wait, as it knows no relay → not taken, stopped; after close() none is started", async () => {
    const { ahead: made, program, look, put, started, stopped } = ahead({ isReady: false });
    put("a");
    await look(99n);
    expect(await made.take(program)).toBeUndefined();
    expect(stopped).toEqual(["v2"]);
    await made.close();
    await look(99n);
    expect(started).toEqual(["v2"]);
  });
});

describe("untilCalled()", () => {
  const parented = () => Object.assign(new EventEmitter(), { sent: [] as string[] });

  test("a parent → gets a message that it is ready, goes on at its message; asked to stop → at once; no parent → at once", async () => {
    const self = parented();
    const called = untilCalled(
      Object.assign(self, { send: (text: string) => self.sent.push(text) }),
      new AbortController().signal,
    );
    expect(self.sent).toEqual(["ready"]);
    self.emit("message", "start");
    await called;
    const stopping = new AbortController();
    const waiting = untilCalled(Object.assign(parented(), { send: () => true }), stopping.signal);
    stopping.abort();
    await waiting;
    await untilCalled(parented(), new AbortController().signal);
  });
});
