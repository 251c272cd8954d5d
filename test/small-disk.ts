/** A small disk of its own, where this user may mount one. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Mounts over an existing folder, whose files it hides. Returns what unmounts it; undefined: this user may not mount one. */
export function mountOver(path: string, ...options: readonly string[]): (() => void) | undefined {
  try {
    execFileSync("mount", [...options, path], { stdio: "ignore" });
    return () => void execFileSync("umount", ["-l", path], { stdio: "ignore" });
  } catch {
    return undefined;
  }
}

/** Its folder; undefined: this user may not mount one. */
export function mountDisk(bytes: number): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "chain-upgrade-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path], { stdio: "ignore" });
    return path;
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
}
