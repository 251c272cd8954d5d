/**
 * What happened to this node when it applied an upgrade: `<home>/data/receipts/<plan>.json`. Times and memory differ
 * between nodes, so they stay out of state; what all nodes agree on is repeated here for reading in one place.
 */

import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { VERSION } from "../../base/terminal/version.js";
import { toUpperHex, utf8 } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import { GAS_SCHEDULE } from "../../upgrade/handler/meter/schedule.js";
import type { AppliedUpgrade, Probes } from "../../upgrade/module/hooks.js";
import { PAGE_BYTES } from "../../upgrade/wasm/limits.js";
import type { Home } from "./home.js";

export interface LocalReceiptFacts {
  readonly applied: AppliedUpgrade;
  readonly height: Height;
  readonly milliseconds: number;
  readonly appHashBefore: Uint8Array;
  readonly appHash: Uint8Array;
}

export interface LocalReceipt {
  readonly plan: string;
  readonly height: string;
  /** SHA-256 of the handler; null for a function of the program. */
  readonly handler: string | null;
  readonly gas: string;
  /** What the gas was counted by; null for a function of the program. */
  readonly gas_schedule: string | null;
  readonly ms: number;
  /** Bytes of the handler's memory at its largest; null for a function of the program. */
  readonly guest_memory: string | null;
  /** Peak resident memory of the process, in bytes. */
  readonly host_memory: string;
  readonly stores: Readonly<Record<string, { written: string; deleted: string; bytes: string }>>;
  readonly checks: readonly string[];
  /** Modules whose probes ran on the upgraded state, and those that the upgrade left out. */
  readonly probes: Probes;
  readonly versions: {
    readonly before: Readonly<Record<string, string>>;
    readonly after: Readonly<Record<string, string>>;
  };
  readonly app_hash_before: string;
  readonly app_hash: string;
  readonly program: string;
  readonly node: string;
}

const texts = (map: ReadonlyMap<string, bigint>) =>
  Object.fromEntries([...map].map(([name, version]) => [name, String(version)]));

export function localReceipt(facts: LocalReceiptFacts): LocalReceipt {
  const { plan, handler, report, versionsBefore, versionsAfter, probes } = facts.applied;
  const stores = [...(report?.stores ?? [])].map(([name, { written, deleted, bytes }]) => [
    name,
    { written: String(written), deleted: String(deleted), bytes: String(bytes) },
  ]);
  return {
    plan: plan.name,
    height: String(facts.height),
    handler: handler.wasm?.hash ?? null,
    gas: String(report?.gas ?? 0n),
    gas_schedule: report ? GAS_SCHEDULE : null,
    ms: Math.round(facts.milliseconds),
    guest_memory: report ? String(report.memoryPages * PAGE_BYTES) : null,
    host_memory: String(process.resourceUsage().maxRSS * 1_024),
    stores: Object.fromEntries(stores),
    checks: (report?.checks ?? []).map(({ name }) => name),
    probes: probes ?? { passed: [], skipped: [] },
    versions: { before: texts(versionsBefore), after: texts(versionsAfter) },
    app_hash_before: toUpperHex(facts.appHashBefore),
    app_hash: toUpperHex(facts.appHash),
    program: VERSION,
    node: process.version,
  };
}

/** A receipt that cannot be written is no reason to stop: the upgrade is done. */
export function writeLocalReceipt(home: Home, receipt: LocalReceipt): void {
  writeFileAtomically(home.receiptFile(receipt.plan), utf8(`${JSON.stringify(receipt, null, 1)}\n`));
}
