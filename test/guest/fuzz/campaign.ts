/**
 * Mutated handlers, one after another: each is refused with findings, or runs metered and ends with a known code. check.wasm and the
 * reading in TypeScript say the same of each.
 */
import { isUpgradeError, type UpgradeError } from "../../../host/base/errors/errors.js";
import { loadHandler, type WasmHandler } from "../../../host/upgrade/handler/handler.js";
import { HOST_PRICES } from "../../../host/upgrade/handler/meter/schedule.js";
import { sha256 } from "../build.js";
import { compared } from "../checker/compared.js";
import { Random } from "../random/random.js";
import { runHandlerIn } from "../running.js";
import { corpus } from "./corpus.js";
import { mutated } from "./mutate.js";

export interface CampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly progress?: (done: number) => void;
}

export interface CampaignResult {
  readonly rounds: number;
  readonly refused: number;
  /** Taken and run to a good end. */
  readonly ran: number;
  /** Taken and stopped. */
  readonly stopped: number;
  /** How often each code ended a module or a run. */
  readonly codes: Readonly<Record<string, number>>;
  /** Milliseconds of the slowest. */
  readonly slowest: number;
}

/** Besides the loading: some calls and writes. */
const GAS_LIMIT = 3_000_000n;
const MILLISECONDS_MAX = 5_000;
const STORES = {
  read: [
    ["01", "aa"],
    ["02", "bbbb"],
  ],
  part: [
    ["0101", "cc"],
    ["02ff", "dd"],
  ],
  auth: [],
  bank: [],
} as const;

/** @throws Error naming seed and round, for whatever is not an orderly end */
export function campaign({ rounds, seed, progress }: CampaignOptions): CampaignResult {
  const seeds = corpus();
  const codes: Record<string, number> = {};
  const count = { refused: 0, ran: 0, stopped: 0 };
  let slowest = 0;
  for (let round = 0; round < rounds; round++) {
    const random = new Random(seed + Math.imul(round, 0x9e3779b1));
    const bytes = mutated(random.pick(seeds), random, random.pick(seeds));
    const start = performance.now();
    try {
      const [ending, code] = endOf(bytes);
      count[ending]++;
      codes[code] = (codes[code] ?? 0) + 1;
    } catch (cause) {
      throw new Error(`seed ${seed}, round ${round}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    const took = performance.now() - start;
    if (took > MILLISECONDS_MAX) throw new Error(`seed ${seed}, round ${round}: took ${Math.round(took)} ms`);
    slowest = Math.max(slowest, took);
    progress?.(round + 1);
  }
  return { rounds, ...count, codes, slowest };
}

function endOf(bytes: Uint8Array): [ending: "refused" | "ran" | "stopped", code: string] {
  const [first] = compared(bytes, "a mutated handler").findings;
  if (first) return ["refused", first.code];
  const handler = loadHandler(bytes, { sha256 });
  const twice = [run(handler), run(handler)];
  if (twice[0] !== twice[1]) throw new Error(`two runs ended as ${twice.join(" and ")}`);
  const [code = "", gas = ""] = (twice[0] ?? "").split(" ");
  return gas === "" ? ["stopped", code] : ["ran", code];
}

/** `done` and its gas, or the code that ended it. */
function run(handler: WasmHandler): string {
  try {
    const { name } = handler.manifest;
    const stores = Object.fromEntries(handler.manifest.stores.map((store) => [store.name, []]));
    const gasLimit = GAS_LIMIT + BigInt(handler.bytes.length * HOST_PRICES.fileByte);
    const input = { gasLimit, chainId: name, versionMap: layout(handler) };
    const { report } = runHandlerIn(handler, { stores: { ...stores, ...STORES }, input });
    if (report.gas > gasLimit) throw new Error(`${report.gas} gas of ${gasLimit}`);
    return `done ${report.gas}`;
  } catch (error) {
    if (isEnd(error)) return error.code;
    throw error;
  }
}

/** Versions that the manifest takes. */
function layout({ manifest }: WasmHandler): Map<string, bigint> {
  return new Map(
    [...manifest.versions].flatMap(([module, { from }]) => (from?.[0] === undefined ? [] : [[module, from[0]]])),
  );
}

/** What a guest can bring about: not our own bugs, and not an engine at its end. */
function isEnd(error: unknown): error is UpgradeError {
  return isUpgradeError(error) && !error.code.startsWith("UPG_BUG") && error.code !== "UPG_HANDLER_ENGINE";
}
