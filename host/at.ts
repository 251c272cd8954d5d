/**
 * Reading at an index that the code knows to be inside: a fault of its own is an error where it happens, not `undefined`
 * further on. Loops that run over every pair of a store or every byte of a handler read with a cast instead.
 */

/** @throws RangeError when there is no such byte */
export function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError(`no byte at ${at} of ${bytes.length}`);
  return byte;
}

/** Negative indexes count from the end. @throws RangeError when there is no such item */
export function itemAt<T>(items: { readonly length: number; at(index: number): T | undefined }, at: number): T {
  const item = items.at(at);
  if (item === undefined) throw new RangeError(`no item at ${at} of ${items.length}`);
  return item;
}

/** The code point that a text begins with. @throws RangeError for an empty text */
export function codePointOf(text: string): number {
  const code = text.codePointAt(0);
  if (code === undefined) throw new RangeError("an empty text has no code point");
  return code;
}
