/** Functions whose results differ between nodes, called by a module's functions. */
import childProcess from "node:child_process";
import crypto, { randomBytes } from "node:crypto";
import os, { freemem } from "node:os";
import { join } from "node:path";
import { performance as clock } from "node:perf_hooks";
import { setTimeout as timeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import v8 from "node:v8";
import { afterAll, describe, expect, test } from "vitest";
import { isUpgradeError, UpgradeError } from "../../host/base/errors/errors.js";
import { asHost, callModule, withoutEffect } from "../../host/base/errors/synchronous.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import type { KVStore } from "../../host/base/types/types.js";
import { trapNondeterminism } from "../../host/chain/determinism/traps.js";
import { TxError } from "../../host/chain/values/tx-error.js";
import { LmdbDatabase } from "../../host/state/store/disk/lmdb-database.js";
import { CommitMultiStore } from "../../host/state/store/versions/commit-multi-store.js";
import { useShapes } from "../recursion/chain.js";
import { freshShapes } from "../recursion/shapes.js";
import { temporaryDirectory } from "../unit/state/store/support.js";
import { failureOf } from "./chain.js";
import { RecursionProgram } from "./recursion-chain.js";

// Another file of tests in this process may have opened a chain.
trapNondeterminism()();
const real = { Date, random: Math.random, setTimeout };
const restore = trapNondeterminism();
afterAll(() => restore());

const instant = new Date(1_700_000_000_000);
const error = new Error("of the host");
/** What a module's file may take when it is loaded. */
const { parse } = Date;
const collator = new Intl.Collator("en");
const { compare } = collator;
const ecdh = crypto.createECDH("secp256k1");
const file = new File([], "of the host");
const event = new Event("of the host");

const REFUSED: Readonly<Record<string, () => unknown>> = {
  "Math.random()": () => Math.random(),
  "Math.sin()": () => Math.sin(1),
  "Math.pow()": () => Reflect.apply(Math.pow, Math, [2, 0.5]),
  "Math.log2()": () => Math.log2(3),
  "Date.now()": () => Date.now(),
  "Date()": () => Date(),
  "new Date()": () => new Date(),
  "new Date(…)": () => new Date(2026, 1, 1),
  "new Date(…) of text": () => new Date("2026-01-01 10:00"),
  "new Date(…) by Date.parse": () => Date.parse("1 Jan 2026"),
  "new Date() by a date's constructor": () => new (instant.constructor as DateConstructor)(),
  "new Date(…) by a Date.parse taken before": () => parse("1 Jan 2026"),
  "Date.prototype.getHours()": () => instant.getHours(),
  "Date.prototype.toString()": () => `${instant}`,
  "performance.now()": () => performance.now(),
  "performance.timeOrigin": () => performance.timeOrigin,
  "performance.nodeTiming": () => clock.nodeTiming.duration,
  "performance.eventLoopUtilization()": () => clock.eventLoopUtilization().active,
  "Event.timeStamp": () => event.timeStamp,
  "File.lastModified": () => file.lastModified,
  "AbortSignal.timeout()": () => AbortSignal.timeout(1_000),
  "os.hostname()": () => os.hostname(),
  "os.freemem() by its own name": () => freemem(),
  "v8.getHeapStatistics()": () => v8.getHeapStatistics(),
  "child_process.execFileSync()": () => childProcess.execFileSync(process.execPath, ["--version"]),
  "process.hrtime()": () => process.hrtime(),
  "process.hrtime.bigint()": () => process.hrtime.bigint(),
  "process.kill()": () => process.kill(process.pid, 0),
  "process.uptime()": () => process.uptime(),
  "process.memoryUsage()": () => process.memoryUsage(),
  "Intl.NumberFormat()": () => new Intl.NumberFormat("en"),
  "Intl.Collator()": () => Intl.Collator("en"),
  "Intl.Collator.compare": () => collator.compare("a", "b"),
  "Intl.Collator.compare() by one taken before": () => compare("a", "b"),
  "Intl.Collator.resolvedOptions()": () => collator.resolvedOptions(),
  "Number.toLocaleString()": () => (1).toLocaleString(),
  "String.localeCompare()": () => ["b", "a"].sort((x, y) => x.localeCompare(y)),
  "String.toLocaleUpperCase()": () => "i".toLocaleUpperCase(),
  "crypto.randomBytes()": () => crypto.randomBytes(4),
  "crypto.randomBytes() by its own name": () => randomBytes(4),
  "crypto.getRandomValues()": () => globalThis.crypto.getRandomValues(new Uint8Array(4)),
  "crypto.ECDH.generateKeys()": () => ecdh.generateKeys("hex"),
  "crypto.generatePrimeSync()": () => crypto.generatePrimeSync(32),
  "crypto.getRandomValues() of node:crypto": () => crypto.getRandomValues(new Uint8Array(4)),
  "crypto.randomUUID()": () => globalThis.crypto.randomUUID(),
  "setTimeout()": () => setTimeout(() => undefined, 0),
  "setImmediate()": () => setImmediate(() => undefined),
  "queueMicrotask()": () => queueMicrotask(() => undefined),
  "timers.setTimeout()": () => timeout(() => undefined, 0),
  "timers.setTimeout() of promises": () => sleep(0),
  "error.stack": () => new Error("own").stack,
  "error.stack of another": () => error.stack,
  "error.stack by captureStackTrace": () => {
    const own: { stack?: string } = {};
    Error.captureStackTrace(own);
    return own.stack;
  },
  "WeakRef.deref()": () => new WeakRef({}).deref(),
  "FinalizationRegistry()": () => new FinalizationRegistry(() => undefined),
};

const ALLOWED: Readonly<Record<string, () => unknown>> = {
  "exact functions of Math": () => [Math.sqrt(2), Math.floor(1.5), Math.imul(3, 4), Math.max(1, 2)],
  "dates in UTC": () => [instant.toISOString(), new Date("2026-01-01T00:00:00Z").getUTCHours(), Date.UTC(2026, 1)],
  "a date alone": () => Date.parse("2026-01-01"),
  "errors and their messages": () => new RangeError("x").message,
  "classes of errors that capture a stack": () => Error.captureStackTrace({}),
  hashes: () => crypto.createHash("sha256").update("x").digest("hex"),
  instanceof: () => instant instanceof Date,
};

describe("callModule()", () => {
  test.each(Object.entries(REFUSED))(
    "%s → UPG_INVALID_NONDETERMINISTIC with its name and what to use",
    (shown, use) => {
      const [name = ""] = shown.split(" of ")[0]?.split(" by ") ?? [];
      const failure = failureOf(() => callModule("MsgTest", use));
      expect(failure.code).toBe("UPG_INVALID_NONDETERMINISTIC");
      expect(failure.message).toContain(`MsgTest used ${name}, whose result differs between nodes: `);
    },
  );

  test.each(Object.entries(REFUSED))("%s that the module catches → fails all the same", (_, use) => {
    const caught = () => {
      try {
        use();
      } catch {
        return "caught";
      }
      return "not thrown";
    };
    expect(failureOf(() => callModule("MsgTest", caught)).code).toBe("UPG_INVALID_NONDETERMINISTIC");
  });

  test.each(Object.entries(ALLOWED))("%s → as outside of modules", (_, use) => {
    expect(callModule("MsgTest", use)).toEqual(use());
  });

  test.each(Object.entries(REFUSED))(
    "%s outside of modules, by the host, and in a callback of the log → works",
    (_, use) => {
      expect(use).not.toThrow();
      expect(callModule("MsgTest", () => asHost(() => typeof use()))).toBe(typeof use());
      let logged: unknown;
      const log = withoutEffect(() => {
        logged = typeof use();
      });
      callModule("MsgTest", () => log());
      expect(logged).toBe(typeof use());
    },
  );

  test.each(["exit", "reallyExit", "abort"])("process.%s() → the same, and the process goes on", (name) => {
    const end = Reflect.get(process, name) as () => never;
    expect(failureOf(() => callModule("MsgTest", () => end())).message).toContain(`MsgTest used process.${name}()`);
  });

  test("a module that another one runs, which catches its error → the outer one fails too", () => {
    const outer = () => {
      try {
        callModule("MsgInner", () => Math.random());
      } catch (thrown) {
        return isUpgradeError(thrown);
      }
      return false;
    };
    expect(failureOf(() => callModule("MsgOuter", outer)).message).toContain("MsgInner used Math.random()");
    const afterInner = () => [callModule("MsgInner", () => 1), Math.random()];
    expect(failureOf(() => callModule("MsgOuter", afterInner)).message).toContain("MsgOuter used Math.random()");
    expect(callModule("MsgOuter", () => 1)).toBe(1);
  });
});

test("a transaction whose message calls Math.random(), or catches its error → refused with the same code on every node; the next one runs", () => {
  const program = new RecursionProgram();
  for (const text of ["random:1", "random:0"]) {
    const tx = program.tx(text);
    const [result] = program.block([tx]).txResults;
    expect([result?.codespace, result?.code]).toEqual(["sdk", 35]);
    expect(result?.log).toContain("MsgAddNote used Math.random()");
  }
  expect(program.block([program.tx("pure:10")]).txResults[0]?.code).toBe(0);
});

test("a message whose module throws a plain Error, or one of this package → the log names message and module; a verdict is as it was", () => {
  const failWith = (thrown: unknown) => () => {
    throw thrown;
  };
  useShapes(() => ({
    plain: failWith(new TypeError("boom")),
    key: failWith(new UpgradeError("UPG_INVALID_KEY", "no key")),
    verdict: failWith(new TxError({ codespace: "notes", code: 2, text: "too long" })),
  }));
  const program = new RecursionProgram();
  const logOf = (text: string) => program.block([program.tx(text)]).txResults[0]?.log;
  const failed = "failed to execute message; message index: 0";
  const named = `${failed}: /mychain.notes.v1.MsgAddNote of module deep`;
  expect(logOf("plain:1")).toBe(`${named}: recovered: boom`);
  expect(logOf("key:1")).toBe(`${named}: no key`);
  expect(logOf("verdict:1")).toBe(`${failed}: too long`);
  useShapes(freshShapes);
});

test("a message whose result depends on a variable of its module → CheckTx says that the module is not deterministic, in sdk 35", () => {
  let count = 0;
  useShapes(() => ({ counting: () => ++count }));
  const program = new RecursionProgram();
  const refused = program.app.checkTx(program.tx("counting:1"));
  useShapes(freshShapes);
  expect([refused.codespace, refused.code]).toEqual(["sdk", 35]);
  expect(refused.log).toMatch(/wrote, emitted or returned different things.*\[UPG_INVALID_NONDETERMINISTIC\]$/);
});

test("a module that writes so much that its branches spill, over a database on disk → what the host does for it is not refused", () => {
  const database = new LmdbDatabase(join(temporaryDirectory(), "chain.mdb"));
  const stores = new CommitMultiStore(database, { sha256, branchBytes: 1_000_000 });
  stores.mount("notes");
  stores.loadLatestVersion();
  const key = (n: number) => utf8(`key ${n}`);
  const value = new Uint8Array(100_000);
  const commitOf = (write: (store: KVStore) => void) => {
    const branch = stores.branch();
    callModule("MsgTest", () => write(branch.branch().store("notes")));
    callModule("MsgTest", () => write(branch.store("notes")));
    branch.write();
    stores.stage();
    stores.commit();
  };
  const write = (store: KVStore) => {
    for (let n = 0; n < 60; n++) store.set(key(n), value);
  };
  commitOf(write);
  commitOf((store) => {
    expect([...store.iterate()].length).toBe(60);
    for (let n = 0; n < 60; n++) expect(store.get(key(n))?.length).toBe(value.length);
  });
  expect(database.spill?.bytesPeak).toBeGreaterThan(1_000_000);
  database.close();
});

test("a value that gives functions → gives the same one at each read, as before", () => {
  expect(collator.compare).toBe(collator.compare);
});

test("what trapNondeterminism() returned → the functions that were there before", () => {
  restore();
  expect([Date, Math.random, setTimeout]).toEqual([real.Date, real.random, real.setTimeout]);
  expect(callModule("MsgTest", () => typeof Math.random())).toBe("number");
  const again = trapNondeterminism();
  expect(Math.random).not.toBe(real.random);
  again();
});
