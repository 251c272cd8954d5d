/**
 * From bytes to a handler: copy, validate and hash them as they came, prepare, compile. `prepare` is the place of
 * everything that the host changes in a module.
 */

import { assert, UpgradeError } from "../../base/errors/errors.js";
import { requireSha256 } from "../../base/native/required-sha256.js";
import { toHex } from "../../base/text/bytes.js";
import { PROGRAM } from "../../base/text/program-text.js";
import type { Sha256 } from "../../base/types/types.js";
import type { Finding } from "../wasm/findings.js";
import type { WasmModule } from "../wasm/wasm-module.js";
import { examineHandler } from "./check/check.js";
import type { Manifest } from "./manifest/manifest-types.js";
import { meterModule } from "./meter/meter.js";
import { engineFailure } from "./run/failures.js";

/** A module that passed every check. Only {@link loadHandler} makes one. */
export interface WasmHandler {
  readonly manifest: Manifest;
  /** SHA-256 of `bytes`, lower-case hex. */
  readonly hash: string;
  /** Where the bytes were read from; undefined when they were given. */
  readonly file?: string | undefined;
  /** The file, unchanged; the handler's own copy. */
  readonly bytes: Uint8Array;
  /** @internal what runs: the file, metered and compiled */
  readonly module: WebAssembly.Module;
  /** @internal what it was hashed with: its writes are too */
  readonly sha256: Sha256;
}

export interface LoadOptions {
  readonly sha256: Sha256;
  /** Where the bytes come from, for messages and records. */
  readonly file?: string;
}

/**
 * Checks a Wasm handler by the rules that every node applies, and makes it ready to run.
 *
 * @throws UpgradeError UPG_HANDLER_* of the first finding; `checkHandler` lists them all
 *
 * @example
 * import { readFileSync } from "node:fs";
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const { manifest, hash } = loadHandler(readFileSync("handler.wasm"), { sha256 });
 * console.log(manifest.name, hash.length); // → v2 64
 */
export function loadHandler(bytes: Uint8Array, { sha256, file }: LoadOptions): WasmHandler {
  requireSha256(sha256);
  const examined = examineHandler(bytes);
  requireNoFindings(examined.findings);
  const { module, manifest, metered } = examined;
  assert(module && manifest, "a module without findings has no manifest");
  const hash = toHex(sha256(examined.bytes));
  return Object.freeze({
    manifest,
    hash,
    file,
    bytes: examined.bytes,
    module: compile(prepare(module, metered)),
    sha256,
  });
}

/** Everything that the host changes in a module before it is compiled. */
function prepare(module: WasmModule, metered?: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const prepared = metered ?? meterModule(module);
  assert(WebAssembly.validate(prepared), "a valid module became invalid when it was metered");
  return prepared;
}

function compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    throw engineFailure("the engine could not compile the handler", cause);
  }
}

/** @throws UpgradeError with the first of them */
export function requireNoFindings(findings: readonly Finding[]): void {
  const [first] = findings;
  if (first) throw refusal(first, findings.length);
}

function refusal(finding: Finding, count: number): UpgradeError {
  const where = [
    ...(finding.function === null ? [] : [`in function ${finding.function}`]),
    ...(finding.offset === null ? [] : [`at byte ${finding.offset}`]),
  ].join(" ");
  const more = count > 1 ? ` (and ${count - 1} more: see \`${PROGRAM} handler check\`)` : "";
  const details = { function: finding.function ?? "", offset: String(finding.offset ?? "") };
  return new UpgradeError(finding.code, `${where === "" ? "" : `${where}: `}${finding.message}${more}`, { details });
}
