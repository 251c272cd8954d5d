/** The verdicts of the node, by its own functions. */
import { createHash } from "node:crypto";
import { isUpgradeError, type UpgradeError } from "../../../host/base/errors/errors.js";
import { MemoryKVStore } from "../../../host/state/branch/kv/memory-kv.js";
import { loadHandler, type WasmHandler } from "../../../host/upgrade/handler/handler.js";
import { withMetered } from "../../../host/upgrade/handler/metered-section.js";
import { runWasmHandler } from "../../../host/upgrade/module/run-handler.js";
import { withoutSections } from "../../../host/upgrade/wasm/custom-section.js";
import { sha256 } from "../../guest/build.js";
import type { Verdict, Verdicts } from "./verdict.js";

const GAS = 3_000_000n;
const FILE_BYTE_GAS = 1_000n;

/** @param runs one of so many files is run; 0: none */
export function nodeVerdicts(files: readonly Uint8Array[], runs: number): Verdicts {
  let milliseconds = 0;
  const verdicts = files.map((file, count): Verdict => {
    const start = performance.now();
    const handler = orFailure(() => loadHandler(file, { sha256 }));
    milliseconds += performance.now() - start;
    if (isUpgradeError(handler)) return refused(handler);
    const metered = hash(meteredModule(file));
    return runs > 0 && count % runs === 0 ? { metered, ...ran(handler) } : { metered };
  });
  return { verdicts, milliseconds };
}

function orFailure<T>(work: () => T): T | UpgradeError {
  try {
    return work();
  } catch (error) {
    if (isUpgradeError(error)) return error;
    throw error;
  }
}

function refused({ code, details }: UpgradeError): Verdict {
  return { code, function: String(details["function"] ?? ""), offset: String(details["offset"] ?? "") };
}

/** As a file carries it. */
function meteredModule(file: Uint8Array): Uint8Array {
  const plain = withoutSections(file, ["chain-upgrade.metered"]);
  const whole = Buffer.from(withMetered(file));
  return whole.subarray(whole.indexOf("\0asm", plain.length));
}

function ran(handler: WasmHandler): Verdict {
  const { manifest, bytes } = handler;
  const from = [...manifest.versions].flatMap(([module, versions]): [string, bigint][] =>
    versions.from?.[0] === undefined ? [] : [[module, versions.from[0]]],
  );
  const run = orFailure(() =>
    runWasmHandler(handler, {
      ...{ chainId: "test-1", height: 7n, time: { seconds: 1_700_000_000n, nanos: 0 }, plan: new Uint8Array(0) },
      ...{ versionMap: new Map(from), guards: false, gasLimit: GAS + FILE_BYTE_GAS * BigInt(bytes.length) },
      stores: new Map(manifest.stores.map(({ name }) => [name, new MemoryKVStore()])),
    }),
  );
  if (isUpgradeError(run)) return { end: run.code, gas: String(run.details["gas"] ?? ""), receipt: "" };
  const verdict = { end: "done", gas: String(run.report.gas), receipt: hash(run.receipt()) };
  run.discard();
  return verdict;
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
