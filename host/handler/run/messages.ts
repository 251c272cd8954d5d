/**
 * The messages between host and handler, protobuf:
 *   UpgradeContext { string chain_id = 1; int64 height = 2; Timestamp time = 3; Plan plan = 4; VersionMap version_map = 5 }
 *   VersionMap { repeated ModuleVersion { string name = 1; uint64 version = 2 } = 1 }, names strictly ascending
 *   CheckResults { repeated CheckResult { string name = 1; bool ok = 2; string message = 3 } = 1 }
 */
import { compareBytes, utf8 } from "../../bytes.js";
import { isUpgradeError, UpgradeError } from "../../errors.js";
import { MODULE_NAME_BYTES_MAX, VERSION_MAP_MODULES_MAX } from "../../limits.js";
import type { Height, Timestamp, VersionMap } from "../../types.js";
import { guestText } from "../../wasm/guest-text.js";
import { CHECK_MESSAGE_BYTES_MAX, CHECK_NAME_BYTES_MAX, CHECKS_MAX } from "../../wasm/limits.js";
import { BYTES, readWire, VARINT, type WireField, WireWriter } from "../../wire.js";
import { nameProblem } from "../manifest/names.js";
import { trap } from "./failures.js";

/** What `handler_run` and `handler_check` are given. */
export interface UpgradeContextFields {
  readonly chainId: string;
  readonly height: Height;
  /** Time of the block; a handler has no other clock. */
  readonly time: Timestamp;
  /** The plan's protobuf bytes. */
  readonly planBytes: Uint8Array;
  /** The stored versions. */
  readonly versionMap: VersionMap;
}

/** An invariant that `handler_check` looked at. */
export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

type Refuse = (what: string) => UpgradeError;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encodeContext({ chainId, height, time, planBytes, versionMap }: UpgradeContextFields): Uint8Array {
  const timestamp = new WireWriter().int(1, time.seconds).int(2, time.nanos).finish();
  return new WireWriter()
    .string(1, chainId)
    .int(2, height)
    .message(3, timestamp)
    .message(4, planBytes)
    .message(5, encodeVersionMap(versionMap))
    .finish();
}

function encodeVersionMap(versions: VersionMap): Uint8Array {
  const entries = [...versions].map(([name, version]) => ({ name: utf8(name), version }));
  entries.sort((a, b) => compareBytes(a.name, b.name));
  const out = new WireWriter();
  for (const { name, version } of entries) out.message(1, new WireWriter().bytes(1, name).int(2, version).finish());
  return out.finish();
}

/**
 * What `handler_run` returned.
 *
 * @throws UpgradeError UPG_MIGRATION_VERSION_MAP when the bytes are not a version map
 */
export function decodeVersionMap(bytes: Uint8Array): Map<string, bigint> {
  const refuse: Refuse = (what) => {
    return new UpgradeError("UPG_MIGRATION_VERSION_MAP", `handler_run returned no version map: ${what}`);
  };
  const versions = new Map<string, bigint>();
  let last: Uint8Array = new Uint8Array(0);
  for (const entry of fieldsOf(bytes, [BYTES], refuse)) {
    const [name, version] = single(entry.bytes, [BYTES, VARINT], refuse);
    const nameBytes = name?.bytes ?? new Uint8Array(0);
    const text = strictText(nameBytes, refuse);
    const problem = nameProblem(text, MODULE_NAME_BYTES_MAX);
    if (problem) throw refuse(`a module's name ${problem}`);
    if (compareBytes(last, nameBytes) >= 0) throw refuse(`"${text}" is not in ascending order of names`);
    if (versions.size === VERSION_MAP_MODULES_MAX) throw refuse(`more than ${VERSION_MAP_MODULES_MAX} modules`);
    versions.set(text, version?.value ?? 0n);
    last = nameBytes;
  }
  return versions;
}

/**
 * What `handler_check` returned. Names are unique, for people and for the receipt.
 *
 * @throws UpgradeError UPG_HANDLER_TRAP when the bytes are not that
 */
export function decodeChecks(bytes: Uint8Array): CheckResult[] {
  const refuse: Refuse = (what) => trap(`handler_check returned no check results: ${what}`);
  const checks: CheckResult[] = [];
  const names = new Set<string>();
  for (const entry of fieldsOf(bytes, [BYTES], refuse)) {
    const [nameField, ok, message] = single(entry.bytes, [BYTES, VARINT, BYTES], refuse);
    const name = strictText(nameField?.bytes ?? new Uint8Array(0), refuse);
    const problem = nameProblem(name, CHECK_NAME_BYTES_MAX);
    if (problem) throw refuse(`a check's name ${problem}`);
    if (names.has(name)) throw refuse(`two checks are named "${name}"`);
    if (checks.length === CHECKS_MAX) throw refuse(`more than ${CHECKS_MAX} checks`);
    names.add(name);
    const isOk = ok !== undefined && ok.value !== 0n;
    checks.push({ name, ok: isOk, message: guestText(message?.bytes ?? new Uint8Array(0), CHECK_MESSAGE_BYTES_MAX) });
  }
  return checks;
}

/** The fields of a message, all known: `types[n - 1]` is the wire type of field n. */
function fieldsOf(bytes: Uint8Array, types: readonly number[], refuse: Refuse): WireField[] {
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
function single(bytes: Uint8Array, types: readonly number[], refuse: Refuse): (WireField | undefined)[] {
  const fields: (WireField | undefined)[] = types.map(() => undefined);
  for (const field of fieldsOf(bytes, types, refuse)) {
    if (fields[field.field - 1]) throw refuse(`field ${field.field} occurs twice`);
    fields[field.field - 1] = field;
  }
  return fields;
}

function strictText(bytes: Uint8Array, refuse: Refuse): string {
  try {
    return strict.decode(bytes);
  } catch {
    throw refuse("a name is not UTF-8");
  }
}
