/**
 * VersionMap and Names in their stored form (docs/abi.md), which core, host and handlers share:
 *   VersionMap { repeated ModuleVersion { string name = 1; uint64 version = 2 } = 1 }, names strictly ascending
 *   Names { repeated string name = 1 }, likewise
 */

import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { compareBytes, EMPTY } from "../../base/text/bytes.js";
import { decodeText, encodeText } from "../../base/text/text.js";
import { UINT64_MAX } from "../../base/types/limits.js";
import type { VersionMap } from "../../base/types/types.js";
import { BYTES, readWire, VARINT, type WireField, WireWriter } from "../../base/wire/wire.js";

/** Makes the error of a caller from what is wrong with the bytes. */
export type Refuse = (what: string) => UpgradeError;

const refuseMap: Refuse = (what) => new UpgradeError("UPG_INVALID_VERSION_MAP", `version map: ${what}`);

/** Names in ascending byte order, as the core demands. @throws UpgradeError UPG_INVALID_VERSION_MAP */
export function encodeVersionMap(map: VersionMap): Uint8Array {
  const entries = [...map].map(([name, version]) => ({ name: encodeText(name), version }));
  entries.sort((a, b) => compareBytes(a.name, b.name));
  const out = new WireWriter();
  for (const { name, version } of entries) {
    if (typeof version !== "bigint" || version < 0n || version > UINT64_MAX) {
      throw refuseMap("a version must be a bigint from 0 to 2^64 - 1");
    }
    out.message(1, new WireWriter().bytes(1, name).int(2, version).finish());
  }
  return out.finish();
}

/** Each name once, in ascending byte order, as the core demands. */
export function encodeNames(names: readonly string[]): Uint8Array {
  const out = new WireWriter();
  for (const text of [...new Set(names)].map(encodeText).sort(compareBytes)) out.message(1, text);
  return out.finish();
}

/**
 * What `encodeVersionMap` and the core write.
 *
 * @param checkEntry looks at each module before it is taken, for limits that are the caller's
 * @throws UpgradeError of `refuse` (UPG_INVALID_VERSION_MAP) for anything that is not exactly that form
 */
export function decodeVersionMap(
  bytes: Uint8Array,
  refuse: Refuse = refuseMap,
  checkEntry: (name: string, taken: number) => void = () => {},
): Map<string, bigint> {
  const versions = new Map<string, bigint>();
  let last: Uint8Array = EMPTY;
  for (const entry of wireFields(bytes, [BYTES], refuse)) {
    const [name, version] = singleFields(entry.bytes, [BYTES, VARINT], refuse);
    const nameBytes = name?.bytes ?? EMPTY;
    const text = decodeText(nameBytes, () => refuse("a name is not UTF-8"));
    checkEntry(text, versions.size);
    if (versions.size > 0 && compareBytes(last, nameBytes) >= 0) {
      throw refuse(`"${text}" is not in ascending order of names`);
    }
    versions.set(text, version?.value ?? 0n);
    last = nameBytes;
  }
  return versions;
}

/** The fields of a message, all known: `types[n - 1]` is the wire type of field n. */
export function wireFields(bytes: Uint8Array, types: readonly number[], refuse: Refuse): WireField[] {
  const fields: WireField[] = [];
  try {
    for (const field of readWire(bytes)) {
      if (types[field.field - 1] !== field.type) throw refuse(`unknown field ${field.field}`);
      fields.push(field);
    }
  } catch (error) {
    throw isUpgradeError(error) && error.code === "UPG_INVALID_ARGUMENT" ? refuse(error.message) : error;
  }
  return fields;
}

/** The same for a message whose fields occur once: by number, minus one. */
export function singleFields(bytes: Uint8Array, types: readonly number[], refuse: Refuse): (WireField | undefined)[] {
  const fields: (WireField | undefined)[] = types.map(() => undefined);
  for (const field of wireFields(bytes, types, refuse)) {
    if (fields[field.field - 1]) throw refuse(`field ${field.field} occurs twice`);
    fields[field.field - 1] = field;
  }
  return fields;
}

/** Whether a state has the module. An empty version map says nothing of modules, so it counts as having each. */
export function isInVersionMap(module: string, versions: VersionMap): boolean {
  return versions.size === 0 || versions.has(module);
}

export function sameVersions(a: VersionMap, b: VersionMap): boolean {
  return a.size === b.size && [...a].every(([module, version]) => b.get(module) === version);
}

/** What is in one map and not in the other, for messages. */
export function versionsDifference(expected: VersionMap, got: VersionMap): string {
  const modules = [...new Set([...expected.keys(), ...got.keys()])].sort();
  return modules
    .filter((module) => expected.get(module) !== got.get(module))
    .map((module) => `${module} expected ${expected.get(module) ?? "none"}, got ${got.get(module) ?? "none"}`)
    .join("; ");
}
