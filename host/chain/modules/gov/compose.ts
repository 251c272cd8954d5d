/** The messages of module gov, as clients make them. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import {
  MsgCancelProposalSchema,
  MsgDepositSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
  MsgVoteWeightedSchema,
} from "../../../base/gen/cosmos/gov/v1/tx_pb.js";
import { packAny } from "../../values/any.js";

export const proposal = (message: MessageInitShape<typeof MsgSubmitProposalSchema>): Any =>
  packAny(MsgSubmitProposalSchema, message);

export const deposit = (message: MessageInitShape<typeof MsgDepositSchema>): Any => packAny(MsgDepositSchema, message);

export const vote = (message: MessageInitShape<typeof MsgVoteSchema>): Any => packAny(MsgVoteSchema, message);

export const weightedVote = (message: MessageInitShape<typeof MsgVoteWeightedSchema>): Any =>
  packAny(MsgVoteWeightedSchema, message);

export const cancellation = (message: MessageInitShape<typeof MsgCancelProposalSchema>): Any =>
  packAny(MsgCancelProposalSchema, message);
