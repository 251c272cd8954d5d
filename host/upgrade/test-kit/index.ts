/**
 * chain-upgrade/test: the harness of handler authors. It works under any test runner.
 *
 *   const handler = openHandler(readFileSync("build/handler.wasm"));
 *   const run = runScene(handler, { stores: { bank: [[["0x02", "alice"], "7"]] } });
 *   assert.equal(run.ok, true);
 *   assertStandardChecks(handler, scene);
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { loadHandler, type WasmHandler } from "../handler/handler.js";
import { useMap } from "./failure/maps.js";

export { isUpgradeError, type UpgradeError } from "../../base/errors/errors.js";
export type { WasmHandler } from "../handler/handler.js";
export { type BytesLike, bytes } from "./bytes-like.js";
export type { Change, StoreDiff } from "./diff.js";
export type { Failure } from "./failure/explain.js";
export { failureLines } from "./failure/failure-lines.js";
export type { GuestFrame } from "./failure/guest-stack.js";
export type { SourcePlace } from "./failure/handler-map.js";
export { type Fixture, parseFixture } from "./fixture.js";
export { type LogLine, type RunOptions, runScene, type SceneRun } from "./run.js";
export type { Scene } from "./scene.js";
export type { StandardCheck } from "./standard-check.js";
export { assertStandardChecks, type StandardCheckOptions, standardChecks } from "./standard-checks.js";
export { type KVStoreCheck, kvStoreChecks, type StoreUnderTest } from "./store/kv-store-checks.js";

export interface OpenOptions {
  /** Text of `build/handler.map.json`: with it failures name functions and lines of the sources. Another build's is left out. */
  readonly map?: string | undefined;
}

/**
 * A handler from its file, checked and ready for scenes.
 *
 * @throws UpgradeError UPG_HANDLER_*, of the first thing that is wrong with the file; UPG_INVALID_ARGUMENT, the map is none
 *
 * @example
 * import { readFileSync } from "node:fs";
 * const { manifest } = openHandler(readFileSync("handler.wasm"));
 * console.log(manifest.name, [...manifest.versions.keys()]); // → v2 [ 'auth', 'bank' ]
 */
export function openHandler(bytes: Uint8Array, { map }: OpenOptions = {}): WasmHandler {
  const handler = loadHandler(bytes, { sha256 });
  if (map !== undefined) useMap(handler, map);
  return handler;
}
