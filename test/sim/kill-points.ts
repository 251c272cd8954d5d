/**
 * Makes the process that imports it die at a named step, and counts the steps when asked to. Runs in the simulator's
 * worker only: it replaces functions of `node:fs` and methods of the node under it.
 *
 *   SIM_KILL=renameSync:1        dies before the second renameSync (a writeFileSync is then cut in half)
 *   SIM_TRACE=<file>             at the end, the names of all steps in order, one a line
 *   SIM_MUTANT=files are not synced, or folders
 *   SIM_SIGNALS=each counts      a signal soon after the first one is a second request all the same
 *   SIM_SCHEDULE=6:v2:7          block 6 schedules plan v2 at height 7
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";
import { StopRequests } from "../../host/base/terminal/stop-requests.js";
import { EmbeddedNode } from "../../host/node/embedded/embedded-node.js";
import { LmdbDatabase } from "../../host/state/store/disk/lmdb-database.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";

type Call = (...args: unknown[]) => unknown;

const { SIM_KILL, SIM_TRACE, SIM_MUTANT, SIM_SCHEDULE, SIM_SIGNALS } = process.env;
const [killName, killAt = "0"] = (SIM_KILL ?? "").split(":");
const writeFileSync = fs.writeFileSync;
const trace: string[] = [];
let seen = 0;

/** A step begins; is it the last one? */
function isLast(name: string): boolean {
  trace.push(name);
  return name === killName && seen++ === Number(killAt);
}

function die(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("SIGKILL comes at once");
}

function step(name: string): void {
  if (isLast(name)) die();
}

/** What a node that forgets to sync does. */
function isSwallowed(file: number): boolean {
  return SIM_MUTANT === `${fs.fstatSync(file).isDirectory() ? "folders" : "files"} are not synced`;
}

function observeFiles(): void {
  for (const name of ["openSync", "fsyncSync", "renameSync", "linkSync", "rmSync", "mkdirSync"] as const) {
    const original = Reflect.get(fs, name) as Call;
    Reflect.set(fs, name, (...args: unknown[]) => {
      step(name);
      if (name === "fsyncSync" && isSwallowed(args[0] as number)) return undefined;
      return original(...args);
    });
  }
  const write: Call = (file, content, ...rest) => {
    if (!isLast("writeFileSync")) return Reflect.apply(writeFileSync, fs, [file, content, ...rest]);
    const bytes = Buffer.from(content as Uint8Array);
    Reflect.apply(writeFileSync, fs, [file, bytes.subarray(0, Math.floor(bytes.length / 2))]);
    return die();
  };
  Reflect.set(fs, "writeFileSync", write);
  syncBuiltinESMExports();
}

/** The block of a small state is made within the half second that counts as one request. */
function countEachSignal(): void {
  const { take } = StopRequests.prototype;
  StopRequests.prototype.take = function (signal) {
    const request = take.call(this, signal);
    return request === "again" ? "at once" : request;
  };
}

function observeDatabase(): void {
  const { transaction } = LmdbDatabase.prototype;
  // What a commit stages is little here: the thread that writes it for long ones has its turn all the same.
  Object.defineProperty(LmdbDatabase.prototype, "stagedHere", { value: 1 });
  LmdbDatabase.prototype.transaction = function (changes, options) {
    step("transaction begins");
    transaction.call(
      this,
      (batch) => {
        changes({
          put: (key, value) => {
            step("put");
            batch.put(key, value);
          },
          remove: (key) => {
            step("remove");
            batch.remove(key);
          },
        });
        step("transaction ends");
      },
      options,
    );
    step(options?.isDurableLater ? "transaction is staged" : "transaction is durable");
  };
}

function scheduleInBlock(): void {
  const [at = "0", name = "", height = "0"] = (SIM_SCHEDULE ?? "").split(":");
  const { makeBlock } = EmbeddedNode.prototype;
  EmbeddedNode.prototype.makeBlock = function (changes = []) {
    if (this.nextHeight !== BigInt(at)) return makeBlock.call(this, changes);
    const { keeper } = this.app;
    const message = { authority: keeper.authority, plan: { name, height: BigInt(height), info: "" } };
    return makeBlock.call(this, [
      (context) => keeper.softwareUpgrade(context.store(UPGRADE_STORE), context.height, message),
    ]);
  };
}

/** Nothing of what is observed happens in the thread that serves clients. */
if (!isMainThread) observe();
else if (SIM_SIGNALS) countEachSignal();

function observe(): void {
  observeFiles();
  observeDatabase();
  if (SIM_SCHEDULE) scheduleInBlock();
  if (SIM_TRACE) process.on("exit", () => writeFileSync(SIM_TRACE, trace.join("\n")));
}
