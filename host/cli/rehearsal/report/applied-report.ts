/** The part of a report that says what the block did. */
import type { JsonValue } from "@bufbuild/protobuf";
import { toUpperHex } from "../../../base/text/bytes.js";
import { formatTime } from "../../../base/time/time.js";
import type { VersionMap } from "../../../base/types/types.js";
import { UPGRADE_STORE } from "../../../upgrade/module/upgrade-store.js";
import { PAGE_BYTES } from "../../../upgrade/wasm/limits.js";
import type { QueryAnswer, QueryResult } from "../block/module-queries.js";
import { nanosRange } from "../block/times.js";
import { receiptJson } from "../diff/record-kinds.js";
import type { StoreChange } from "../diff/store-changes.js";
import type { RunResults } from "../run-results.js";
import type { AppliedReport, QueryReport, StoreReport } from "./report.js";

/** @param isExact the state is the one just before the height, with the plan in it */
export function appliedReport(results: RunResults, isExact: boolean): AppliedReport {
  const { block, profile, changes, validators, disk, memory, runs } = results;
  const { applied, events, validatorUpdates } = block.result;
  const report = applied?.report;
  return {
    app_hash: toUpperHex(block.appHash),
    app_hash_when: appHashWhen(results, isExact),
    app_hashes: results.dependsOnTime ? [] : appHashes(results),
    depends_on_time: results.dependsOnTime ?? null,
    versions: versionChanges(applied?.versionsBefore ?? new Map(), applied?.versionsAfter ?? new Map()),
    stores: changes.stores.map(storeReport),
    changes: { total: String(results.changedPairs), shown: results.shown, file: results.diffFile ?? null },
    value_sizes: changes.sizes.map((values, at) => ({ bytes: String(2 ** at - 1), values: String(values) })),
    gas: report ? String(report.gas) : null,
    gas_limit: applied?.handler.wasm ? String(applied.handler.wasm.manifest.gasLimit) : null,
    gas_profile: profile ?? null,
    phases: block.phases.map(({ phase, store, millis }) => ({ phase, store, ms: tenths(millis) })),
    block_ms: tenths(block.millis),
    invariants: block.invariants.map(({ module, name, millis }) => ({ module, name, ms: tenths(millis) })),
    handler_checks: (report?.checks ?? []).map(({ name }) => name),
    probes: applied?.probes ?? { passed: [], skipped: [] },
    other_writes: block.otherWrites,
    receipt: receiptOf(results),
    queries: results.queries.map(queryReport),
    events: events.length,
    validators: { ...validators, updates: validatorUpdates.length },
    memory: {
      peak: String(memory.peak),
      available: String(memory.available),
      guest: report ? String(report.memoryPages * PAGE_BYTES) : null,
    },
    disk: {
      ...{ growth: String(disk.growth), spill: String(disk.spill), reserve: String(disk.reserve) },
      ...{ needed: String(disk.needed), free: disk.free === undefined ? null : String(disk.free) },
    },
    runs: runs.map(({ time, appHash, millis }) => ({
      ...{ time: formatTime(time), app_hash: toUpperHex(appHash), ms: tenths(millis) },
    })),
  };
}

const tenths = (millis: number) => Math.round(millis * 10) / 10;

/** The condition under which the real block comes to the same app hash. */
function appHashWhen(results: RunResults, isExact: boolean): string {
  const { block, dependsOnTime, nextEnd } = results;
  const when: string[] = [];
  if (!isExact)
    when.push("the state before it is the one that was rehearsed on, with the plan in it and nothing else changed");
  if (nextEnd && !dependsOnTime) {
    when.push(`its time is before ${formatTime(nextEnd)}, when a deposit, a vote or an unbonding ends`);
  }
  const isOne = appHashes(results).every(({ app_hash: hash }) => hash === toUpperHex(block.appHash));
  if (dependsOnTime) when.push(`its time is ${formatTime(block.time)}, since the state depends on it (--time)`);
  else if (dependsOnTime === undefined || !isOne) {
    const { from, to } = nanosRange(block.time);
    const tried = dependsOnTime === undefined ? "; no other time was tried" : "";
    const range = from === to ? String(from) : `${from} to ${to}`;
    when.push(`the nanoseconds of its time are ${range}, since the receipt has the gas of reading them${tried}`);
  }
  const condition = when.length === 0 ? "" : ` when ${when.join(", and ")}`;
  return `The block of the height comes to this app hash${condition}. Its transactions have no part in it.`;
}

/** One for each length of the time that was tried. */
function appHashes({ runs }: RunResults): AppliedReport["app_hashes"] {
  const found = new Map<number, AppliedReport["app_hashes"][number]>();
  for (const { time, appHash } of runs) {
    const { from, to } = nanosRange(time);
    if (!found.has(from)) found.set(from, { nanos_from: from, nanos_to: to, app_hash: toUpperHex(appHash) });
  }
  return [...found.values()];
}

function versionChanges(before: VersionMap, after: VersionMap): AppliedReport["versions"] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const text = (version: bigint | undefined) => (version === undefined ? null : String(version));
  return names.map((module) => ({ module, before: text(before.get(module)), after: text(after.get(module)) }));
}

function storeReport(store: StoreChange): StoreReport {
  const { name, fate, from = "", rootBefore, rootAfter } = store;
  return {
    ...{ name, fate, from },
    pairs_before: String(store.pairsBefore),
    pairs_after: String(store.pairsAfter),
    added: String(store.added),
    written: String(store.written),
    deleted: String(store.deleted),
    bytes_written: String(store.bytesWritten),
    bytes_deleted: String(store.bytesDeleted),
    root_before: rootBefore ? toUpperHex(rootBefore) : null,
    root_after: rootAfter ? toUpperHex(rootAfter) : null,
  };
}

function queryReport({ method, request, before, after, lost }: QueryResult): QueryReport {
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  return { method, request, before: answerJson(before), after: answerJson(after), is_same: isSame, lost: lost ?? null };
}

function answerJson(answer: QueryAnswer): JsonValue {
  return answer.ok ? answer.response : { error: answer.message, code: answer.code };
}

function receiptOf({ block }: RunResults): JsonValue {
  const { app, result } = block;
  if (!result.applied?.handler.wasm) return null;
  const { core } = app.keeper;
  const bytes = core.receipt(app.at().stores.store(UPGRADE_STORE), result.applied.plan.name);
  return bytes ? receiptJson(bytes) : null;
}
