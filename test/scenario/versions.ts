/** Versions and handlers that the scenarios use besides the example chain's own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../host/base/native/sha256.js";
import type { VersionMap } from "../../host/base/types/types.js";
import type { ChainVersion } from "../../host/chain/app/versions/version.js";
import { loadHandler, type WasmHandler } from "../../host/upgrade/handler/handler.js";
import { V2 } from "../example-chain.js";
import type { FunctionHandler } from "./chain.js";

export const SPLIT_BALANCES = join(import.meta.dirname, "../../build/examples/split-balances.wasm");

let loaded: WasmHandler | undefined;

/** The real handler of plan `v2`. */
export function splitBalances(): WasmHandler {
  loaded ??= loadHandler(readFileSync(SPLIT_BALANCES), { sha256 });
  return loaded;
}

const GONE: readonly string[] = ["gov", "staking"];

/** A third version, by plan `v3`: gov's records stay in a store `government`, staking's are dropped, `oracle` is new. */
export const V3: ChainVersion = {
  number: 3n,
  plan: "v3",
  modules: new Map([...[...V2.modules].filter(([name]) => !GONE.includes(name)), ["oracle", 1n]]),
  stores: ["auth", "bank", "government", "oracle", "upgrade"],
  layouts: V2.layouts,
};

const V3_STORES = {
  added: ["oracle"],
  renamed: [{ oldKey: "gov", newKey: "government" }],
  deleted: ["staking"],
};

/** A handler that does nothing but answer the versions of where it leads. */
export function answering(plan: string, versions: VersionMap, more: Partial<FunctionHandler> = {}): FunctionHandler {
  return { plan, run: () => new Map(versions), ...more };
}

export const toV2 = (more: Partial<FunctionHandler> = {}): FunctionHandler =>
  answering("v2", V2.modules, { storeUpgrades: { added: ["bank"] }, ...more });

export const toV3 = (more: Partial<FunctionHandler> = {}): FunctionHandler =>
  answering("v3", V3.modules, { storeUpgrades: V3_STORES, removes: GONE, allows: { removeModules: GONE }, ...more });
