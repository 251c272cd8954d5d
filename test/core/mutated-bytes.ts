/** Bytes near a message: cut, spliced, changed, and with what a strict decoder must notice. */
import fc from "fast-check";
import { concatBytes, fromHex } from "../../host/base/text/bytes.js";

/** Pieces of wire format that are wrong in one way, or easily become so. */
const FRAGMENTS = [
  "00 80 8000 ff ffffffffffffffffff01 ffffffffffffffffff02 ffffffffffffffffffff01 80808080808080808001 8080808010",
  "0a 0a00 0a0161 0a01ff 0a8100 8a00 0b 0c 0d 08 0801 10 1000 1001 108100 12 1200 12020801 1204080110 120210808080",
  "1206108580808010 1207108694ebdc03 120b088092b8c398feffffff01 120b08ff91b8c398feffffff01 18 1800 1807 188700 1a00 20 22 220161",
  "2201c3 2a 2a00 2a020a00 2a021200 2a020800 30 3001 3a00 c03e01 0200 fa01 f8ffffff0f01 f8ffffff1f01",
].flatMap((line) => line.split(" ").map(fromHex));

/** Bytes of a message, cut, spliced and changed. */
export function mutated(message: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const edit = fc.record({
    kind: fc.nat(4),
    at: fc.nat(1_000),
    byte: fc.nat(255),
    piece: fc.constantFrom(...FRAGMENTS),
  });
  const change = (
    bytes: Uint8Array,
    { kind, at, byte, piece }: { kind: number; at: number; byte: number; piece: Uint8Array },
  ) => {
    const where = at % (bytes.length + 1);
    if (kind === 0) return bytes.slice(0, where);
    if (kind === 1) return concatBytes(bytes.slice(0, where), piece, bytes.slice(where));
    if (kind === 2) return concatBytes(bytes.slice(0, where), bytes.slice(where + 1));
    if (kind === 3) return concatBytes(bytes, piece);
    return bytes.length === 0 ? bytes : bytes.with(where % bytes.length, byte);
  };
  const pieces = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 6 }).map((list) => concatBytes(...list));
  return fc.oneof(
    message,
    fc.tuple(message, message).map(([a, b]) => concatBytes(a, b)),
    fc
      .tuple(message, fc.array(edit, { minLength: 1, maxLength: 3 }))
      .map(([bytes, edits]) => edits.reduce(change, bytes)),
    pieces,
    fc.uint8Array({ maxLength: 24 }),
  );
}
