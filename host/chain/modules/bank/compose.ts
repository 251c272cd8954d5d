/** The messages of module bank, as clients make them. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { MsgSendSchema } from "../../../base/gen/cosmos/bank/v1beta1/tx_pb.js";
import { packAny } from "../../values/any.js";

export const transfer = (message: MessageInitShape<typeof MsgSendSchema>): Any => packAny(MsgSendSchema, message);
