/**
 * `cosmos.app.v1alpha1`: the modules of the chain, in their order. A node of the Cosmos SDK adds what its dependency injection gives to
 * each; nothing of that kind is here.
 */

import { Query } from "../../base/gen/cosmos/app/v1alpha1/query_pb.js";
import type { Module } from "../../chain/app/module.js";
import { implementOfNode, type QueryService } from "../../chain/app/query/service.js";

export function appConfigService(modules: readonly Module[]): QueryService {
  const config = { modules: modules.map(({ name }) => ({ name })) };
  return implementOfNode(Query, { config: () => ({ config }) });
}
