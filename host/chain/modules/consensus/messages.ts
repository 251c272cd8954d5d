/** MsgUpdateParams of consensus, which governance alone may run. */

import { isUpgradeError } from "../../../base/errors/errors.js";
import {
  type MsgUpdateParams,
  MsgUpdateParamsResponseSchema,
  MsgUpdateParamsSchema,
} from "../../../base/gen/cosmos/consensus/v1/tx_pb.js";
import type { MessageKind, ModuleContext } from "../../app/context.js";
import { messageKind } from "../../app/tx/message-kind.js";
import { validateParamsUpdate } from "../../comet-types/consensus-params.js";
import { paramsOfMessage } from "../../comet-types/params-message.js";
import { GOV, TxError, undefinedError } from "../../values/tx-error.js";
import { CONSENSUS_STORE, readParams, requireUsable, writeConsensusParams } from "./params.js";

const UPDATE = messageKind({
  isBounded: true,
  schema: MsgUpdateParamsSchema,
  response: MsgUpdateParamsResponseSchema,
  isForGovernance: true,
  check: (context, message) => void checkedParams(context, message),
  run(context, message) {
    writeConsensusParams(context.store(CONSENSUS_STORE), checkedParams(context, message));
    return undefined;
  },
});

export const CONSENSUS_MESSAGES: readonly MessageKind[] = [UPDATE];

/** When it is proposed, and when it runs. @throws TxError gov 13; undefined 1 with what is wrong */
function checkedParams({ keeper, constants, height, store }: ModuleContext, message: MsgUpdateParams) {
  if (message.authority !== keeper.authority) {
    const what = `invalid authority; expected ${keeper.authority}, got ${message.authority}`;
    throw new TxError(GOV.INVALID_SIGNER, what);
  }
  const { version } = constants.params;
  const params = paramsOfMessage(message, version.app);
  if (!params) throw undefinedError("all parameters must be present");
  try {
    requireUsable(params);
    validateParamsUpdate(readParams(store(CONSENSUS_STORE), version.app) ?? constants.params, params, height);
  } catch (error) {
    if (isUpgradeError(error) && error.code === "UPG_INVALID_ARGUMENT") throw undefinedError(error.message);
    throw error;
  }
  return params;
}
