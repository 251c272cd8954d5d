/** Records of a pax header: `<length> <key>=<value>\n`, each. */
import { decodeLossy } from "../../base/text/text.js";

export interface PaxRecords {
  readonly path?: Uint8Array;
  readonly size?: number;
}

/** What pax can say that changes what the next entry is, other than these two. */
const REFUSED = /^(GNU\.sparse\.|SCHILY\.realsize|SUN\.holesdata|linkpath$)/;

/** @param damaged the error of bytes that are no records */
export function paxRecords(bytes: Uint8Array, damaged: () => Error): PaxRecords {
  const found: { path?: Uint8Array; size?: number } = {};
  for (let at = 0; at < bytes.length; ) {
    const [digits, length] = lengthAt(bytes, at, damaged);
    const record = bytes.subarray(at + digits + 1, at + length - 1);
    const equals = record.indexOf(0x3d);
    if (equals <= 0 || bytes[at + length - 1] !== 0x0a) throw damaged();
    const key = decodeLossy(record.subarray(0, equals));
    const value = record.subarray(equals + 1);
    if (REFUSED.test(key)) throw damaged();
    if (key === "path") found.path = value;
    if (key === "size") found.size = sizeOf(decodeLossy(value), damaged);
    at += length;
  }
  return found;
}

function lengthAt(bytes: Uint8Array, at: number, damaged: () => Error): readonly [digits: number, length: number] {
  const [, text = ""] = /^(\d{1,6}) /.exec(decodeLossy(bytes.subarray(at, at + 7))) ?? [];
  const length = Number(text);
  if (text === "" || length < text.length + 2 || at + length > bytes.length) throw damaged();
  return [text.length, length];
}

function sizeOf(text: string, damaged: () => Error): number {
  if (!/^\d{1,15}$/.test(text)) throw damaged();
  return Number(text);
}
