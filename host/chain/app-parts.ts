/** What an application is made of, from its options. */
import type { CommitMultiStoreOptions } from "../store/versions/store-options.js";
import { Keeper } from "../upgrade/keeper.js";
import { moduleAddress } from "../values/address.js";
import type { AppOptions } from "./app-shapes.js";
import type { ReadableStores } from "./module.js";
import { routerAt } from "./tx/message-kind.js";
import type { TxFacts } from "./tx/run.js";
import { rememberingVerifier } from "./tx/verified.js";
import type { ChainVersion } from "./versions/version.js";

/** The module whose account may schedule upgrades. */
export const AUTHORITY_MODULE = "gov";

export function appKeeper(options: AppOptions, versions: readonly ChainVersion[]): Keeper {
  const { chain, sha256, core, skipHeights, files, staged, log, onProgress, isReopening } = options;
  return new Keeper({
    core,
    authority: chain.addresses.encode(moduleAddress(sha256, AUTHORITY_MODULE)),
    versions,
    ...(skipHeights ? { skipHeights } : {}),
    ...(files ? { files } : {}),
    ...(staged ? { staged } : {}),
    ...(isReopening ? { isReopening } : {}),
    ...(log ? { log } : {}),
    ...(onProgress ? { onProgress } : {}),
  });
}

export function storeOptions({
  sha256,
  genesis,
  versionsKept,
  cacheBytes,
  onProgress,
}: AppOptions): CommitMultiStoreOptions {
  return {
    sha256,
    initialVersion: genesis.initialHeight,
    ...(versionsKept === undefined ? {} : { versionsKept }),
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    ...(onProgress ? { onProgress } : {}),
  };
}

/** Where a block or a check is. */
export type TxPlace = Pick<TxFacts, "height" | "time" | "block">;

/** What transactions share at a place, in the version that runs. */
export function txFactsMaker(
  {
    chain,
    chainId,
    sha256,
    verifySignature,
  }: Pick<AppOptions, "chain" | "sha256" | "verifySignature"> & { readonly chainId: string },
  keeper: Keeper,
  running: () => ChainVersion,
): (place: TxPlace) => TxFacts {
  const { addresses, modules, ante } = chain;
  const facts = { chainId, sha256, addresses, verifySignature: rememberingVerifier(sha256, verifySignature) };
  return (place) => {
    const version = running();
    return { ...facts, ...place, version, keeper, router: routerAt(modules, version), ante };
  };
}

/** Before the first commit. */
export const NO_STORES: ReadableStores = Object.freeze({
  names: Object.freeze([]),
  store: () => {
    throw new TypeError("there is no state yet");
  },
});
