/**
 * All that CometBFT asks of an application: blocks through its port, queries through a function of their own. The parameters of
 * consensus that it is given name the app version, so that the header of each block after an upgrade does, and a node that
 * joins by a snapshot can compare.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import type { Height } from "../../base/types/types.js";
import { AppPort, type AppPortOptions } from "../../chain/app/app-port.js";
import type { BlockRequest, BlockResult } from "../../chain/app/app-shapes.js";
import type {
  AppInfo,
  AppQuery,
  AppQueryResult,
  EnginePort,
  InitChainRequest,
  InitChainResult,
} from "../../chain/app/engine-port.js";
import type { ConsensusParams } from "../../chain/comet-types/consensus-params.js";
import type { ValidatorUpdate } from "../../chain/comet-types/validator-updates.js";

export class ServedApp extends AppPort implements EnginePort {
  constructor(
    private readonly served: AppPortOptions,
    private readonly answer: (query: AppQuery) => Promise<AppQueryResult>,
  ) {
    super(served);
  }

  /** Of the last commit: the version that runs is the next one already where a plan is due. */
  override info(): AppInfo {
    const { app } = this.served;
    const info = super.info();
    return info.lastHeight === 0n ? info : { ...info, appVersion: app.at().version.number };
  }

  override initChain(request: InitChainRequest): InitChainResult {
    const begun = super.initChain(request);
    return { ...begun, params: this.#named(begun.params) };
  }

  override finalizeBlock(request: BlockRequest): BlockResult {
    const before = this.served.app.validators;
    const result = super.finalizeBlock(request);
    requireSomebody(request.height, before ?? [], result.validatorUpdates);
    const { paramUpdates, applied } = result;
    if (!paramUpdates && !applied) return result;
    return { ...result, paramUpdates: this.#named(paramUpdates ?? this.served.app.consensusParams) };
  }

  query(query: AppQuery): Promise<AppQueryResult> {
    return this.answer(query);
  }

  #named(params: ConsensusParams): ConsensusParams {
    return { ...params, version: { app: this.served.app.version.number } };
  }
}

/**
 * CometBFT takes no empty set: it would end on every node, in the middle of this block and after its result was saved.
 * @throws UpgradeError UPG_INVALID_ARGUMENT; nothing of the block is committed
 */
function requireSomebody(
  height: Height,
  before: readonly ValidatorUpdate[],
  updates: readonly ValidatorUpdate[],
): void {
  const gone = updates.filter(({ power }) => power === 0n).length;
  if (gone === 0 || gone < before.length || gone < updates.length) return;
  throw new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `block ${height} leaves no validator with power, so that no block could follow it: what wrote the store of validators must leave one`,
  );
}
