/**
 * The body of a response as it is written: parts one after the other. Bytes are written from where they are, so that what many
 * responses share is in memory once; of a text Node makes copies, up to three times as long, for each response.
 */
import type { ServerResponse } from "node:http";
import { concatBytes, utf8 } from "../../base/text/bytes.js";

export type BodyPart = string | Uint8Array;
export type Body = readonly BodyPart[];

/** A text up to this length is sent in one piece with the head before it, which is faster. */
const TEXT_LENGTH_MAX = 16_384;

export const partOf = (text: string): BodyPart => (text.length <= TEXT_LENGTH_MAX ? text : utf8(text));

export const byteLengthOf = (body: Body): number => body.reduce((sum, part) => sum + Buffer.byteLength(part), 0);

export const bytesOfBody = (body: Body): Uint8Array =>
  concatBytes(...body.map((part) => (typeof part === "string" ? utf8(part) : part)));

export function endWith(response: ServerResponse, body: Body): void {
  for (const part of body.slice(0, -1)) response.write(part);
  response.end(body.at(-1));
}
