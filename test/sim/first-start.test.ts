/** The disk refuses the first process of a home one of the calls that make its database. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeHome } from "../e2e/prepared-home.js";
import { genesisText } from "../scenario/genesis-text.js";
import { type FaultClass, faultsEnvironment, HAS_FAULTS } from "./faults/library.js";
import { type Bundle, bundleWorker, runWorker } from "./worker-process.js";

const EIO = 5;
const STORE_EXIT = 30;
/** Of each class; the calls after them are of blocks, and the simulator's. */
const CALLS: readonly (readonly [FaultClass, number])[] = [
  ["create", 6],
  ["truncate", 3],
  ["write", 4],
  ["sync", 3],
  ["rename", 1],
];
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-first-"));
let worker: Bundle;
beforeAll(async () => {
  worker = await bundleWorker();
});
afterAll(() => {
  worker.remove();
  rmSync(root, { recursive: true, force: true });
});

describe.skipIf(!HAS_FAULTS)("chaind start on a new home (needs Linux and gcc)", () => {
  for (const [of, calls] of CALLS) {
    test(`the disk refuses a ${of} → exit 30 or no harm, never a signal; the home starts afterwards`, async () => {
      for (let nth = 0; nth < calls; nth++) {
        const home = join(root, `${of}-${nth}`);
        makeHome(home, genesisText());
        const options = {
          worker: worker.file,
          home,
          handlers: root,
          args: ["--app-version", "1", "--halt-height", "2"],
        };
        const env = faultsEnvironment({ root: home, fail: { class: of, nth, errno: EIO, mode: "once" } });
        const end = await runWorker({ ...options, env });
        expect([13, STORE_EXIT], `${of} ${nth}: ${end.log}`).toContain(end.exit);
        if (end.exit === STORE_EXIT) expect((await runWorker({ ...options, env: {} })).exit).toBe(13);
      }
    });
  }
});
