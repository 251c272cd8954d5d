#!/usr/bin/env node
/** `chaind`, as it is installed: loads the program. A machine on which it cannot be loaded is reported in a message. */
import { isMainThread } from "node:worker_threads";

try {
  await import("./main.js");
} catch (error) {
  const isOutOfFiles =
    error instanceof Error && "code" in error && (error.code === "EMFILE" || error.code === "ENFILE");
  if (!isOutOfFiles || !isMainThread) throw error;
  const remedy = "raise the hard limit, `ulimit -Hn` (LimitNOFILE= of a service, --ulimit nofile= of a container)";
  process.stderr.write(`Error: too many open files while the program is loaded: ${remedy} [UPG_STORE_IO]\n`);
  process.exit(30);
}
