/** The ABCI query `/store/<name>/key`: one key of one store at a height, with the proof that leads to the app hash. */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Height } from "../../../base/types/types.js";
import type { CommitMultiStore } from "./commit-multi-store.js";
import type { KeyProof } from "./version-view.js";

export interface StoreQuery {
  /** `/store/<name>/key` */
  readonly path: string;
  readonly data: Uint8Array;
  /** 0n: the last height but one, whose app hash already is in a header. */
  readonly height: Height;
  readonly prove: boolean;
}

export interface StoreAnswer {
  readonly height: Height;
  readonly store: string;
  readonly value: Uint8Array | undefined;
  readonly proof: KeyProof | undefined;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_INVALID_KEY, UPG_NOT_FOUND_STORE, UPG_NOT_FOUND_VERSION */
export function queryStore(
  multiStore: Pick<CommitMultiStore, "has" | "at" | "lastCommitID">,
  query: StoreQuery,
): StoreAnswer {
  const match = /^\/store\/([^/]+)\/key$/.exec(query.path);
  const store = match?.[1];
  if (!store) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `a store is asked by the path /store/<name>/key, got ${query.path}`);
  }
  const last = multiStore.lastCommitID.version;
  const height = query.height !== 0n ? query.height : last > 1n && multiStore.has(last - 1n) ? last - 1n : last;
  const view = multiStore.at(height);
  const proof = query.prove ? view.prove(store, query.data) : undefined;
  return { height, store, value: proof ? proof.value : view.store(store).get(query.data), proof };
}
