/** `<root>/passed.json`: plans beyond whose height the program that ran then has made blocks. */

import type { Files } from "../../../base/files/files.js";
import { writeWhole } from "../../../base/files/whole-file.js";
import { utf8 } from "../../../base/text/bytes.js";
import type { Plan } from "./plan-file.js";
import { readRecord } from "./record-file.js";

const FILE_MODE = 0o644;
const BYTES_MAX = 1_024 * 1_024;
/** The latest are kept: the node's file names the last plan alone. */
const PLANS_MAX = 100;
const HEIGHT = /^[0-9]{1,16}$/;

/** @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_IO */
export function readPassed(files: Files, path: string): readonly Plan[] {
  const found = readRecord(files, path, {
    holds: "passed plans",
    bytesMax: BYTES_MAX,
    without: "a plan that was skipped may then be switched to",
    parse: ({ v, plans }) =>
      v === 1 && Array.isArray(plans) && plans.every(isEntry)
        ? plans.map(({ name, height }) => ({ name, height: BigInt(height), info: "" }))
        : undefined,
  });
  return found ?? [];
}

/** Durable when it returns. @throws what the system says */
export function writePassed(files: Files, path: string, plans: readonly Plan[]): void {
  const kept = plans.slice(-PLANS_MAX).map(({ name, height }) => ({ name, height: String(height) }));
  writeWhole(files, path, utf8(`${JSON.stringify({ v: 1, plans: kept })}\n`), FILE_MODE);
}

function isEntry(value: unknown): value is { readonly name: string; readonly height: string } {
  const { name, height } = (value ?? {}) as Record<string, unknown>;
  return typeof name === "string" && typeof height === "string" && HEIGHT.test(height);
}
