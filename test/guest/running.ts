/** Runs a guest on small stores and keeps what it did and said. */
import { expect } from "vitest";
import { fromHex, toHex } from "../../host/base/text/bytes.js";
import type { VersionMap } from "../../host/base/types/types.js";
import type { WasmHandler } from "../../host/upgrade/handler/handler.js";
import { type HandlerInput, type HandlerReport, runHandler } from "../../host/upgrade/handler/run/sandbox.js";
import { type GuestParts, load, type ManifestSource } from "./build.js";
import { type ArrayBranch, ArrayStore, ArrayStores } from "./memory-stores.js";

/** All imports, by the names that the guests of these tests use. */
export const IMPORTS = `
  (import "chain" "store_get" (func $get (param i32 i32 i32 i32 i32) (result i32)))
  (import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))
  (import "chain" "store_delete" (func $delete (param i32 i32 i32) (result i32)))
  (import "chain" "store_write" (func $write (param i32 i32) (result i32)))
  (import "chain" "store_scan" (func $scan (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (import "chain" "log" (func $log (param i32 i32 i32)))
  (import "chain" "progress" (func $progress (param i64 i64)))
  (import "chain" "fail" (func $fail (param i32 i32 i32)))
  (import "env" "abort" (func $abort (param i32 i32 i32 i32)))`;

/** Store 0 may be written, 1 only read; of 2 and 3 there are parts, the last without an end. */
export const STORES = [
  { name: "all", access: "rw" },
  { name: "read", access: "r" },
  { name: "part", access: "rw", prefixes: ["01", "02ff"] },
  { name: "top", access: "rw", prefixes: ["ff"] },
];

export type Pairs = readonly (readonly [key: string, value: string])[];

export interface Scene {
  readonly manifest?: ManifestSource;
  /** Pairs in hex, by store; the stores of `STORES` are there, empty, when left out. */
  readonly stores?: Readonly<Record<string, Pairs>>;
  readonly input?: Partial<HandlerInput>;
}

export interface Ran {
  readonly report: HandlerReport;
  readonly stores: ArrayBranch;
  readonly base: ArrayStores;
  /** `level text`. */
  readonly lines: readonly string[];
  /** `done/total`. */
  readonly steps: readonly string[];
}

export function arrayStores(stores: Readonly<Record<string, Pairs>> = {}): ArrayStores {
  const names = [...STORES.map(({ name }) => name), ...Object.keys(stores)];
  const store = (pairs: Pairs = []) => new ArrayStore(pairs.map(([key, value]) => [fromHex(key), fromHex(value)]));
  return new ArrayStores(new Map(names.map((name) => [name, store(stores[name])])));
}

export function pairsOf(stores: ArrayStores, name: string): Pairs {
  return stores.store(name).pairs.map(([key, value]) => [toHex(key), toHex(value)]);
}

export function runHandlerIn(handler: WasmHandler, { stores, input = {} }: Scene = {}): Ran {
  const base = arrayStores(stores);
  const branch = base.branch();
  const lines: string[] = [];
  const steps: string[] = [];
  const versionMap: VersionMap = new Map();
  const report = runHandler(handler, {
    chainId: "test-1",
    height: 7n,
    time: { seconds: 1n, nanos: 0 },
    planBytes: new Uint8Array(0),
    versionMap,
    stores: branch,
    base,
    log: (level, text) => lines.push(`${level} ${text}`),
    progress: (done, total) => steps.push(`${done}/${total}`),
    ...input,
  });
  return { report, stores: branch, base, lines, steps };
}

/** With all imports, and the manifest of `STORES` unless the scene has another. */
export function runGuest(parts: GuestParts, scene: Scene = {}): Ran {
  const handler = load({ imports: IMPORTS, ...parts }, scene.manifest ?? { stores: STORES });
  return runHandlerIn(handler, scene);
}

/** An error of this code, whose message holds these words. */
export function failure(code: string, words = ""): unknown {
  return expect.objectContaining({ code, message: expect.stringContaining(words) });
}
