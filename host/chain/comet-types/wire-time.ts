/** Times on the wire: `google.protobuf.Timestamp`. */
import { checkTime, ZERO_TIME } from "../../base/time/time.js";
import type { Timestamp } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { Fields } from "../../base/wire/wire-fields.js";

/** @throws UpgradeError UPG_INVALID_ARGUMENT when the time is out of range */
export function encodeTime(time: Timestamp): Uint8Array {
  const { seconds, nanos } = checkTime(time);
  return new WireWriter().int(1, seconds).int(2, nanos).finish();
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodeTime(bytes: Uint8Array): Timestamp {
  const fields = new Fields(bytes, "Timestamp", ["varint", "varint"]);
  return checkTime({ seconds: fields.int64(1), nanos: fields.int32(2) });
}

/** A time in a message; year 1 when left out. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function timeOf(fields: Fields, field: number): Timestamp {
  return fields.has(field) ? decodeTime(fields.bytes(field)) : ZERO_TIME;
}
