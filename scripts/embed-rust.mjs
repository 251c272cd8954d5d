// `npm run embed:rust`: the Rust crate as others get it. Format, lints, documentation, every test on all vectors, and the
// package that cargo would publish, built from its own files alone. Asks the package registry.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const env = { ...process.env, CARGO_TARGET_DIR: resolve("build/rust"), RUSTDOCFLAGS: "-D warnings" };

function cargo(...args) {
  process.stdout.write(`cargo ${args.join(" ")}\n`);
  const { status, error } = spawnSync("cargo", args, { stdio: "inherit", cwd: resolve("embed/rust"), env });
  if (status !== 0) throw error ?? new Error(`cargo ${args[0]} ended with ${status}`);
}

cargo("fmt", "--check");
cargo("clippy", "--locked", "--all-targets", "--", "-D", "warnings");
cargo("doc", "--locked", "--no-deps");
cargo("test", "--locked");
cargo("package", "--locked", "--allow-dirty");
