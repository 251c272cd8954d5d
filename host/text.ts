/**
 * UTF-8 at the core's edge. A JavaScript string may hold lone surrogates; `TextEncoder` would turn them silently into
 * U+FFFD, another text. Here they become the three bytes that no UTF-8 decoder accepts, so the core refuses them.
 */
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encodeText(text: string): Uint8Array {
  return text.isWellFormed() ? encoder.encode(text) : encodeWithSurrogates(text);
}

function encodeWithSurrogates(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    if (code >= 0xd800 && code <= 0xdfff) bytes.push(0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else bytes.push(...encoder.encode(character));
  }
  return Uint8Array.from(bytes);
}

/** @throws TypeError when the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
