/**
 * Is a file a witness of this chain's upgrade, and whole? Its bytes come a part at a time. What it says of the state is not
 * judged here: that takes headers and the handler.
 */
import { equalBytes } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { HASH_BYTES, IavlHasher } from "../commitment/iavl-hash.js";
import { ByteReader, malformed } from "./byte-reader.js";
import { PiecesDigest } from "./digest.js";
import { WITNESS_MAGIC } from "./format.js";
import { readHead } from "./head.js";

/** What a witness has to be of. */
export interface WitnessOf {
  readonly chainId: string;
  readonly plan: string;
  /** Of the block that applied the plan; undefined: of any. */
  readonly height?: bigint | undefined;
}

/** All parts but the last have as many bytes. */
export const CHECKED_PART_BYTES = 1_048_576;

export class WitnessFileCheck {
  readonly #digest: PiecesDigest;
  readonly #end: number;
  readonly #found = new Uint8Array(HASH_BYTES);
  #at = 0;

  /** @throws UpgradeError UPG_WITNESS_MALFORMED */
  constructor(
    private readonly of: WitnessOf,
    private readonly bytes: number,
    sha256: Sha256,
  ) {
    this.#digest = new PiecesDigest(new IavlHasher(sha256));
    this.#end = bytes - HASH_BYTES;
    if (this.#end <= WITNESS_MAGIC.length) throw malformed("it does not begin as a witness does");
  }

  /** @throws UpgradeError UPG_WITNESS_MALFORMED */
  take(part: Uint8Array): void {
    const at = this.#at;
    if (at === 0) this.#requireHead(part);
    const inBody = Math.max(0, Math.min(part.length, this.#end - at));
    this.#digest.add(part.subarray(0, inBody));
    if (inBody < part.length) this.#found.set(part.subarray(inBody, this.bytes - at), at + inBody - this.#end);
    this.#at += part.length;
  }

  /** After the last part. @throws UpgradeError UPG_WITNESS_MALFORMED */
  end(): void {
    if (this.#at !== this.bytes) throw malformed("it ends too early");
    if (!equalBytes(this.#digest.end(), this.#found)) throw malformed("its digest is another one");
  }

  #requireHead(part: Uint8Array): void {
    const { chainId, plan, height } = this.of;
    const head = readHead(new ByteReader(part.subarray(0, this.#end)));
    if (head.chainId !== chainId) throw malformed(`it is of chain "${head.chainId}"`);
    if (head.plan !== plan) throw malformed(`it is of the upgrade "${head.plan}"`);
    if (height !== undefined && BigInt(head.height) !== height) throw malformed(`it is of height ${head.height}`);
  }
}
