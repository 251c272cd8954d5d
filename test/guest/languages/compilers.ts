/** Compilers of other languages, where there are some that know the target. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { packHandler } from "../../../host/cli/author/pack.js";
import { ROOT } from "../../house/sources.js";

const TARGET = "wasm32-unknown-unknown";

export interface Language {
  readonly name: string;
  /** Why a handler cannot be built here; undefined when it can. */
  readonly missing: string | undefined;
  /** The example `re-key`, and everything that the language's kit has. */
  readonly build: (what: "re-key" | "tour") => Uint8Array;
}

export const LANGUAGES: readonly Language[] = [
  {
    name: "Rust",
    missing: missingRust(),
    build: (what) => buildRust(what === "tour" ? "test/guest/languages/tour-rust" : "examples/re-key-rust", what),
  },
  {
    name: "C",
    missing: missingC(),
    build: (what) =>
      what === "tour"
        ? buildC("test/guest/languages/tour.c", "test/guest/languages/tour.json")
        : buildC("examples/re-key-c/re-key.c"),
  },
];

function missingRust(): string | undefined {
  const { status, stdout } = spawnSync("rustc", ["--print", "sysroot"], { encoding: "utf8" });
  if (status !== 0 || spawnSync("cargo", ["--version"]).status !== 0) return "rustc and cargo are not installed";
  return existsSync(join(stdout.trim(), "lib/rustlib", TARGET)) ? undefined : `rustc has no target ${TARGET}`;
}

function missingC(): string | undefined {
  const { status, stdout } = spawnSync("clang", ["--print-targets"], { encoding: "utf8" });
  if (status !== 0) return "clang is not installed";
  if (!stdout.includes("wasm32")) return "clang has no target wasm32";
  return spawnSync("wasm-ld", ["--version"]).status === 0 ? undefined : "wasm-ld (package lld) is not installed";
}

/** Where cargo keeps what it made, of all handlers. */
const CARGO_TARGET = join(ROOT, "build/guests");

/** Runs cargo in a folder, with its .cargo/config.toml; all but tests for Wasm. */
export function cargo(folder: string, ...args: readonly string[]) {
  const env = { ...process.env, CARGO_TARGET_DIR: CARGO_TARGET, CARGO_NET_OFFLINE: "true" };
  return spawnSync("cargo", args[0] === "test" ? args : [...args, "--target", TARGET], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
}

export function buildRust(folder: string, name: string): Uint8Array {
  const { status, stderr } = cargo(join(ROOT, folder), "build", "--release", "--locked");
  if (status !== 0) throw new Error(stderr);
  return readFileSync(join(CARGO_TARGET, TARGET, "release", `${name.replaceAll("-", "_")}.wasm`));
}

/** A handler in C of this text, with this manifest, or with the one that it declares. */
export function buildCText(source: string, manifest?: unknown): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-c-text-"));
  try {
    const [file, json] = [join(folder, "handler.c"), join(folder, "manifest.json")];
    writeFileSync(file, source);
    if (manifest === undefined) return buildC(file);
    writeFileSync(json, JSON.stringify(manifest));
    return buildC(file, json);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As the head of chain_upgrade_handler.h has it. */
function buildC(source: string, manifest?: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-c-"));
  try {
    const [object, bare] = [join(folder, "handler.o"), join(folder, "bare.wasm")];
    const flags = [
      "--target=wasm32",
      "-std=c11",
      "-O2",
      "-mbulk-memory",
      "-ffreestanding",
      "-Wall",
      "-Wextra",
      "-Werror",
    ];
    const run = (program: string, args: readonly string[]) => execFileSync(program, args, { cwd: ROOT, stdio: "pipe" });
    run("clang", [...flags, "-I", "guests/c", "-c", source, "-o", object]);
    const bounds = ["-z", "stack-size=65536", "--max-memory=33554432"];
    run("wasm-ld", ["--no-entry", "--strip-all", ...bounds, object, "-o", bare]);
    const out = join(folder, "handler.wasm");
    packHandler({ file: bare, manifest: manifest === undefined ? undefined : resolve(ROOT, manifest), out });
    return readFileSync(out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
