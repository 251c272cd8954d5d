import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeDeadTemporaries } from "../../../../host/base/files/dead-temporaries.js";

test("temporary files of dead processes are removed; those of living ones, and other names, stay", () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-temporaries-"));
  try {
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    const kept = [
      "priv_validator_state.json",
      `priv_validator_state.json.${process.ppid}.tmp`,
      "queue.json.tmp",
      "a.0.tmp",
    ];
    for (const name of [...kept, `priv_validator_state.json.${dead}.tmp`, `halt.json.${dead}.tmp`])
      writeFileSync(join(folder, name), "{}");
    removeDeadTemporaries(folder);
    expect(readdirSync(folder).sort()).toEqual(kept.sort());
    expect(() => removeDeadTemporaries(join(folder, "absent"))).not.toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
