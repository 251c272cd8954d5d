/**
 * The messages between host and handler, protobuf:
 *   UpgradeContext { string chain_id = 1; int64 height = 2; Timestamp time = 3; Plan plan = 4; VersionMap version_map = 5 }
 *   CheckResults { repeated CheckResult { string name = 1; bool ok = 2; string message = 3 } = 1 }
 */
import { UpgradeError } from "../../../base/errors/errors.js";
import { decodeText } from "../../../base/text/text.js";
import { MODULE_NAME_BYTES_MAX, VERSION_MAP_MODULES_MAX } from "../../../base/types/limits.js";
import type { Height, Timestamp, VersionMap } from "../../../base/types/types.js";
import { BYTES, VARINT, WireWriter } from "../../../base/wire/wire.js";
import { decodeVersionMap, encodeVersionMap, type Refuse, singleFields, wireFields } from "../../core/version-map.js";
import { guestText } from "../../wasm/guest-text.js";
import { CHECK_MESSAGE_BYTES_MAX, CHECK_NAME_BYTES_MAX, CHECKS_MAX } from "../../wasm/limits.js";
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

/**
 * What `handler_run` returned.
 *
 * @throws UpgradeError UPG_MIGRATION_VERSION_MAP when the bytes are not a version map
 */
export function decodeReturnedVersions(bytes: Uint8Array): Map<string, bigint> {
  const refuse: Refuse = (what) => {
    return new UpgradeError("UPG_MIGRATION_VERSION_MAP", `handler_run returned no version map: ${what}`);
  };
  return decodeVersionMap(bytes, refuse, (name, taken) => {
    const problem = nameProblem(name, MODULE_NAME_BYTES_MAX);
    if (problem) throw refuse(`a module's name ${problem}`);
    if (taken === VERSION_MAP_MODULES_MAX) throw refuse(`more than ${VERSION_MAP_MODULES_MAX} modules`);
  });
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
  for (const entry of wireFields(bytes, [BYTES], refuse)) {
    const [nameField, ok, message] = singleFields(entry.bytes, [BYTES, VARINT, BYTES], refuse);
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

function strictText(bytes: Uint8Array, refuse: Refuse): string {
  return decodeText(bytes, () => refuse("a name is not UTF-8"));
}
