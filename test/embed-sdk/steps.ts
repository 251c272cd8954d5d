/** The Go side of embed/go/sdk, run by Go itself; where each step is used says how long it takes. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../house/sources.js";

const ADAPTER = join(ROOT, "embed/go/sdk");
const REHEARSE = join(ADAPTER, "rehearse");
const EXAMPLE = join(ADAPTER, "example");
const ADAPTER_PATH = "github.com/chain-upgrade/chain-upgrade/embed/go/sdk";

/** The handlers that the Go tests read are what their sources give. */
export function checkHandlers(): void {
  const program = ["scripts/run.mjs", "test/embed-sdk/handlers.ts", "--check"];
  execFileSync(process.execPath, program, { cwd: ROOT, stdio: "inherit" });
}

/** Compiles all of it: the adapter and the rehearsal with the lowest SDK that they require, the example with the newest. */
export function build(): void {
  for (const module of [ADAPTER, REHEARSE, EXAMPLE]) {
    go(module, "vet", "./...");
    go(module, "test", "-count", "1", "-run", "^$", "./...");
  }
  go(EXAMPLE, "vet", "-tags", "campaign", "./campaign");
}

/**
 * x/upgrade's keeper over rootmulti, rehearsals of the example's application, the copy-on-write database. The example's module
 * has the newest SDK, so in it the adapter's own tests run with that.
 */
export function unitTests(): string {
  const lowest = go(ADAPTER, "test", "-count", "1", "./...") + go(REHEARSE, "test", "-count", "1", "./...");
  const newest = go(EXAMPLE, "test", "-count", "1", "./...", ADAPTER_PATH, `${ADAPTER_PATH}/rehearse/...`);
  return lowest + newest;
}

/** The example chain as processes with CometBFT. */
export function campaign(): string {
  return go(EXAMPLE, "test", "-tags", "campaign", "-count", "1", "-v", "-timeout", "30m", "./campaign");
}

export function bench(...options: readonly string[]): string {
  return go(EXAMPLE, "run", "./cmd/rekey-bench", ...options);
}

function go(cwd: string, ...args: readonly string[]): string {
  const out = execFileSync("go", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  process.stdout.write(out);
  return out;
}
