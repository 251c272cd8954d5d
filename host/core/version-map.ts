/** VersionMap and Names on the core's wire: the dozen lines of protobuf that a host needs (docs/abi.md). */
import { compareBytes } from "../bytes.js";
import { UpgradeError } from "../errors.js";
import { UINT64_MAX } from "../limits.js";
import { decodeText, encodeText } from "../text.js";
import type { VersionMap } from "../types.js";

const MODULE_TAG = 0x0a;
const NAME_TAG = 0x0a;
const VERSION_TAG = 0x10;

function pushVarint(out: number[], value: bigint): void {
  for (; value >= 0x80n; value >>= 7n) out.push(Number(value & 0x7fn) | 0x80);
  out.push(Number(value));
}

function pushBytes(out: number[], tag: number, bytes: ArrayLike<number>): void {
  out.push(tag);
  pushVarint(out, BigInt(bytes.length));
  for (let i = 0; i < bytes.length; i++) out.push(bytes[i] as number);
}

/** Names in ascending byte order, as the core demands. */
export function encodeVersionMap(map: VersionMap): Uint8Array {
  const entries = [...map].map(([name, version]) => ({ name: encodeText(name), version }));
  entries.sort((a, b) => compareBytes(a.name, b.name));
  const out: number[] = [];
  for (const { name, version } of entries) {
    if (typeof version !== "bigint" || version < 0n || version > UINT64_MAX) {
      throw new UpgradeError("UPG_INVALID_VERSION_MAP", `version map: a version must be a bigint from 0 to 2^64 - 1`);
    }
    const entry: number[] = [];
    pushBytes(entry, NAME_TAG, name);
    if (version > 0n) {
      entry.push(VERSION_TAG);
      pushVarint(entry, version);
    }
    pushBytes(out, MODULE_TAG, entry);
  }
  return Uint8Array.from(out);
}

/** Each name once, in ascending byte order, as the core demands. */
export function encodeNames(names: readonly string[]): Uint8Array {
  const texts = [...new Set(names)].map(encodeText).sort(compareBytes);
  const out: number[] = [];
  for (const text of texts) pushBytes(out, NAME_TAG, text);
  return Uint8Array.from(out);
}

/** Reads what the core (or `encodeVersionMap`) wrote; the core has checked it. */
export function decodeVersionMap(bytes: Uint8Array): Map<string, bigint> {
  const map = new Map<string, bigint>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new UpgradeError("UPG_INVALID_VERSION_MAP", "version map: cut short");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    at++; // the only tag there is
    const end = Number(varint()) + at;
    let name = "";
    let version = 0n;
    while (at < end) {
      if (bytes[at++] === VERSION_TAG) version = varint();
      else {
        const length = Number(varint());
        name = decodeText(bytes.subarray(at, at + length));
        at += length;
      }
    }
    map.set(name, version);
  }
  return map;
}
