/** The example's handler with more work for each account: no sleep, only arithmetic whose result an invariant reads. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileHandler } from "../../host/cli/author/compile.js";
import { openCompiler } from "../../host/cli/author/compiler.js";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLE = join(ROOT, "examples/split-balances/assembly");
/** The most that a plan may ask for. */
const GAS_MAX = "1_000_000_000_000";
const FNV_PRIME = 16_777_619;
const FNV_BASIS = 2_166_136_261;
const CALIBRATION_ROUNDS = 200_000_000;

/** Rounds of the handler's work that a core of this machine does in a second. */
export function roundsPerSecond(): number {
  work(1, CALIBRATION_ROUNDS / 10);
  const begun = performance.now();
  const found = work(2, CALIBRATION_ROUNDS);
  return (CALIBRATION_ROUNDS / (performance.now() - begun)) * 1_000 * (Number.isInteger(found) ? 1 : 0);
}

function work(seed: number, rounds: number): number {
  let digest = FNV_BASIS;
  for (let round = 0; round < rounds; round++) digest = Math.imul(digest ^ seed ^ round, FNV_PRIME);
  return digest;
}

/** @param rounds of work for each account */
export async function slowHandler(rounds: number): Promise<Uint8Array> {
  const project = mkdtempSync(join(tmpdir(), "chain-upgrade-slow-handler-"));
  try {
    cpSync(EXAMPLE, join(project, "assembly"), { recursive: true });
    const entry = join(project, "assembly/index.ts");
    writeFileSync(entry, `${slowed(readFileSync(entry, "utf8"))}${SLOW.replace("ROUNDS", String(rounds))}`);
    const compiler = await openCompiler(project, ROOT);
    return (await compileHandler({ compiler, project, entry: "assembly/index.ts", packageRoot: ROOT })).bytes;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

function slowed(source: string): string {
  const changes: readonly (readonly [from: string, to: string])[] = [
    [`plan("v2", 100_000_000_000);`, `plan("v2", ${GAS_MAX});\nlet digest: u32 = ${FNV_BASIS};`],
    [`scan(auth, "01", splitAccount, writeSupply);`, `scan(auth, "01", slowlySplit, writeSupply);`],
    [`invariant("supply"`, `invariant("work", hasWorked, "no work was done");\ninvariant("supply"`],
  ];
  let changed = source;
  for (const [from, to] of changes) {
    if (!changed.includes(from)) throw new Error(`the example's handler has no ${from}`);
    changed = changed.replace(from, to);
  }
  return changed;
}

const SLOW = `
function slowlySplit(accountKey: Bytes, value: Bytes): void {
  const seed = <u32>value.length;
  for (let round: u32 = 0; round < ROUNDS; round++) digest = (digest ^ seed ^ round) * ${FNV_PRIME};
  splitAccount(accountKey, value);
}

function hasWorked(): bool {
  return digest != ${FNV_BASIS};
}
`;
