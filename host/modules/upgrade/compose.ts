/** The messages of module upgrade, as clients propose them: under the names that all clients know. */
import type { Any } from "@bufbuild/protobuf/wkt";
import { MsgCancelUpgradeSchema, MsgSoftwareUpgradeSchema } from "../../gen/cosmos/upgrade/v1beta1/tx_pb.js";
import { ZERO_TIME } from "../../time.js";
import type { Plan } from "../../types.js";
import { packAny } from "../../values/any.js";

export function softwareUpgrade(authority: string, { name, height, info }: Plan): Any {
  return packAny(MsgSoftwareUpgradeSchema, { authority, plan: { name, height, info, time: ZERO_TIME } });
}

export function cancelUpgrade(authority: string): Any {
  return packAny(MsgCancelUpgradeSchema, { authority });
}
