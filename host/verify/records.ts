/**
 * Records of the upgrade module's store, as the Cosmos SDK's `x/upgrade` writes them: a plan at `00`; for each upgrade that was
 * applied `01 ‖ height ‖ name` with the value 1, or, as this project and the Cosmos SDK before 0.46 write it, `01 ‖ name` with the
 * height as its value; `02 ‖ module` with its version. Receipts at `04 ‖ name` are this project's own.
 */
import { concatBytes, equalBytes, utf8 } from "../base/text/bytes.js";
import { decodeText, isWellFormed } from "../base/text/text.js";
import { ZERO_TIME } from "../base/time/time.js";
import { INT64_MAX, PLAN_NAME_BYTES_MAX } from "../base/types/limits.js";
import type { DoneUpgrade, KeyValue, Plan, VersionMap } from "../base/types/types.js";
import { Fields } from "../base/wire/wire-fields.js";
import { decodeTime } from "../chain/comet-types/wire-time.js";
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

/** Control characters: a plan that has one is refused by every chain. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Could a plan have this name? */
export function isPlanName(name: string): boolean {
  const isShort = name.length <= PLAN_NAME_BYTES_MAX && utf8(name).length <= PLAN_NAME_BYTES_MAX;
  return name !== "" && isShort && isWellFormed(name) && !CONTROL.test(name);
}

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

/** Ascending by height. Undefined: one of them is of a form that nobody knows. */
export function doneUpgradesOf(pairs: readonly KeyValue[]): DoneUpgrade[] | undefined {
  const upgrades = pairs.map(doneUpgradeOf);
  if (upgrades.includes(undefined)) return undefined;
  return (upgrades as DoneUpgrade[]).sort((a, b) => (a.height < b.height ? -1 : a.height > b.height ? 1 : 0));
}

/** The two forms have values of different lengths, so a chain that went from one to the other has both. */
function doneUpgradeOf([key, value]: KeyValue): DoneUpgrade | undefined {
  const named = key.subarray(1);
  if (value.length === HEIGHT_BYTES) return named.length > 0 ? done(readUint64(value), named) : undefined;
  const isKnown = named.length > HEIGHT_BYTES && equalBytes(value, DONE_VALUE);
  return isKnown ? done(readUint64(named), named.subarray(HEIGHT_BYTES)) : undefined;
}

function done(height: bigint, name: Uint8Array): DoneUpgrade | undefined {
  return height > 0n && height <= INT64_MAX ? { height, name: textOf(name) } : undefined;
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
