/**
 * The query service, once: every method of every service, on one committed version of the state. REST, gRPC and
 * CometBFT-style RPC turn their requests into `call` and its responses into theirs.
 */
import { type DescService, type Message, toBinary } from "@bufbuild/protobuf";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { INT64_MAX } from "../../base/types/limits.js";
import type { Height, Sha256 } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import type { CallOptions, QueryApp, StateView } from "../../chain/app/query/call.js";
import type { NodePort } from "../../chain/app/query/node-port.js";
import type { QueryMethod, QueryService } from "../../chain/app/query/service.js";
import { isInVersionMap } from "../../upgrade/core/version-map.js";
import { moduleFailure } from "../../upgrade/module/hook-failure.js";
import { appConfigService } from "./app-config.js";
import { appOptionsService } from "./app-options.js";
import { descriptorService, fileService, interfaceService } from "./chain-descriptors.js";
import { nodeService } from "./node.js";
import { readOnlyApp } from "./read-only-app.js";
import { inTurns } from "./scheduler.js";
import { consensusService, settingsService } from "./settings.js";
import { txService } from "./tx.js";

export interface QueryOptions<N extends NodePort = NodePort> {
  readonly chain: Chain;
  readonly app: QueryApp;
  readonly node: N;
  readonly sha256: Sha256;
  readonly bondDenom: string;
  /** `app_state.staking.params` of the genesis document, as JSON. */
  readonly stakingParams: unknown;
  /** Answer under `cosmos.upgrade.v1beta1` too. */
  readonly compatCosmos: boolean;
}

export interface QueryAnswer {
  readonly message: Message;
  /** The height whose state was read; of a query about the node its last one. */
  readonly height: Height;
}

/** The upgrade module's service under the name that today's clients know. */
const COSMOS_UPGRADE = "cosmos.upgrade.";

/** `N`: its node, which may have more than queries need. */
export class Query<N extends NodePort = NodePort> {
  readonly services: readonly QueryService[];
  /** Those of REST: all but the descriptions of the chain to clients of gRPC. */
  readonly routed: readonly QueryService[];
  readonly #methods: ReadonlyMap<string, QueryMethod>;
  /** Whose a method is; a method that is not here belongs to no module. */
  readonly #modules: ReadonlyMap<QueryMethod, string>;
  #last: StateView | undefined;
  readonly app: QueryApp;

