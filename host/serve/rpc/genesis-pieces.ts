/** A genesis document as a node shows it: some members are its own, the others are ranges of the file. */
import { joinBytes } from "../../base/text/bytes.js";
import type { NodeGenesis } from "../../chain/app/query/node-port.js";

/** Bytes here, or a range of the file. */
export type Piece = Uint8Array | { readonly from: number; readonly to: number };

const lengthOf = (piece: Piece) => (piece instanceof Uint8Array ? piece.length : piece.to - piece.from);

/** A genesis document that is put together: read in parts, however large it is. */
export class GenesisPieces {
  readonly length: number;
  #kept: Promise<Uint8Array> | undefined;

  constructor(
    private readonly genesis: NodeGenesis,
    private readonly pieces: readonly Piece[],
  ) {
    this.length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
  }

  async bytes(from: number, to: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let at = 0;
    for (const piece of this.pieces) {
      const [first, last] = [Math.max(from - at, 0), Math.min(to - at, lengthOf(piece))];
      if (first < last) parts.push(await this.#part(piece, first, last));
      at += lengthOf(piece);
    }
    return joinBytes(parts);
  }

  /** The whole, which must be small: it is kept, and the same bytes for all who ask. */
  async whole(): Promise<Uint8Array> {
    this.#kept ??= this.bytes(0, this.length);
    try {
      return await this.#kept;
    } catch (error) {
      this.#kept = undefined;
      throw error;
    }
  }

  async #part(piece: Piece, first: number, last: number): Promise<Uint8Array> {
    if (piece instanceof Uint8Array) return piece.subarray(first, last);
    return await this.genesis.read({ from: piece.from + first, to: piece.from + last });
  }
}
