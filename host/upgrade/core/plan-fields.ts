/** A plan's fields as `plan_encode` and `plan_decode` move them: a header of 32 bytes, the name, the info. */

import { UpgradeError } from "../../base/errors/errors.js";
import { decodeText, encodeText } from "../../base/text/text.js";
import { ZERO_TIME } from "../../base/time/time.js";
import { INT64_MAX, PLAN_INFO_BYTES_MAX, PLAN_NAME_BYTES_MAX } from "../../base/types/limits.js";
import type { Height, Plan, Timestamp } from "../../base/types/types.js";

const HEADER_BYTES = 32;
const FLAG_CLIENT_STATE = 1;
/** A text beyond this may not even fit into the core's memory, so its refusal, the core's own, is given here. */
const TEXT_BYTES_MAX = 262_144;

export interface PlanFields {
  readonly name: Uint8Array;
  readonly height: Height;
  readonly info: Uint8Array;
  readonly seconds: bigint;
  readonly nanos: number;
  readonly hasClientState: boolean;
}

/** @throws UpgradeError UPG_INVALID_PLAN_* for what the fields have no room for */
export function encodePlanFields(plan: Plan): Uint8Array {
  if (typeof plan !== "object" || plan === null) {
    throw new UpgradeError("UPG_INVALID_PLAN_BYTES", `a plan has a name, a height and an info, got ${String(plan)}`);
  }
  const { seconds, nanos } = checkTime(plan.time ?? ZERO_TIME);
  const name = encodeText(requireText("UPG_INVALID_PLAN_NAME", "name", plan.name));
  const info = encodeText(requireText("UPG_INVALID_PLAN_INFO", "info", plan.info));
  checkRoom("UPG_INVALID_PLAN_NAME", "name", name, PLAN_NAME_BYTES_MAX);
  checkRoom("UPG_INVALID_PLAN_INFO", "info", info, PLAN_INFO_BYTES_MAX);
  if (!isInt64(plan.height)) {
    throw new UpgradeError("UPG_INVALID_PLAN_HEIGHT", `height must be a bigint of 64 bits, got ${String(plan.height)}`);
  }
  const fields = new Uint8Array(HEADER_BYTES + name.length + info.length);
  const header = new DataView(fields.buffer);
  header.setBigInt64(0, plan.height, true);
  header.setBigInt64(8, seconds, true);
  header.setInt32(16, nanos, true);
  header.setUint32(20, plan.upgradedClientState ? FLAG_CLIENT_STATE : 0, true);
  header.setUint32(24, name.length, true);
  header.setUint32(28, info.length, true);
  fields.set(name, HEADER_BYTES);
  fields.set(info, HEADER_BYTES + name.length);
  return fields;
}

/** `fields` as the core wrote them; name and info are views of them. */
export function decodePlanFields(fields: Uint8Array): PlanFields {
  const header = new DataView(fields.buffer, fields.byteOffset, fields.byteLength);
  const infoAt = HEADER_BYTES + header.getUint32(24, true);
  return {
    height: header.getBigInt64(0, true),
    seconds: header.getBigInt64(8, true),
    nanos: header.getInt32(16, true),
    hasClientState: header.getUint32(20, true) === FLAG_CLIENT_STATE,
    name: fields.subarray(HEADER_BYTES, infoAt),
    info: fields.subarray(infoAt),
  };
}

/** @throws UpgradeError UPG_INVALID_PLAN_BYTES when name or info is not UTF-8 */
export function planOfFields({ name, info, height, seconds, nanos, hasClientState }: PlanFields): Plan {
  try {
    return {
      name: decodeText(name),
      height,
      info: decodeText(info),
      ...(seconds === ZERO_TIME.seconds && nanos === 0 ? {} : { time: { seconds, nanos } }),
      ...(hasClientState ? { upgradedClientState: { typeUrl: "", value: new Uint8Array() } } : {}),
    };
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_PLAN_BYTES", "a plan's name and info must be UTF-8", { cause });
  }
}

export function isInt64(value: unknown): value is bigint {
  return typeof value === "bigint" && value >= -INT64_MAX - 1n && value <= INT64_MAX;
}

/** The years are the core's to check; here only that the numbers are not cut. */
function checkTime(time: Timestamp): Timestamp {
  if (isInt64(time.seconds) && Number.isInteger(time.nanos) && time.nanos === (time.nanos | 0)) return time;
  const got = `${String(time.seconds)} and ${String(time.nanos)}`;
  throw new UpgradeError("UPG_INVALID_PLAN_BYTES", `time must be a bigint of seconds and whole nanos, got ${got}`);
}

function requireText(code: "UPG_INVALID_PLAN_NAME" | "UPG_INVALID_PLAN_INFO", what: string, text: string): string {
  if (typeof text !== "string") throw new UpgradeError(code, `${what} must be a text, got ${typeof text}`);
  return text;
}

function checkRoom(
  code: "UPG_INVALID_PLAN_NAME" | "UPG_INVALID_PLAN_INFO",
  what: string,
  text: Uint8Array,
  bytesMax: number,
): void {
  if (text.length <= TEXT_BYTES_MAX) return;
  throw new UpgradeError(code, `${what} expected at most ${bytesMax} bytes, got ${text.length}: invalid request`);
}
