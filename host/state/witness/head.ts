/** The beginning of a witness: magic, format, and what it is of (docs/witness.md). */
import { equalBytes } from "../../base/text/bytes.js";
import { PLAN_NAME_BYTES_MAX } from "../../base/types/limits.js";
import { type ByteReader, malformed } from "./byte-reader.js";
import { CHAIN_ID_BYTES_MAX, VERSION_MAX, WITNESS_FORMAT, WITNESS_MAGIC } from "./format.js";

/** @throws UpgradeError UPG_WITNESS_MALFORMED */
export function requireMagic(bytes: Uint8Array): void {
  const { length } = WITNESS_MAGIC;
  if (!equalBytes(bytes.subarray(0, length), WITNESS_MAGIC)) throw malformed("it does not begin as a witness does");
  if (bytes[length] !== WITNESS_FORMAT) throw malformed(`its format is ${bytes[length]}, known is ${WITNESS_FORMAT}`);
}

/** From the first byte on. @throws UpgradeError UPG_WITNESS_MALFORMED */
export function readHead(reader: ByteReader): {
  readonly chainId: string;
  readonly plan: string;
  readonly height: number;
} {
  requireMagic(reader.bytes);
  reader.skip(WITNESS_MAGIC.length + 1);
  const chainId = reader.text(CHAIN_ID_BYTES_MAX, "the chain id");
  const plan = reader.text(PLAN_NAME_BYTES_MAX, "the plan's name");
  return { chainId, plan, height: reader.uvarint(VERSION_MAX, "the height") };
}
