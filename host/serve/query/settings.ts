/** What a node is set to: `cosmos.base.node.v1beta1.Service` and `cosmos.consensus.v1.Query`. */

import { UpgradeError } from "../../base/errors/errors.js";
import { Service } from "../../base/gen/cosmos/base/node/v1beta1/query_pb.js";
import { Query } from "../../base/gen/cosmos/consensus/v1/query_pb.js";
import type { Height } from "../../base/types/types.js";
import type { NodeCall } from "../../chain/app/query/call.js";
import { implementOfNode, type QueryService } from "../../chain/app/query/service.js";
import { paramsMessage } from "../../chain/comet-types/params-message.js";

/** The lowest height of the run up to the last whose state is kept: in as many steps as the run's length has bits. */
export function earliestHeight(has: (height: Height) => boolean, last: Height): Height {
  let kept = last;
  let step = 1n;
  while (kept > step && has(kept - step)) {
    kept -= step;
    step *= 2n;
  }
  for (; step > 0n; step /= 2n) if (kept > step && has(kept - step)) kept -= step;
  return kept;
}

export const settingsService: QueryService = implementOfNode(Service, {
  config(_request, { node: { settings } }) {
    return {
      minimumGasPrice: settings.minimumGasPrices,
      pruningKeepRecent: String(settings.versionsKept),
      pruningInterval: "1",
      haltHeight: settings.haltHeight,
    };
  },

  async status(_request, { app, node }: NodeCall) {
    const latest = await node.latest();
    if (!latest) throw new UpgradeError("UPG_REMOTE_NOT_READY", "the chain is not ready; please wait for first block");
    const { height, time, appHash, nextValidatorsHash } = latest.header;
    return {
      earliestStoreHeight: earliestHeight((each) => app.multiStore.has(each), height),
      height,
      timestamp: { seconds: time.seconds, nanos: time.nanos },
      appHash,
      validatorHash: nextValidatorsHash,
    };
  },
});

export const consensusService: QueryService = implementOfNode(Query, {
  /** Before the first block too. With a height: as its state has them, for the block after it. */
  params(_request, { node, app, askedHeight }) {
    const isLast = askedHeight === 0n || askedHeight === node.lastHeight;
    const params = isLast ? node.consensusParams : app.consensusParamsFor(app.at(askedHeight).height + 1n);
    return { params: paramsMessage(params) };
  },
});
