#!/usr/bin/env node
/** `chaind`. `chaind start` runs this file a second time, in a thread: there it is the engine. */
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  const { runCommandLine } = await import("./command-line.js");
  process.exitCode = await runCommandLine();
} else {
  const { runEngineThread } = await import("../engine/engine-worker.js");
  await runEngineThread();
}
