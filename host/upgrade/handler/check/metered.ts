/** Is the metered module that a file carries the one that this host makes of it? A file without one is a handler too. */
import type { Findings } from "../../wasm/findings.js";
import type { WasmModule } from "../../wasm/wasm-module.js";
import { meterModule } from "../meter/meter.js";

export const METERED_SECTION = "chain-upgrade.metered";

/**
 * The metered module; undefined where the file has none, or one that is refused.
 *
 * @param module whose custom sections were all seen; metered only when `findings` is empty
 */
export function readMetered(module: WasmModule, findings: Findings): Uint8Array<ArrayBuffer> | undefined {
  const [first, second] = module.customs.filter(({ name }) => name === METERED_SECTION);
  if (second) {
    const what = `there are two custom sections ${METERED_SECTION}, at most one is allowed`;
    findings.add("UPG_HANDLER_METERED", second.section.start, what);
  }
  if (!first || !findings.isEmpty) return undefined;
  const due = meterModule(module);
  const { payloadStart, section } = first;
  const found = module.bytes.subarray(payloadStart, section.end);
  if (found.length < due.length && startsWith(due, found)) {
    const what = `custom section ${METERED_SECTION} ends after ${found.length} of ${due.length} bytes`;
    findings.add("UPG_HANDLER_METERED", section.end, what);
    return undefined;
  }
  if (found.length === due.length && startsWith(due, found)) return due;
  const at = payloadStart + firstDifference(due, found);
  findings.add("UPG_HANDLER_METERED", at, `custom section ${METERED_SECTION} is not the metered form of this module`);
  return undefined;
}

const startsWith = (bytes: Uint8Array, start: Uint8Array) => firstDifference(bytes, start) === start.length;

/** Where the two differ first, or where the shorter one ends. */
function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a[at] === b[at]) at++;
  return at;
}
