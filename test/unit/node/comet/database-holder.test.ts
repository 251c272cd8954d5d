/** Which process has CometBFT's database open, by the lock that GoLevelDB takes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { databaseHolder } from "../../../../host/node/comet/engine/database-holder.js";

const data = mkdtempSync(join(tmpdir(), "chain-upgrade-holder of-"));
/** Its process has the lock until its stdin closes. */
const HOLD = `exec flock "$0" sh -c 'echo locked; read line'`;
let child: ChildProcess | undefined;
afterAll(() => {
  child?.kill("SIGKILL");
  rmSync(data, { recursive: true, force: true });
});

test.runIf(process.platform === "linux")(
  "no database, one that nobody has open → none; one that is locked → its process",
  async () => {
    expect(databaseHolder(data)).toBeUndefined();
    mkdirSync(join(data, "blockstore.db"));
    const lock = join(data, "blockstore.db/LOCK");
    writeFileSync(lock, "");
    expect(databaseHolder(data)).toBeUndefined();
    child = spawn("sh", ["-c", HOLD, lock], { stdio: ["pipe", "pipe", "inherit"] });
    if (child.stdout) await once(child.stdout, "data");
    expect(databaseHolder(data)).toBe(child.pid);
  },
);
