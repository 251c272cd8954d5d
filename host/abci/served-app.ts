/**
 * All that CometBFT asks of an application: blocks through its port, queries through a function of their own. The parameters of
 * consensus that it is given name the app version, so that the header of each block after an upgrade does, and a node that
 * joins by a snapshot can compare.
 */
import { AppPort, type AppPortOptions } from "../chain/app-port.js";
import type { BlockRequest, BlockResult } from "../chain/app-shapes.js";
import type {
  AppInfo,
  AppQuery,
  AppQueryResult,
  EnginePort,
  InitChainRequest,
  InitChainResult,
} from "../chain/engine-port.js";
import type { ConsensusParams } from "../comet/consensus-params.js";

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
    const result = super.finalizeBlock(request);
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
