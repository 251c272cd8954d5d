/** Runs a case on this repository's own host, and writes down what can be seen of it. */
import { createHash } from "node:crypto";
import { isUpgradeError, type UpgradeError } from "../../../host/base/errors/errors.js";
import { fromHex, utf8 } from "../../../host/base/text/bytes.js";
import type { CacheMultiStore, VersionMap } from "../../../host/base/types/types.js";
import type { CacheKVStore } from "../../../host/state/branch/kv/cache-kv.js";
import { declaredVersions } from "../../../host/upgrade/handler/declared-versions.js";
import type { WasmHandler } from "../../../host/upgrade/handler/handler.js";
import { type HandlerReport, runHandler } from "../../../host/upgrade/handler/run/sandbox.js";
import { guardAfter, guardBefore } from "../../../host/upgrade/module/guards.js";
import { wasmHandler } from "../../../host/upgrade/module/handlers.js";
import { DEFAULT_TABLE } from "../../../host/upgrade/module/module-table.js";
import type { MemoryStores } from "../../../host/upgrade/test-kit/memory-stores.js";
import type { CaseInput, GivenRun, RunOutcome, StoreOutcome } from "./shapes.js";
import { type FinalWrite, pairsDigest, rootAfter, storesOf, writesDigest } from "./stores.js";

/** More lines are a digest. */
const LINES_MAX = 32;

/** @throws what says nothing of the handler */
export function runCase(handler: WasmHandler, input: CaseInput, given: GivenRun): RunOutcome {
  const base = storesOf(input);
  const branch = base.branch();
  const logs: string[] = [];
  const progress: string[] = [];
  const versionMap = new Map(Object.entries(input.versions).map(([name, version]) => [name, BigInt(version)]));
  const said = () => ({
    ...(logs.length > 0 ? { logs: listed(logs) } : {}),
    ...(progress.length > 0 ? { progress: listed(progress) } : {}),
  });
  const guards = guardsOf(handler, given, { before: versionMap, base, branch });
  try {
    guards?.before();
    const report = runHandler(handler, {
      chainId: input.chain_id,
      height: BigInt(input.height),
      time: { seconds: BigInt(input.time.seconds), nanos: input.time.nanos },
      planBytes: fromHex(input.plan),
      versionMap,
      stores: branch,
      base,
      log: (level, text) => void logs.push(`${level} ${text}`),
      progress: (done, total) => void progress.push(`${done}/${total}`),
      ...(given.gas_limit === undefined ? {} : { gasLimit: BigInt(given.gas_limit) }),
      ...(given.batch_bytes === undefined ? {} : { batchBytes: given.batch_bytes }),
    });
    const versions = declaredVersions(handler, versionMap, report);
    guards?.after(versions);
    return { ...succeeded(report, versions, base, branch), ...said() };
  } catch (error) {
    if (!isUpgradeError(error) || !/^UPG_(MIGRATION|HANDLER)_/.test(error.code)) throw error;
    if (error.code === "UPG_HANDLER_ENGINE") throw error;
    return { ...failed(error), ...said() };
  }
}

interface GuardedRun {
  readonly before: VersionMap;
  readonly base: MemoryStores;
  readonly branch: CacheMultiStore;
}

/** Undefined: the case runs the handler alone. */
function guardsOf(handler: WasmHandler, given: GivenRun, { before, base, branch }: GuardedRun) {
  const { module_stores, vital_modules } = given;
  if (!module_stores && !vital_modules) return undefined;
  const { vitalModules } = DEFAULT_TABLE;
  const table = {
    moduleStores: new Map(Object.entries(module_stores ?? {})),
    vitalModules: vital_modules ?? vitalModules,
  };
  const registered = wasmHandler(handler);
  return {
    before: () => guardBefore(registered, before, base, table),
    after: (after: VersionMap) => guardAfter(registered, branch, { before, after }, table),
  };
}

function failed(error: UpgradeError): RunOutcome {
  const { gas, message } = error.details;
  const said = error.code === "UPG_MIGRATION_FAILED" ? message : undefined;
  return {
    error: error.code,
    ...(said === undefined ? {} : { said }),
    ...(gas === undefined ? {} : { gas }),
  };
}

function succeeded(
  report: HandlerReport,
  versions: VersionMap,
  base: MemoryStores,
  branch: CacheMultiStore,
): RunOutcome {
  const { gas, memoryPages, checks } = report;
  const stores = [...report.stores].map(([name, counts]): [string, StoreOutcome] => {
    const store = branch.store(name) as CacheKVStore;
    const writes = finalWrites(store);
    const pairs = pairsDigest(store);
    return [
      name,
      {
        ...counts,
        writes: writes.length,
        writes_sha256: writesDigest(writes),
        pairs: pairs.count,
        pairs_sha256: pairs.sha256,
        root: rootAfter(base.store(name), writes),
      },
    ];
  });
  return {
    gas: String(gas),
    memory_pages: memoryPages,
    versions: Object.fromEntries([...versions].map(([name, version]) => [name, String(version)])),
    checks: checks.map(({ name, ok, message }) => ({ name, ok, message })),
    stores: Object.fromEntries(stores),
  };
}

/** What `write()` would hand on, ascending. */
function finalWrites(store: CacheKVStore): FinalWrite[] {
  const writes: FinalWrite[] = [];
  const cursor = store.pending();
  while (cursor.step()) {
    cursor.loadValue();
    const { bytes, keyAt, keyLen, valueAt, valueLen, isDeleted } = cursor;
    const key = bytes.slice(keyAt, keyAt + keyLen);
    writes.push([key, isDeleted ? undefined : bytes.slice(valueAt, valueAt + valueLen)]);
  }
  return writes;
}

function listed(lines: readonly string[]): readonly string[] | { lines: number; sha256: string } {
  if (lines.length <= LINES_MAX) return lines;
  const hash = createHash("sha256");
  for (const line of lines) hash.update(utf8(`${line}\n`));
  return { lines: lines.length, sha256: hash.digest("hex") };
}
