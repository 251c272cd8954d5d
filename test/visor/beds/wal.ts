/** Messages of CometBFT's write-ahead log, as it writes them: CRC-32C, length, message. */
import { crc32c } from "../../../host/visor/decide/heights/crc32c.js";

/** A protobuf field of bytes; all here are short. */
const field = (number: number, bytes: readonly number[]) => [(number << 3) | 2, bytes.length, ...bytes];

function varint(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  return value > 0x7fn ? [low | 0x80, ...varint(value >> 7n)] : [low];
}

/** The block of this height is in the block store: TimedWALMessage with an EndHeight. */
export function endHeightRecord(height: bigint): Uint8Array {
  const time = field(1, [0x08, ...varint(1_767_225_600n + height)]);
  const message = Uint8Array.from([...time, ...field(2, field(4, [0x08, ...varint(height)]))]);
  const record = new Uint8Array(8 + message.length);
  const view = new DataView(record.buffer);
  view.setUint32(0, crc32c(message));
  view.setUint32(4, message.length);
  record.set(message, 8);
  return record;
}
