/** Accounts as a scan gives them to split-balances, for benches of the guest alone. */
import { concatBytes } from "../../host/base/text/bytes.js";
import { FRAME_HEADER_BYTES } from "../../host/base/types/limits.js";
import { writeU32 } from "../../host/base/wire/u32.js";
import { WireWriter } from "../../host/base/wire/wire.js";

function account(index: number): Uint8Array {
  const address = Uint8Array.from({ length: 20 }, (_, i) => (index * 31 + i * 7) & 255);
  const key = concatBytes(Uint8Array.of(1), address);
  const coin = new WireWriter()
    .string(1, "ustake")
    .string(2, String(1_000_000 + index))
    .finish();
  const value = new WireWriter().bytes(1, address).int(3, BigInt(index)).message(16, coin).finish();
  const head = new Uint8Array(FRAME_HEADER_BYTES);
  writeU32(head, 0, key.length);
  writeU32(head, 4, value.length);
  return concatBytes(head, key, value);
}

/** A batch of `count` accounts. */
export function accountFrames(count: number): Uint8Array {
  return concatBytes(...Array.from({ length: count }, (_, i) => account(i)));
}
