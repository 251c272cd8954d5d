/** MsgSoftwareUpgrade and MsgCancelUpgrade, under the project's package name and under the Cosmos SDK's. */

import * as chainTx from "../../../base/gen/chain/upgrade/v1beta1/tx_pb.js";
import * as cosmosTx from "../../../base/gen/cosmos/upgrade/v1beta1/tx_pb.js";
import type { Plan } from "../../../base/types/types.js";
import { UPGRADE_STORE } from "../../../upgrade/module/keeper.js";
import type { MessageKind, ModuleContext } from "../../app/context.js";
import { messageKind } from "../../app/tx/message-kind.js";

type SoftwareUpgrade = Pick<chainTx.MsgSoftwareUpgrade | cosmosTx.MsgSoftwareUpgrade, "authority" | "plan">;

/** Both names carry the same fields. */
const SOFTWARE_UPGRADES = [
  { schema: chainTx.MsgSoftwareUpgradeSchema, response: chainTx.MsgSoftwareUpgradeResponseSchema },
  { schema: cosmosTx.MsgSoftwareUpgradeSchema, response: cosmosTx.MsgSoftwareUpgradeResponseSchema },
] as const;
const CANCEL_UPGRADES = [
  { schema: chainTx.MsgCancelUpgradeSchema, response: chainTx.MsgCancelUpgradeResponseSchema },
  { schema: cosmosTx.MsgCancelUpgradeSchema, response: cosmosTx.MsgCancelUpgradeResponseSchema },
] as const;

export const UPGRADE_MESSAGES: readonly MessageKind[] = [
  ...SOFTWARE_UPGRADES.map(({ schema, response }) =>
    messageKind<typeof schema, typeof response>({
      schema,
      response,
      isForGovernance: true,
      isBounded: true,
      check: checkSchedule,
      run: schedule,
    }),
  ),
  ...CANCEL_UPGRADES.map(({ schema, response }) =>
    messageKind<typeof schema, typeof response>({
      schema,
      response,
      isForGovernance: true,
      isBounded: true,
      run(context, { authority }) {
        context.keeper.cancelUpgrade(context.store(UPGRADE_STORE), { authority });
        return undefined;
      },
    }),
  ),
];

function schedule(context: ModuleContext, message: SoftwareUpgrade): undefined {
  const { authority } = message;
  context.keeper.softwareUpgrade(context.store(UPGRADE_STORE), context.height, { authority, plan: planOf(message) });
}

/** Every rule that the plan will meet is met when the proposal is submitted already; nothing of it stays. */
function checkSchedule(context: ModuleContext, message: SoftwareUpgrade): void {
  const branch = context.stores.branch();
  schedule(context.over(branch, []), message);
  branch.discard();
}

/** An unset plan is an empty one, which has no name. */
function planOf({ plan }: SoftwareUpgrade): Plan {
  const { time, upgradedClientState } = plan ?? {};
  return {
    name: plan?.name ?? "",
    height: plan?.height ?? 0n,
    info: plan?.info ?? "",
    ...(time ? { time: { seconds: time.seconds, nanos: time.nanos } } : {}),
    ...(upgradedClientState
      ? { upgradedClientState: { typeUrl: upgradedClientState.typeUrl, value: upgradedClientState.value } }
      : {}),
  };
}
