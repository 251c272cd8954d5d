/** The Rust compiler, where there is one that knows the target. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TARGET = "wasm32-unknown-unknown";

/** Why a handler in Rust cannot be built here; undefined when it can. */
export function missingRust(): string | undefined {
  const { status, stdout } = spawnSync("rustc", ["--print", "sysroot"], { encoding: "utf8" });
  if (status !== 0) return "rustc is not installed";
  const { status: hasTarget } = spawnSync("ls", [join(stdout.trim(), "lib/rustlib", TARGET)]);
  return hasTarget === 0 ? undefined : `rustc has no target ${TARGET}`;
}

export function buildRust(source: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-rust-"));
  try {
    const out = join(folder, "handler.wasm");
    const optimised = ["-C", "opt-level=3", "-C", "panic=abort", "-C", "strip=symbols", "-C", "lto=fat"];
    const args = ["--target", TARGET, "--crate-type", "cdylib", "--edition", "2021", ...optimised, "-o", out, source];
    execFileSync("rustc", args, { stdio: ["ignore", "ignore", "pipe"] });
    return readFileSync(out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
