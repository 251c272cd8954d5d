/**
 * upgrade-info.json: written when an upgrade is needed, read by people and sidecars, and by ourselves only to warn.
 * What a process does comes from state (docs/architecture.md).
 */

import { messageOf } from "../../base/errors/errors.js";
import type { UpgradeFiles } from "../../base/files/upgrade-files.js";
import { decodeText } from "../../base/text/text.js";
import { HEIGHT_MAX } from "../../base/types/limits.js";
import type { Height, Plan } from "../../base/types/types.js";

/** What a reader takes from the file; anything else in it is ignored. */
export interface UpgradeInfo {
  readonly name: string;
  readonly height: Height;
  readonly info: string;
}

/**
 * Undefined when the text is not an upgrade-info.json: torn, another type, a height that is not from 1 to `HEIGHT_MAX`.
 *
 * @example
 * console.log(parseUpgradeInfo(new TextEncoder().encode('{"name":"v2","height":9}'))?.height); // → 9n
 */
export function parseUpgradeInfo(bytes: Uint8Array): UpgradeInfo | undefined {
  let json: unknown;
  try {
    json = JSON.parse(decodeText(bytes));
  } catch {
    return undefined;
  }
  if (typeof json !== "object" || json === null) return undefined;
  const { name, height, info = "" } = json as Record<string, unknown>;
  if (typeof name !== "string" || typeof info !== "string" || !Number.isInteger(height)) return undefined;
  const block = BigInt(height as number);
  return block > 0n && block <= HEIGHT_MAX ? { name, height: block, info } : undefined;
}

/**
 * A warning when the file does not say what state says about the plan that is due at `height`; undefined: it agrees.
 *
 * @example
 * const files = { read: () => undefined, write: () => undefined, remove: () => undefined };
 * const warning = crossCheckUpgradeInfo(files, { name: "v2", height: 9n, info: "" }, 9n);
 * console.log(warning?.split(";")[0]); // → upgrade-info.json is missing
 */
export function crossCheckUpgradeInfo(files: UpgradeFiles, plan: Plan, height: Height): string | undefined {
  const due = `state has the plan "${plan.name}" due at height ${height}, and state decides`;
  let bytes: Uint8Array | undefined;
  try {
    bytes = files.read("upgrade-info.json");
  } catch (error) {
    return `upgrade-info.json cannot be read (${messageOf(error)}); ${due}`;
  }
  if (!bytes) return `upgrade-info.json is missing; ${due}`;
  const info = parseUpgradeInfo(bytes);
  if (!info) return `upgrade-info.json is torn or not an upgrade-info file; ${due}`;
  if (info.name !== plan.name) return `upgrade-info.json names the upgrade "${info.name}"; ${due}`;
  if (info.height !== height) return `upgrade-info.json is stale: it names the height ${info.height}; ${due}`;
  if (info.info !== plan.info) return `upgrade-info.json carries another info than the plan; ${due}`;
  return undefined;
}
