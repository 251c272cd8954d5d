/** Running an upgrade again takes WebAssembly, which an engine may not have and a page's policy may forbid. */
import { UpgradeError } from "../../base/errors/errors.js";

/** The shortest module: a magic number and a version. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** @throws UpgradeError UPG_HANDLER_ENGINE, with what to do about it */
export function requireWebAssembly(): void {
  if (typeof WebAssembly === "undefined") {
    const what =
      "cannot run the upgrade: this engine has no WebAssembly. Claims can be verified here; run the upgrade elsewhere";
    throw new UpgradeError("UPG_HANDLER_ENGINE", what);
  }
  try {
    // WebKit refuses the instance, the others the module.
    new WebAssembly.Instance(new WebAssembly.Module(EMPTY_MODULE));
  } catch (cause) {
    const what =
      "cannot run the upgrade: this page may not compile WebAssembly. Add 'wasm-unsafe-eval' to script-src of its Content-Security-Policy";
    throw new UpgradeError("UPG_HANDLER_ENGINE", what, { cause });
  }
}
