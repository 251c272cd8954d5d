/** Names and addresses in requests. */
import { utf8 } from "../../bytes.js";
import { messageOf, UpgradeError } from "../../errors.js";
import type { AddressCodec } from "../../values/address.js";

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

/** `MsgAddNote` and `add_note` are `add-note`. */
export function kebab(name: string): string {
  return name
    .replaceAll("_", "-")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
}
