/** The Go side of embed/go/sdk, run by Go itself; where each step is used says how long it takes. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../house/sources.js";

const MODULE = join(ROOT, "embed/go/sdk");
/** The handlers that the Go tests read are what their sources give. */
export function checkHandlers(): void {
  const program = ["scripts/run.mjs", "test/embed-sdk/handlers.ts", "--check"];
  execFileSync(process.execPath, program, { cwd: ROOT, stdio: "inherit" });
}

/** Compiles all of it. */
export function build(): void {
  go("vet", "./...");
  go("vet", "-tags", "campaign", "./example/campaign");
  go("test", "-count", "1", "-run", "^$", "./...");
}

/** x/upgrade's keeper over rootmulti, rehearsals of the example's application, the copy-on-write database. */
export function unitTests(): string {
  return go("test", "-count", "1", "./...");
}

/** The example chain as processes with CometBFT. */
export function campaign(): string {
  return go("test", "-tags", "campaign", "-count", "1", "-v", "-timeout", "30m", "./example/campaign");
}

export function bench(...options: readonly string[]): string {
  return go("run", "./cmd/rekey-bench", ...options);
}

function go(...args: readonly string[]): string {
  const out = execFileSync("go", args, { cwd: MODULE, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  process.stdout.write(out);
  return out;
}
