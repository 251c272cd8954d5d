/** From bytes to a handler: a copy is checked and hashed as it came, and what check.wasm made of it is compiled. */

import { assert, UpgradeError } from "../../base/errors/errors.js";
import { requireSha256 } from "../../base/native/required-sha256.js";
import { toHex } from "../../base/text/bytes.js";
import { PROGRAM } from "../../base/text/program-text.js";
import type { Sha256 } from "../../base/types/types.js";
import type { Finding } from "../wasm/findings.js";
import { examineHandler } from "./check/check.js";
import type { Manifest } from "./manifest/manifest-types.js";
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
  /** @internal pages of memory that it begins with, and that it may have at most */
  readonly memory: { readonly pages: number; readonly pagesMax: number };
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
  const { bytes: copy, manifest, facts, metered } = examined;
  assert(manifest && facts && metered, "a file without findings has no metered module");
  return Object.freeze({
    manifest,
    hash: toHex(sha256(copy)),
    file,
    bytes: copy,
    module: compile(metered),
    memory: { pages: facts.memoryPages, pagesMax: facts.memoryPagesMax },
    sha256,
  });
}

function compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  assert(WebAssembly.validate(bytes), "a valid module became invalid when it was metered");
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
