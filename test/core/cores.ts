/** What the tests of the core share: both builds, as a typed host sees them and as bare exports, and looks at a store. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { ErrorCode } from "../../host/base/errors/errors.js";
import { bigEndian64, fromHex, toHex, utf8 } from "../../host/base/text/bytes.js";
import type { KVReader } from "../../host/base/types/types.js";
import { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";
import { Core } from "../../host/upgrade/core/core.js";
import { RawCore } from "./raw-core.js";

const BUILDS = ["core.wasm", "core.debug.wasm"] as const;

function coreBytes(file: (typeof BUILDS)[number]): Uint8Array {
  return new Uint8Array(readFileSync(join(import.meta.dirname, "../../build", file)));
}

/** Runs a table on the release build and on the debug build. */
export function describeCores(define: (core: Core, raw: RawCore, bytes: Uint8Array) => void): void {
  describe.each(BUILDS)("%s", (file) => {
    const bytes = coreBytes(file);
    define(new Core(bytes), new RawCore(bytes), bytes);
  });
}

/** A store with these pairs, all of them hex. */
export function storeOf(pairs: Readonly<Record<string, string>> = {}): MemoryKVStore {
  const store = new MemoryKVStore();
  for (const [key, value] of Object.entries(pairs)) store.set(fromHex(key), fromHex(value));
  return store;
}

/** Everything in a store, as hex; a value of more than 1 KiB as its hash. */
export function dump(store: KVReader): Record<string, string> {
  const shown = (value: Uint8Array) => (value.length > 1_024 ? hash("sha256", value) : toHex(value));
  return Object.fromEntries([...store.iterate()].map(([key, value]) => [toHex(key), shown(value)]));
}

/** Hex of a prefix and a name: a key of the module's store. */
export function keyHex(prefix: string, name: string): string {
  return prefix + toHex(utf8(name));
}

/** Hex of a height or version as it is in state. */
export function u64Hex(value: bigint): string {
  return toHex(bigEndian64(value));
}

/** Matches an UpgradeError by its code and, unless left out, its whole message. */
export function refusal(code: ErrorCode, message?: string) {
  return expect.objectContaining(message === undefined ? { code } : { code, message });
}

/** Code of the UpgradeError that `work` throws; undefined when it throws nothing. */
export function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Error && "code" in error) return String(error.code);
    throw error;
  }
}

/** The refusal, and that it left the store as it was. */
export function expectRefused(store: KVReader, work: () => unknown, code: ErrorCode, message?: string): void {
  const before = dump(store);
  expect(work).toThrow(refusal(code, message));
  expect(dump(store)).toEqual(before);
}
