/** The upgrade module's queries, under the chain's own name and under the one that today's clients know. */

import { UpgradeError } from "../../../base/errors/errors.js";
import { Query as ChainQuery } from "../../../base/gen/chain/upgrade/v1beta1/query_pb.js";
import { Query as CosmosQuery } from "../../../base/gen/cosmos/upgrade/v1beta1/query_pb.js";
import { ZERO_TIME } from "../../../base/time/time.js";
import type { Plan } from "../../../base/types/types.js";
import { decodeReceipt } from "../../../upgrade/handler/receipt.js";
import { UPGRADE_STORE } from "../../../upgrade/module/keeper.js";
import type { QueryCall } from "../../app/query/call.js";
import { implement, type QueryService } from "../../app/query/service.js";
import { checkText } from "../../values/request-text.js";
import { readinessOf } from "./query-readiness.js";

const storeOf = ({ stores }: QueryCall) => stores.store(UPGRADE_STORE);

/** Methods that both services have; requests and answers are alike in both. */
const shared = {
  currentPlan(_request: object, call: QueryCall) {
    const plan = call.app.keeper.plan(storeOf(call));
    return plan ? { plan: planFields(plan) } : {};
  },

  appliedPlan({ name }: { readonly name: string }, call: QueryCall) {
    checkText("name", name);
    return { height: name === "" ? 0n : call.app.keeper.doneHeight(storeOf(call), name) };
  },

  upgradedConsensusState: () => ({}),

  moduleVersions({ moduleName }: { readonly moduleName: string }, call: QueryCall) {
    checkText("module_name", moduleName);
    const versions = call.app.keeper.moduleVersions(storeOf(call));
    const all = [...versions].map(([name, version]) => ({ name, version }));
    if (moduleName === "") return { moduleVersions: all };
    const found = all.filter(({ name }) => name === moduleName);
    if (found.length > 0) return { moduleVersions: found };
    throw new UpgradeError(
      "UPG_NOT_FOUND_MODULE",
      `x/upgrade: QueryModuleVersions module ${moduleName} not found: module version not found`,
    );
  },

  authority: (_request: object, { app }: QueryCall) => ({ address: app.keeper.authority }),
};

function planFields({ name, height, info, time, upgradedClientState }: Plan) {
  return { name, height, info, time: time ?? ZERO_TIME, ...(upgradedClientState ? { upgradedClientState } : {}) };
}

function progressFields({ node }: QueryCall) {
  const progress = node.progress();
  if (!progress) return {};
  const { done, total, rate, secondsElapsed, secondsLeft } = progress;
  const { plan, height, phase, store } = progress;
  const left = secondsLeft === undefined ? {} : { leftMs: BigInt(Math.ceil(secondsLeft * 1_000)) };
  return {
    progress: {
      ...{ plan, height, phase, store, ...left },
      ...{ done: BigInt(done), total: BigInt(total), rate: BigInt(Math.round(rate)) },
      elapsedMs: BigInt(Math.round(secondsElapsed * 1_000)),
    },
  };
}

/** All but the progress of a running upgrade. */
const KEPT = ["currentPlan", "appliedPlan", "upgradedConsensusState", "moduleVersions", "authority"] as const;

export const chainUpgradeQuery: QueryService = implement(ChainQuery, [...KEPT, "receipt", "readiness"], {
  ...shared,
  readiness({ name }, call) {
    checkText("name", name);
    return readinessOf(name, call);
  },
  progress: (_request, call) => progressFields(call),
  receipt({ name }, call) {
    checkText("name", name);
    const bytes = name === "" ? undefined : call.app.keeper.core.receipt(storeOf(call), name);
    if (!bytes) {
      throw new UpgradeError(
        "UPG_NOT_FOUND_RECEIPT",
        `there is no receipt for "${name}": it was not applied, or not by a Wasm handler`,
      );
    }
    const { stores, checks, ...receipt } = decodeReceipt(bytes);
    return { receipt: { ...receipt, stores: [...stores], checks: [...checks] } };
  },
});

/** For explorers, exporters and sidecars that know nothing of this chain. */
export const cosmosUpgradeQuery: QueryService = implement(CosmosQuery, KEPT, shared);
