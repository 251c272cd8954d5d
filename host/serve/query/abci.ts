/** The query `/store/<name>/key`: one key at a height, with the proof that leads to the app hash of the next header. */

import { UpgradeError } from "../../base/errors/errors.js";
import { utf8 } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import type { QueryApp } from "../../chain/app/query/call.js";
import { queryStore, type StoreQuery } from "../../state/store/versions/store-query.js";

interface ProofOp {
  readonly type: "ics23:iavl" | "ics23:simple";
  readonly key: Uint8Array;
  /** ICS-23 CommitmentProof. */
  readonly data: Uint8Array;
}

export interface StoreQueryAnswer {
  readonly key: Uint8Array;
  /** Empty when there is no such key. */
  readonly value: Uint8Array;
  readonly height: Height;
  readonly proofOps: readonly ProofOp[] | undefined;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_INVALID_KEY, UPG_NOT_FOUND_STORE, UPG_NOT_FOUND_VERSION, UPG_PROOF_* */
export function abciQuery({ multiStore }: Pick<QueryApp, "multiStore">, query: StoreQuery): StoreQueryAnswer {
  if (query.height < 0n) {
    throw new UpgradeError("UPG_INVALID_HEIGHT", "cannot query with height < 0; please provide a valid height");
  }
  if (query.prove && query.height === 1n) {
    throw new UpgradeError(
      "UPG_INVALID_HEIGHT",
      "cannot query with proof when height <= 1; please provide a valid height",
    );
  }
  const { height, store, value, proof } = queryStore(multiStore, query);
  const proofOps = proof && [
    { type: "ics23:iavl" as const, key: query.data, data: proof.store },
    { type: "ics23:simple" as const, key: utf8(store), data: proof.app },
  ];
  return { key: query.data, value: value ?? new Uint8Array(), height, proofOps };
}
