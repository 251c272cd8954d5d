/** The hash function that a host brings along, tried before a chain counts on it. */
import { sha256 as noble } from "@noble/hashes/sha2.js";
import { UpgradeError } from "../errors/errors.js";
import { toHex } from "../text/bytes.js";
import type { Sha256, Sha256Stream } from "../types/types.js";

/** FIPS 180-4, of "abc". */
const ABC = Uint8Array.of(0x61, 0x62, 0x63);
const HASH_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/** @throws UpgradeError UPG_INVALID_ARGUMENT when it is another function: a state hashed with it would be nobody else's */
export function requireSha256(sha256: Sha256): void {
  const hash: unknown = typeof sha256 === "function" ? sha256(ABC.slice()) : undefined;
  if (hash instanceof Uint8Array && toHex(hash) === HASH_OF_ABC) return;
  throw new UpgradeError("UPG_INVALID_ARGUMENT", "sha256 does not give the SHA-256 of bytes as a Uint8Array of 32");
}

/** A hash of pieces, by the function that the host brought along where it can do so. */
export function sha256Stream(sha256: Sha256): Sha256Stream {
  return sha256.create?.() ?? noble.create();
}
