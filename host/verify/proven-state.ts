/** Records and ranges of an evidence's state, each verified against the app hash of the next header. */
import { equalBytes, toHex } from "../base/text/bytes.js";
import type { DoneUpgrade, KeyValue, Plan, Sha256, VersionMap } from "../base/types/types.js";
import type { Header } from "../chain/comet-types/header.js";
import type { JsonView } from "./json.js";
import { type ProvenRecord, verifyRange, verifyRecord } from "./proofs.js";
import {
  DONE_RANGE,
  decodePlan,
  doneUpgradesOf,
  PLAN_KEY,
  receiptKey,
  UPGRADE,
  VERSION_RANGE,
  versionsOf,
} from "./records.js";
import { proofsOf } from "./rpc-json.js";

const RECORDS_MAX = 100_000;
const RANGES_MAX = 1_000;

/** What is proven of the upgrade store; undefined: the evidence has nothing of it, null: proven to be absent. */
export interface ProvenState {
  readonly height: bigint;
  readonly plan: Plan | null | undefined;
  readonly done: readonly DoneUpgrade[] | undefined;
  readonly versions: VersionMap | undefined;
  readonly receiptOf: (name: string) => Uint8Array | null | undefined;
}

/**
 * Verifies everything that the state's records and ranges say, also what no claim is made of.
 *
 * @param header the one after the state
 * @throws UpgradeError UPG_PROOF_*
 */
export function proveState(state: JsonView, header: Header, sha256: Sha256): ProvenState {
  const records = recordsOf(state, header, sha256);
  const ranges = rangesOf(state, header, sha256);
  const plan = records.get(idOf(UPGRADE, PLAN_KEY));
  const [done, versions] = [ranges.find(isOf(DONE_RANGE)), ranges.find(isOf(VERSION_RANGE))];
  const latest = done && doneUpgradesOf(done.pairs);
  return {
    height: header.height - 1n,
    plan: plan && decodePlan(plan),
    done: latest,
    versions: versions && versionsOf(versions.pairs),
    receiptOf: (name) => records.get(idOf(UPGRADE, receiptKey(name))),
  };
}

const idOf = (store: string, key: Uint8Array) => `${store}/${toHex(key)}`;

function recordsOf(state: JsonView, { appHash }: Header, sha256: Sha256): Map<string, Uint8Array | null> {
  return new Map(
    state
      .get("records")
      .items(RECORDS_MAX)
      .map((json) => {
        const store = json.get("store").text();
        const record = recordOf(json);
        verifyRecord({ appHash, store, sha256, ...record });
        return [idOf(store, record.key), record.value ?? null];
      }),
  );
}

interface ProvenRange {
  readonly store: string;
  readonly start: Uint8Array;
  readonly end: Uint8Array | undefined;
  readonly pairs: readonly KeyValue[];
}

function rangesOf(state: JsonView, { appHash }: Header, sha256: Sha256): ProvenRange[] {
  return state
    .get("ranges")
    .items(RANGES_MAX)
    .map((json) => {
      const end = json.get("end");
      const range = {
        store: json.get("store").text(),
        start: json.get("start").base64(),
        end: end.isSet ? end.base64() : undefined,
      };
      const records = json.get("records").items(RECORDS_MAX).map(recordOf);
      return { ...range, pairs: verifyRange({ appHash, sha256, ...range, records }) };
    });
}

/** A record of a document. */
export function recordOf(json: JsonView): ProvenRecord {
  const value = json.get("value");
  return {
    key: json.get("key").base64(),
    value: value.isSet ? value.base64() : undefined,
    proofs: proofsOf(json.get("proof_ops")),
  };
}

const isOf =
  ({ start, end }: { readonly start: Uint8Array; readonly end: Uint8Array }) =>
  (range: ProvenRange) =>
    range.store === UPGRADE && equalBytes(range.start, start) && range.end !== undefined && equalBytes(range.end, end);
