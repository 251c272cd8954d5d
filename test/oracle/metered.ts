/** The metered module of a handler. Where the file carries one it must be the same; a file without one is a handler too. */
import { meterModule } from "../../host/upgrade/handler/meter/meter.js";
import { METERED_SECTION } from "../../host/upgrade/handler/metered-section.js";
import type { Findings } from "../../host/upgrade/wasm/findings.js";
import type { WasmModule } from "../../host/upgrade/wasm/wasm-module.js";

export interface MeteredModule {
  readonly bytes: Uint8Array;
  /** The file has it in its custom section. */
  readonly isCarried: boolean;
}

/**
 * The metered module; undefined with findings.
 *
 * @param module whose custom sections were all seen; metered only when `findings` is empty
 */
export function readMetered(module: WasmModule, findings: Findings): MeteredModule | undefined {
  const [first, second] = module.customs.filter(({ name }) => name === METERED_SECTION);
  if (second) {
    const what = `there are two custom sections ${METERED_SECTION}, at most one is allowed`;
    findings.add("UPG_HANDLER_METERED", second.section.start, what);
  }
  if (!findings.isEmpty) return undefined;
  const due = meterModule(module);
  if (!first) return { bytes: due, isCarried: false };
  const { payloadStart, section } = first;
  const found = module.bytes.subarray(payloadStart, section.end);
  if (found.length < due.length && startsWith(due, found)) {
    const what = `custom section ${METERED_SECTION} ends after ${found.length} of ${due.length} bytes`;
    findings.add("UPG_HANDLER_METERED", section.end, what);
    return undefined;
  }
  if (found.length === due.length && startsWith(due, found)) return { bytes: due, isCarried: true };
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
