/** Takes the place of host/utf8.ts in the page: every browser that can show it has both coders, and the rest would only be downloaded. */

const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder("utf-8", { ignoreBOM: true });

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);
export const decodeUtf8 = (bytes: Uint8Array): string => strict.decode(bytes);
export const decodeUtf8Lossy = (bytes: Uint8Array): string => lossy.decode(bytes);
export const isWellFormed = (text: string): boolean => !/[\ud800-\udfff]/u.test(text);
export const utf8Length = (code: number): number => encoder.encode(String.fromCodePoint(code)).length;
