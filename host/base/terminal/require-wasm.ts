/** Whether this process can run Wasm at all. */
import { UpgradeError } from "../errors/errors.js";

/**
 * Before anything needs it: what comes without WebAssembly, or without memory for it, is hard to understand.
 * @throws UpgradeError UPG_INVALID_CONFIG; RangeError when the system gives no memory
 */
export function requireWasm(): void {
  if (typeof WebAssembly === "undefined") {
    const what = "this Node runs without WebAssembly, and nothing here works without it";
    throw new UpgradeError("UPG_INVALID_CONFIG", `${what}: start it without --jitless (see also NODE_OPTIONS)`);
  }
  new WebAssembly.Memory({ initial: 1 });
}
