/** The hosts in other languages, each by a small program of its own that reads the files and writes its verdicts. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PYTHON, prepareGo, prepareWasmtime } from "../../engines/prepare.js";
import { ROOT } from "../../house/sources.js";
import { packed } from "./mutated-files.js";
import type { Verdict, Verdicts } from "./verdict.js";

interface EmbeddedHost {
  readonly folder: string;
  /** Why it is left out; undefined: it is here. */
  readonly missing: () => string | undefined;
  readonly command: (files: string, verdicts: string, runs: string) => readonly string[];
  readonly env?: (files: string, verdicts: string, runs: string) => Readonly<Record<string, string>>;
}

const go = join(ROOT, "embed/go");
const rust = join(ROOT, "embed/rust");
const python = join(ROOT, "embed/python");
const JUDGE = ["test", "--locked", "--test", "it", "judge_mutated_files", "--", "--ignored"];

export const EMBEDDED_HOSTS: Readonly<Record<string, EmbeddedHost>> = {
  go: {
    folder: go,
    missing: () => prepareGo(go),
    command: (...args) => ["go", "run", "./internal/mutatedfiles", ...args],
  },
  rust: {
    folder: rust,
    missing: () => {
      const { status } = spawnSync("cargo", ["fetch", "--locked"], { cwd: rust });
      return status === 0 ? undefined : "cargo, or its package registry, is not here";
    },
    command: () => ["cargo", ...JUDGE],
    env: (files, verdicts, runs) => ({
      ...{ CARGO_TARGET_DIR: join(ROOT, "build/rust"), RUST_BACKTRACE: "0" },
      ...{ MUTATED_FILES: files, MUTATED_VERDICTS: verdicts, MUTATED_RUNS: runs },
    }),
  },
  python: {
    folder: python,
    missing: prepareWasmtime,
    command: (...args) => [PYTHON, "-m", "tests.mutated_files", ...args],
    env: () => ({ PYTHONPATH: join(python, "src"), PYTHONDONTWRITEBYTECODE: "1" }),
  },
};

/** @param runs one of so many files is run; 0: none */
export function verdictsOf(host: EmbeddedHost, files: readonly Uint8Array[], runs: number): Verdicts {
  const folder = mkdtempSync(join(tmpdir(), "mutated-files-"));
  try {
    const [source, target] = [join(folder, "files"), join(folder, "verdicts")];
    writeFileSync(source, packed(files));
    const [program = "", ...args] = host.command(source, target, String(runs));
    const env = { ...process.env, ...host.env?.(source, target, String(runs)) };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: host.folder, env, encoding: "utf8" });
    if (status !== 0)
      throw new Error(`${program} exited with ${status}: ${stdout?.slice(-4_000)}${stderr?.slice(-4_000)}`);
    const lines = readFileSync(target, "utf8").trimEnd().split("\n");
    const { milliseconds } = JSON.parse(lines.pop() ?? "") as { milliseconds: number };
    return { verdicts: lines.map((line) => JSON.parse(line) as Verdict), milliseconds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
