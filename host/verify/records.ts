/**
 * Records of the upgrade module's store, as the Cosmos SDK's `x/upgrade` writes them: a plan at `00`, `01 ‖ height ‖ name`
 * for each upgrade that was applied, `02 ‖ module` with its version; receipts at `04 ‖ name` are this project's own.
 */
import { concatBytes, equalBytes, utf8 } from "../bytes.js";
import { decodeTime } from "../comet/wire-time.js";
import { decodeText } from "../text.js";
import { ZERO_TIME } from "../time.js";
import type { DoneUpgrade, KeyValue, Plan, VersionMap } from "../types.js";
import { Fields } from "../wire-fields.js";
import { asProof, malformed } from "./json.js";

export const UPGRADE = "upgrade";
export const PLAN_KEY = Uint8Array.of(0);
const DONE = 1;
const VERSION = 2;
const RECEIPT = 4;
const DONE_VALUE = Uint8Array.of(1);
const HEIGHT_BYTES = 8;

interface Range {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

const rangeOf = (prefix: number): Range => ({ start: Uint8Array.of(prefix), end: Uint8Array.of(prefix + 1) });

/** All upgrades that were applied; the whole version map. */
export const DONE_RANGE: Range = rangeOf(DONE);
export const VERSION_RANGE: Range = rangeOf(VERSION);

export const receiptKey = (plan: string): Uint8Array => concatBytes(Uint8Array.of(RECEIPT), utf8(plan));

/** `cosmos.upgrade.v1beta1.Plan`. @throws UpgradeError UPG_PROOF_MALFORMED */
export function decodePlan(bytes: Uint8Array): Plan {
  return asProof(() => {
    const fields = new Fields(bytes, "Plan", ["bytes", "bytes", "varint", "bytes", "bytes"]);
    const time = fields.has(2) ? decodeTime(fields.bytes(2)) : ZERO_TIME;
    const isTimed = time.seconds !== ZERO_TIME.seconds || time.nanos !== 0;
    const plan = { name: fields.text(1), height: fields.int64(3), info: fields.text(4) };
    return {
      ...plan,
      ...(isTimed ? { time } : {}),
      ...(fields.has(5) ? { upgradedClientState: decodeAny(fields.bytes(5)) } : {}),
    };
  });
}

function decodeAny(bytes: Uint8Array) {
  const fields = new Fields(bytes, "Any", ["bytes", "bytes"]);
  return { typeUrl: fields.text(1), value: fields.bytes(2) };
}

/** Ascending by height. Undefined: of another form, as old versions of the Cosmos SDK wrote them. */
export function doneUpgradesOf(pairs: readonly KeyValue[]): DoneUpgrade[] | undefined {
  const upgrades = pairs.map(([key, value]) => {
    const isKnown = key.length > 1 + HEIGHT_BYTES && equalBytes(value, DONE_VALUE);
    const height = isKnown ? readUint64(key.subarray(1, 1 + HEIGHT_BYTES)) : -1n;
    return { height, name: textOf(key.subarray(1 + HEIGHT_BYTES)) };
  });
  return upgrades.every(({ height }) => height >= 0n) ? upgrades : undefined;
}

/** @throws UpgradeError UPG_PROOF_MALFORMED */
export function versionsOf(pairs: readonly KeyValue[]): VersionMap {
  return new Map(
    pairs.map(([key, value]) => {
      if (value.length !== HEIGHT_BYTES) throw malformed("a module's version is not a number of 64 bits");
      return [textOf(key.subarray(1)), readUint64(value)];
    }),
  );
}

function readUint64(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, HEIGHT_BYTES).getBigUint64(0);
}

const textOf = (bytes: Uint8Array) => decodeText(bytes, () => malformed("a name in the upgrade store is not UTF-8"));
