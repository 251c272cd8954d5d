/** The body of a response of a program that may be another one than is expected. */

/** Undefined: it has more bytes; they are not waited for. @throws what the connection says */
export async function readBounded({ body }: Response, bytesMax: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    // Leaving the loop ends the connection.
    if (bytes > bytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
