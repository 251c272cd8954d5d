/** The messages of module upgrade, as clients propose them: under the names that all clients know. */
import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { MsgAttestSchema, MsgWithdrawAttestationSchema } from "../../../base/gen/chain/upgrade/v1/tx_pb.js";
import { MsgSoftwareUpgradeSchema as ChainMsgSoftwareUpgradeSchema } from "../../../base/gen/chain/upgrade/v1beta1/tx_pb.js";
import { MsgCancelUpgradeSchema, MsgSoftwareUpgradeSchema } from "../../../base/gen/cosmos/upgrade/v1beta1/tx_pb.js";
import { ZERO_TIME } from "../../../base/time/time.js";
import type { Plan } from "../../../base/types/types.js";
import { packAny } from "../../values/any.js";

export function softwareUpgrade(authority: string, { name, height, info }: Plan): Any {
  return packAny(MsgSoftwareUpgradeSchema, { authority, plan: { name, height, info, time: ZERO_TIME } });
}

export function cancelUpgrade(authority: string): Any {
  return packAny(MsgCancelUpgradeSchema, { authority });
}

export const ATTEST_URL = `/${MsgAttestSchema.typeName}`;

export const attestation = (message: MessageInitShape<typeof MsgAttestSchema>): Any =>
  packAny(MsgAttestSchema, message);

export const attestationWithdrawal = (validatorAddress: string, plan: string): Any =>
  packAny(MsgWithdrawAttestationSchema, { validatorAddress, plan });

/** The plan that a message schedules, under either name; undefined: it schedules none. */
export function scheduledPlan({ typeUrl, value }: Any): Pick<Plan, "name" | "height" | "info"> | undefined {
  const schema = [MsgSoftwareUpgradeSchema, ChainMsgSoftwareUpgradeSchema].find(
    (each) => typeUrl === `/${each.typeName}`,
  );
  return schema && fromBinary(schema, value).plan;
}
