/** What the query service asks of a node, where there is none: a state before and after a block, and nothing else. */

import { UpgradeError } from "../../../base/errors/errors.js";
import { VERSIONS_KEPT_DEFAULT } from "../../../base/types/limits.js";
import type { Height, Timestamp } from "../../../base/types/types.js";
import type { NodePort } from "../../../chain/app/query/node-port.js";

interface QueryNodeFacts {
  readonly chainId: string;
  readonly consensusParams: NodePort["consensusParams"];
  readonly lastHeight: Height;
  readonly time: Timestamp;
}

/** Blocks and transactions of a rehearsal are nobody's to ask for. */
export function queryNode({ chainId, consensusParams, lastHeight, time }: QueryNodeFacts): NodePort {
  const settings = { minimumGasPrices: "", versionsKept: VERSIONS_KEPT_DEFAULT, haltHeight: 0n, isIndexed: false };
  return {
    ...{ settings, chainId, consensusParams, lastHeight },
    timeOf: () => time,
    progress: () => undefined,
    afterRechecks: async (work) => work(),
    info: noBlocks,
    latest: () => undefined,
    earliest: () => undefined,
    at: noBlocks,
    block: noBlocks,
    validatorsAt: noBlocks,
    tx: () => undefined,
    searchTxs: noBlocks,
    broadcast: noBlocks,
    waiting: noBlocks,
  };
}

function noBlocks(): never {
  throw new UpgradeError("UPG_NOT_FOUND_BLOCK", "a rehearsal has no blocks");
}
