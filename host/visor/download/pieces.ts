/** The bytes of files, piece after piece, beside other work. */
import { createHash } from "node:crypto";
import type { Files } from "../../base/files/files.js";
import { toHex } from "../../base/text/bytes.js";

const PIECE_BYTES = 1_048_576;

/** @throws what the system says; at the next piece, when `signal` is aborted */
export async function* piecesOf(files: Files, path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    signal.throwIfAborted();
    const piece = files.readPart(path, at, PIECE_BYTES);
    if (piece.length > 0) yield piece;
    if (piece.length < PIECE_BYTES) return;
    at += piece.length;
    await new Promise(setImmediate);
  }
}

/** Lower-case hex of each algorithm, in one walk. */
export async function digestsOf(
  files: Files,
  path: string,
  algorithms: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const hashes = algorithms.map((algorithm) => createHash(algorithm));
  for await (const piece of piecesOf(files, path, signal)) for (const hash of hashes) hash.update(piece);
  return hashes.map((hash) => toHex(hash.digest()));
}
