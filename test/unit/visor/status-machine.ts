/** What the status of a sidecar has of the machine in tests: the disk, and the true clock. */
import { setTimeout as sleep } from "node:timers/promises";
import { diskFiles } from "../../../host/base/files/disk-files.js";

export const statusMachine = {
  files: diskFiles,
  clock: {
    now: () => performance.now(),
    wall: () => Date.now(),
    sleep: (millis: number, signal?: AbortSignal) =>
      sleep(millis, undefined, signal ? { signal } : {}).catch(() => undefined),
  },
};
