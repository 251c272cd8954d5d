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
export function itemAt<T>(items: ArrayLike<T>, at: number): T {
  const item = items[at < 0 ? items.length + at : at];
  if (item === undefined) throw new RangeError(`no item at ${at} of ${items.length}`);
  return item;
}

/** Returns the last item, if any: `Array.prototype.at` is younger than some browsers in use. */
export function lastOf<T>(items: ArrayLike<T>): T | undefined {
  return items[items.length - 1];
}

/** `Object.hasOwn`, which is younger than some browsers in use. */
export function hasOwn(members: object, name: PropertyKey): boolean {
  return Object.getOwnPropertyDescriptor(members, name) !== undefined;
}

/** The code point that a text begins with. @throws RangeError for an empty text */
export function codePointOf(text: string): number {
  const code = text.codePointAt(0);
  if (code === undefined) throw new RangeError("an empty text has no code point");
  return code;
}
