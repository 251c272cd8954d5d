// `npm run embed:rust`: the Rust crate as others get it. Format, lints, documentation, every test on all vectors, and the
// package that cargo would publish, built from its own files alone. Asks the package registry.
// `npm run embed:rust -- --newest`: the tests alone, in a copy of the crate with the newest dependencies that Cargo.toml allows.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

const isNewest = process.argv.includes("--newest");
const target = resolve(isNewest ? "build/rust-newest" : "build/rust");
const cwd = isNewest ? scratchCopy() : resolve("embed/rust");
const env = { ...process.env, CARGO_TARGET_DIR: target, RUSTDOCFLAGS: "-D warnings" };

/** Beside what the tests read of the repository. */
function scratchCopy() {
  const root = resolve("build/embed-rust-newest");
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  cpSync("embed/rust", join(root, "embed/rust"), { recursive: true, filter: (path) => !/[\\/]target$/.test(path) });
  for (const folder of ["assembly", "test", "docs", "embed/go"]) symlinkSync(resolve(folder), join(root, folder));
  return join(root, "embed/rust");
}

function cargo(...args) {
  process.stdout.write(`cargo ${args.join(" ")}\n`);
  const { status, error } = spawnSync("cargo", args, { stdio: "inherit", cwd, env });
  if (status !== 0) throw error ?? new Error(`cargo ${args[0]} exited with ${status}`);
}

if (isNewest) {
  cargo("update");
  cargo("tree", "--locked", "--edges", "normal", "--depth", "1");
  cargo("test", "--locked");
} else {
  cargo("fmt", "--check");
  cargo("clippy", "--locked", "--all-targets", "--", "-D", "warnings");
  cargo("doc", "--locked", "--no-deps");
  cargo("test", "--locked");
  cargo("package", "--locked", "--allow-dirty");
}
