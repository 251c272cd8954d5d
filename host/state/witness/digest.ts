/**
 * The digest at the end of a witness: SHA-256 of the SHA-256s of its pieces. Pieces are hashed together, which takes a fifth of
 * the time that one long message would. It finds damage; against lies are the hashes of the trees.
 */
import { joinBytes } from "../../base/text/bytes.js";
import { HASH_BYTES, type IavlHasher } from "../commitment/iavl-hash.js";

const PIECE_BYTES = 1_024;

export function digestOf(bytes: Uint8Array, hasher: IavlHasher): Uint8Array {
  return hasher.sha256(digestsOf(bytes, hasher));
}

/** The same of bytes that come a part at a time. */
export class PiecesDigest {
  readonly #digests: Uint8Array[] = [];

  constructor(private readonly hasher: IavlHasher) {}

  /** All parts but the last are whole pieces. */
  add(part: Uint8Array): void {
    this.#digests.push(digestsOf(part, this.hasher));
  }

  end(): Uint8Array {
    return this.hasher.sha256(joinBytes(this.#digests));
  }
}

function digestsOf(bytes: Uint8Array, hasher: IavlHasher): Uint8Array {
  const pieces = Math.ceil(bytes.length / PIECE_BYTES);
  const digests = new Uint8Array(pieces * HASH_BYTES);
  for (let i = 0, at = 0; i < pieces; i++, at += PIECE_BYTES) {
    hasher.value(bytes, at, Math.min(PIECE_BYTES, bytes.length - at), digests, i * HASH_BYTES);
  }
  hasher.settle();
  return digests;
}
