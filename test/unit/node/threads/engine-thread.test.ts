/** The serving thread's end of the port, with small programs at the other end. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Call } from "../../../../host/node/comet/messages.js";
import type { EngineStart } from "../../../../host/node/threads/engine-port.js";
import {
  EngineFailure,
  type EngineListener,
  EngineThread,
  QUEUED_TXS_MAX,
} from "../../../../host/node/threads/engine-thread.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-thread-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let programs = 0;

const START: EngineStart = {
  ...{ home: root, handlers: root, logicalBlockNanos: undefined, appVersion: undefined, skipHeights: [] },
  ...{ haltHeight: undefined, versionsKept: undefined, staged: undefined, handlerDiskMax: undefined, mempool: {} },
  engine: "embedded",
  ...{ blocks: {}, emptyBlocks: true, blockMillis: 0, maxBlocks: undefined, isDebugLogged: false },
};

/** An engine of these lines; `port` and `taken(id)` are there. */
function engine(lines: string, listener: Partial<EngineListener> = {}): EngineThread {
  const program = join(root, `engine-${programs++}.mjs`);
  const head = `import { workerData } from "node:worker_threads";
const { port, status } = workerData;
const taken = (id) => Atomics.store(new BigInt64Array(status), 1, BigInt(id));
`;
  writeFileSync(program, head + lines);
  const nothing = () => undefined;
  return new EngineThread({ file: program }, START, {
    ...{
      onCommitted: nothing,
      onRefused: nothing,
      onLeftOut: nothing,
      onProgress: nothing,
      onLog: nothing,
      ...listener,
    },
  });
}

test("submit() 10,000 that the engine has not taken, and one more → UPG_TX_MEMPOOL_FULL; room again when it takes some", async () => {
  const thread = engine(`port.on("message", ({ kind, id }) => {
    if (kind === "stop") port.close();
    if (kind === "run") { taken(3); port.postMessage({ kind: "stopped" }); }
  });
  setTimeout(() => undefined, 100);`);
  const tx = Uint8Array.of(1);
  for (let id = 1; id <= QUEUED_TXS_MAX; id++) expect(thread.submit(tx)).toBe(id);
  expect(() => thread.submit(tx)).toThrow(expect.objectContaining({ code: "UPG_TX_MEMPOOL_FULL" }));
  thread.run();
  await thread.ended;
  for (let more = 1; more <= 3; more++) expect(thread.submit(tx)).toBe(QUEUED_TXS_MAX + more);
  expect(() => thread.submit(tx)).toThrow(expect.objectContaining({ code: "UPG_TX_MEMPOOL_FULL" }));
  thread.stop();
  expect(await thread.exited(10_000)).toBe(true);
});

test.each([
  ["throws", `throw new Error("by this test");`, "by this test", "UPG_BUG_ASSERT"],
  ["ends without a word", "process.exit(3);", "it said nothing", "UPG_BUG_ASSERT"],
  ["may open no file", `throw new Error("EMFILE: too many open files, open '/x'");`, "`ulimit -Hn`", "UPG_STORE_IO"],
])("an engine that %s → opened and ended reject with a crash that says so", async (_, lines, why, code) => {
  const thread = engine(lines);
  for (const promise of [thread.opened, thread.ended]) {
    const failure = await promise.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(EngineFailure);
    expect(failure).toMatchObject({ isCrash: true, error: { code } });
    expect((failure as EngineFailure).message).toContain(why);
  }
});

test("terminate() of an engine that loops for ever → it is gone", async () => {
  const thread = engine(`port.postMessage({ kind: "opened", facts: {} }); for (;;);`);
  await thread.opened;
  expect(await thread.terminate(10_000)).toBe(true);
});

test("terminate() → that is no crash: ended does not settle, so that nobody writes a record of it", async () => {
  const thread = engine(`port.postMessage({ kind: "opened", facts: {} }); for (;;);`);
  await thread.opened;
  expect(await thread.terminate(10_000)).toBe(true);
  const later = new Promise((resolve) => setTimeout(resolve, 100, "nothing"));
  expect(await Promise.race([thread.ended.catch(() => "a crash"), later])).toBe("nothing");
});

test("an engine that dies in a call → that call and each later one is rejected by the crash", async () => {
  const thread = engine(`port.once("message", () => { throw new Error("by this test"); });`);
  const call = () => thread.call({ case: "commit", value: {} } as Call).catch((error: unknown) => error);
  for (const failure of [await call(), await call()]) {
    expect(failure).toBeInstanceOf(EngineFailure);
    expect(failure).toMatchObject({ isCrash: true, message: expect.stringContaining("by this test") });
  }
});

test("what the engine sends → each message to its listener, in order; log lines are counted as taken", async () => {
  const heard: unknown[] = [];
  const thread = engine(
    `port.on("message", ({ kind }) => {
      if (kind !== "run") return;
      port.postMessage({ kind: "progress", progress: { phase: "handler" } });
      port.postMessage({ kind: "refused", id: 7 });
      port.postMessage({ kind: "committed", height: 5n });
      port.postMessage({ kind: "log", level: "info", message: "hello" });
      port.postMessage({ kind: "stopped" });
      port.close();
    });`,
    {
      onProgress: (progress) => heard.push(progress),
      onRefused: (id) => heard.push(id),
      onCommitted: (message) => heard.push(message),
      onLog: (line) => heard.push(line),
    },
  );
  thread.run();
  await thread.ended;
  expect(heard).toEqual([
    { phase: "handler" },
    7,
    { kind: "committed", height: 5n },
    { kind: "log", level: "info", message: "hello" },
  ]);
  expect(thread.status.linesTaken).toBe(1);
  expect(await thread.exited(10_000)).toBe(true);
});
