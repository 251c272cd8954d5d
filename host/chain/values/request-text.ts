/** Names and addresses in requests. */

import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { utf8 } from "../../base/text/bytes.js";
import type { AddressCodec } from "./address.js";

/** Names are not judged, but nothing longer is looked up. */
const NAME_BYTES_MAX = 4_096;

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function checkText(field: string, text: string): void {
  const { length } = utf8(text);
  if (length > NAME_BYTES_MAX) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `${field} has ${length} bytes, at most ${NAME_BYTES_MAX} are looked up`,
    );
  }
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function readAddress(addresses: AddressCodec, text: string): Uint8Array {
  if (text === "") throw new UpgradeError("UPG_INVALID_ARGUMENT", "empty address string is not allowed");
  try {
    return addresses.decode(text);
  } catch (cause) {
    const what = messageOf(cause);
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `invalid address: ${what}`, { cause });
  }
}