  constructor(private readonly options: QueryOptions<N>) {
    this.app = readOnlyApp(options.app);
    const { chain, compatCosmos } = options;
    const isServed = ({ descriptor }: QueryService) => compatCosmos || !descriptor.typeName.startsWith(COSMOS_UPGRADE);
    const ofNode = [txService, nodeService, settingsService, consensusService, interfaceService(chain)];
    this.routed = [...chain.services.filter(isServed), ...ofNode];
    const modules = new Set(this.routed.map(({ descriptor }) => descriptor));
    this.services = [
      ...this.routed,
      appOptionsService(chain.modules, (service) => modules.has(service)),
      appConfigService(chain.modules),
      fileService(chain, () => this.descriptors),
      descriptorService(chain, () => this.descriptors),
    ];
    this.#modules = new Map(
      chain.modules.flatMap(({ name, queries = [] }) =>
        queries.flatMap(({ methods }) => methods.map((method) => [method, name] as const)),
      ),
    );
    this.#methods = new Map(this.services.flatMap(({ methods }) => methods.map((method) => [method.path, method])));
  }

  get node(): N {
    return this.options.node;
  }

  /** Height of the last block; undefined before the first one. */
  get lastHeight(): Height | undefined {
    return this.options.node.lastHeight;
  }

  get sha256(): Sha256 {
    return this.options.sha256;
  }

  get chain(): Chain {
    return this.options.chain;
  }

  get descriptors(): readonly DescService[] {
    return this.services.map(({ descriptor }) => descriptor);
  }

  /** By `/package.Service/Method`. */
  method(path: string): QueryMethod | undefined {
    return this.#methods.get(path);
  }

  /**
   * @param askedHeight 0n: the last one
   * @throws UpgradeError UPG_NOT_FOUND_VERSION, UPG_REMOTE_NOT_READY, UPG_NOT_FOUND_METHOD for a module that the state does not
   * have, and what the method throws
   */
  async call(
    method: QueryMethod,
    request: Message,
    askedHeight: Height,
    options: CallOptions = {},
  ): Promise<QueryAnswer> {
    const { app } = this;
    const { chain, node, sha256, bondDenom, stakingParams } = this.options;
    const facts = { chain, app, node, sha256, bondDenom, stakingParams, inTurns, askedHeight, ...options };
    if (!method.isOfState) {
      return { message: await method.run(request, facts), height: node.lastHeight ?? 0n };
    }
    const state = this.#stateAt(askedHeight);
    const { height, stores, version } = state;
    this.#requireModule(method, state);
    try {
      const message = await method.run(request, { ...facts, height, stores, version });
      // A value that its field cannot hold fails here, and not only in the servers that encode it as protobuf.
      toBinary(method.descriptor.output, message);
      return { message, height };
    } catch (error) {
      // A long walk can be overtaken by the blocks: what it misses then was removed, and is not corrupt.
      if (isUpgradeError(error) && error.code === "UPG_STORE_CORRUPT") app.multiStore.at(height);
      throw this.#failure(method, error);
    }
  }

  /** What a module's method threw. Its UpgradeErrors are responses to the client; anything else is a mistake in the module. */
  #failure(method: QueryMethod, error: unknown): unknown {
    const module = this.#modules.get(method);
    const isResponse = isUpgradeError(error) && !/^UPG_BUG_(?:ASSERT|MODULE)$/.test(error.code);
    if (module === undefined || isResponse) return error;
    return moduleFailure(`Query ${method.path.slice(1)} of module ${module}`, error);
  }

  /** An upgrade may have removed the module and kept its records, which nothing may read as its state then. */
  #requireModule(method: QueryMethod, { height, version }: StateView): void {
    const module = this.#modules.get(method);
    if (module === undefined || isInVersionMap(module, version.modules)) return;
    throw new UpgradeError(
      "UPG_NOT_FOUND_METHOD",
      `module "${module}" is not in the version map at height ${height}, so ${method.path} is not served there`,
    );
  }

  #stateAt(askedHeight: Height): StateView {
    const { app, node } = this.options;
    const { lastHeight } = node;
    if (lastHeight === undefined) {
      throw new UpgradeError("UPG_REMOTE_NOT_READY", "the chain is not ready; please wait for first block");
    }
    if (askedHeight !== 0n && askedHeight !== lastHeight) return app.at(askedHeight);
    // Most questions are about the last height: its view is made once a block.
    if (this.#last?.height !== lastHeight) this.#last = app.at(lastHeight);
    return this.#last;
  }
}

/** The value of a height header; nothing and 0 mean the last one. @throws UpgradeError UPG_INVALID_HEIGHT */
export function parseAskedHeight(text: string | undefined): Height {
  if (text === undefined || text === "") return 0n;
  const isNumber = /^[+-]?[0-9]{1,40}$/.test(text);
  const height = isNumber ? BigInt(text.replace(/^\+/, "")) : -1n;
  if (isNumber && height < 0n) {
    throw new UpgradeError("UPG_INVALID_HEIGHT", "cannot query with height < 0; please provide a valid height");
  }
  if (!isNumber || height > INT64_MAX) {
    throw new UpgradeError(
      "UPG_INVALID_HEIGHT",
      `invalid height header "${HEIGHT_HEADER}": ${JSON.stringify(text.slice(0, 60))} is no 64-bit height`,
    );
  }
  return height;
}

/** Name of the height in requests and responses: an HTTP header, or gRPC metadata. */
export const HEIGHT_HEADER = "x-cosmos-block-height";
/** Name under which an answer says that a total is a lower bound. */
export const CUT_HEADER = "x-search-cut";
/** Name under which responses carry the stable code of an error. */
export const ERROR_CODE_HEADER = "x-error-code";
