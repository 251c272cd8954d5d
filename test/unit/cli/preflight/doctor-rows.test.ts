/** What the doctor calls wrong is missing in `upgrade preflight` too, and its warnings are warnings there. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { rowsOf, scheduled, stage, TAKES_OVER } from "./homes.js";

afterEach(() => vi.unstubAllEnvs());

function supervised(): string {
  const path = scheduled();
  stage(path);
  stage(path, `${TAKES_OVER}// The one that runs.\n`, "genesis");
  vi.stubEnv("DAEMON_SHUTDOWN_GRACE", "10s");
  return path;
}

test.each<[what: string, harm: (path: string) => void, words: string]>([
  ["the backup folder is missing", () => vi.stubEnv("DAEMON_DATA_BACKUP_DIR", "/no/such/folder"), "/no/such/folder"],
  [
    "the backup folder is a file",
    (path) => {
      writeFileSync(join(path, "file"), "");
      vi.stubEnv("DAEMON_DATA_BACKUP_DIR", join(path, "file"));
    },
    "must be a valid directory",
  ],
  [
    "upgrade-info.json is a folder",
    (path) => {
      rmSync(join(path, "data/upgrade-info.json"), { force: true });
      mkdirSync(join(path, "data/upgrade-info.json"));
    },
    "plan: ",
  ],
])("%s → missing", async (_, harm, words) => {
  const path = supervised();
  expect((await rowsOf(path)).get("sidecar")?.state).toBe("warning");
  harm(path);
  const { state, words: found } = (await rowsOf(path)).get("sidecar") ?? {};
  expect([state, found]).toEqual(["missing", expect.stringContaining(words)]);
});

test("a custom script → a warning, and ready; a sidecar that does not start the new program → missing", async () => {
  const path = supervised();
  const script = join(path, "cosmovisor/before.sh");
  writeFileSync(script, "#!/bin/sh\nexit 3\n");
  chmodSync(script, 0o755);
  vi.stubEnv("COSMOVISOR_CUSTOM_PREUPGRADE", "before.sh");
  const row = (await rowsOf(path)).get("sidecar");
  expect(row?.state).toBe("warning");
  expect(row?.words).toContain("before.sh is not run before the height");
  vi.stubEnv("DAEMON_RESTART_AFTER_UPGRADE", "false");
  const off = (await rowsOf(path)).get("sidecar");
  expect(off?.state).toBe("missing");
  expect(off?.words.split("DAEMON_RESTART_AFTER_UPGRADE is false")).toHaveLength(2);
});
