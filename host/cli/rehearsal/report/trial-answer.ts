/** What a trial did, as `chaind handler run` prints it. */

import type { UpgradeError } from "../../../base/errors/errors.js";
import { toUpperHex } from "../../../base/text/bytes.js";
import type { Failure } from "../../../upgrade/test-kit/failure/explain.js";
import { PAGE_BYTES } from "../../../upgrade/wasm/limits.js";
import { failureAnswer } from "../../author/testing/failure-answer.js";
import type { Trial } from "../handler-trial.js";

const NOTE =
  "app_hash is that of a trial block: the block of the upgrade has a time and transactions of its own, and may have another one; " +
  "compare two handlers by roots";

export function trialAnswer(trial: Trial) {
  const { report, milliseconds, blockMilliseconds, totalMilliseconds, versionMap, appHash, roots } = trial;
  const writes = [...report.stores].map(([name, { written, deleted, bytes }]) => [
    name,
    { written: String(written), deleted: String(deleted), bytes: String(bytes) },
  ]);
  return {
    ok: true,
    code: "",
    message: "",
    gas: String(report.gas),
    ms: Math.round(milliseconds),
    block_ms: Math.round(blockMilliseconds),
    total_ms: Math.round(totalMilliseconds),
    guest_memory: String(report.memoryPages * PAGE_BYTES),
    host_memory: String(trial.memoryBytes),
    host_disk: String(trial.diskBytes),
    writes: Object.fromEntries(writes) as Record<string, unknown>,
    probes: trial.probes,
    version_map: Object.fromEntries([...versionMap].map(([name, version]) => [name, String(version)])),
    roots: Object.fromEntries([...roots].map(([name, root]) => [name, toUpperHex(root)])),
    app_hash: toUpperHex(appHash),
    failure: null,
    note: NOTE,
    ...(trial.gasProfile ? { gas_profile: trial.gasProfile } : {}),
  };
}

/** The same fields for a handler that failed, or that was refused. */
export function failedAnswer({ code, message, details }: UpgradeError, failure: Failure | undefined) {
  const nothing = {
    ms: null,
    block_ms: null,
    total_ms: null,
    guest_memory: details["memory"] ?? null,
    host_memory: null,
    host_disk: null,
    writes: {},
    probes: null,
    version_map: null,
    roots: null,
    app_hash: null,
  };
  const why = failure ? failureAnswer(failure) : null;
  return { ok: false, code, message, gas: details["gas"] ?? null, ...nothing, failure: why, note: "" };
}
