/** Bytes in, metered bytes out, as the loader does it but for the interface that a handler has. */

import { meterModule } from "../../../host/upgrade/handler/meter/meter.js";
import { decodeModule } from "../../../host/upgrade/wasm/decode.js";
import { Findings } from "../../../host/upgrade/wasm/findings.js";
import type { WasmModule } from "../../../host/upgrade/wasm/wasm-module.js";

/** @throws Error naming the first finding */
export function decoded(bytes: Uint8Array): WasmModule {
  const findings = new Findings();
  const { module } = decodeModule(bytes, findings);
  const [first] = findings.list(String);
  if (first) throw new Error(`${first.code} in ${first.function} at ${first.offset}: ${first.message}`);
  return module;
}

export function metered(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return meterModule(decoded(bytes));
}
