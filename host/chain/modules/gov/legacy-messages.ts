/** The messages of governance v1beta1: each does what its v1 message does. */
import { create } from "@bufbuild/protobuf";
import { type WeightedVoteOption, WeightedVoteOptionSchema } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import {
  MsgExecLegacyContentResponseSchema,
  MsgExecLegacyContentSchema,
  MsgSubmitProposalSchema as SubmitSchema,
} from "../../../base/gen/cosmos/gov/v1/tx_pb.js";
import type { WeightedVoteOption as LegacyOption } from "../../../base/gen/cosmos/gov/v1beta1/gov_pb.js";
import {
  MsgDepositResponseSchema,
  MsgDepositSchema,
  MsgSubmitProposalResponseSchema,
  MsgSubmitProposalSchema,
  MsgVoteResponseSchema,
  MsgVoteSchema,
  MsgVoteWeightedResponseSchema,
  MsgVoteWeightedSchema,
} from "../../../base/gen/cosmos/gov/v1beta1/tx_pb.js";
import type { MessageKind, ModuleContext } from "../../app/context.js";
import { messageKind } from "../../app/tx/message-kind.js";
import { moduleAddress } from "../../values/address.js";
import { packAny } from "../../values/any.js";
import { formatDecimal } from "../../values/decimal.js";
import { GOV, SDK, TxError } from "../../values/tx-error.js";
import { CONTENT_TYPES, checkContentTexts, checkRoute, readContent } from "./legacy-content.js";
import { castVote, castWeightedVote, makeDeposit, submitProposal } from "./messages.js";
import { GOV_MODULE } from "./records.js";

const govAddress = ({ sha256, addresses }: ModuleContext): string =>
  addresses.encode(moduleAddress(sha256, GOV_MODULE));

/** Packs a content. Its decoding refuses what is no content before anything runs. */
const SUBMIT = messageKind({
  schema: MsgSubmitProposalSchema,
  response: MsgSubmitProposalResponseSchema,
  runsMessages: true,
  packs: CONTENT_TYPES,
  decoded: ({ content }) => void (content && readContent(content)),
  run(context, { content, initialDeposit, proposer }) {
    const read = readContent(content);
    checkContentTexts(read);
    const execute = packAny(MsgExecLegacyContentSchema, {
      ...(content ? { content } : {}),
      authority: govAddress(context),
    });
    const { title, description: summary } = read;
    return submitProposal(
      context,
      create(SubmitSchema, { messages: [execute], initialDeposit, proposer, title, summary }),
    );
  },
});

const EXECUTE = messageKind({
  schema: MsgExecLegacyContentSchema,
  response: MsgExecLegacyContentResponseSchema,
  runsMessages: true,
  packs: CONTENT_TYPES,
  isForGovernance: true,
  decoded: ({ content }) => void (content && readContent(content)),
  check: (_context, { content }) => checkRoute(readContent(content)),
  run(context, { content, authority }) {
    const expected = govAddress(context);
    if (authority !== expected) throw new TxError(GOV.INVALID_SIGNER, `expected ${expected} got ${authority}`);
    checkRoute(readContent(content));
    return undefined;
  },
});

const DEPOSIT = messageKind({
  schema: MsgDepositSchema,
  response: MsgDepositResponseSchema,
  isBounded: true,
  run: makeDeposit,
});

const VOTE = messageKind({
  schema: MsgVoteSchema,
  response: MsgVoteResponseSchema,
  isBounded: true,
  run: (context, { proposalId, voter, option }) =>
    castVote(context, { proposalId, voter, option: option as number, metadata: "" }),
});

const VOTE_WEIGHTED = messageKind({
  schema: MsgVoteWeightedSchema,
  response: MsgVoteWeightedResponseSchema,
  isBounded: true,
  decoded: ({ options }) => void options.map(toOption),
  run: (context, { proposalId, voter, options }) =>
    castWeightedVote(context, { proposalId, voter, options: options.map(toOption), metadata: "" }),
});

/** Sign and digits of a whole number of 10^-18; a decimal has at most 315 bits. */
const ATOMICS = /^-?[0-9]{1,95}$/;

/** @throws TxError sdk 2 */
function toOption({ option, weight }: LegacyOption): WeightedVoteOption {
  if (weight !== "" && !ATOMICS.test(weight))
    throw new TxError(SDK.TX_DECODE, `weight "${weight.slice(0, 100)}" is no whole number of 10^-18`);
  return create(WeightedVoteOptionSchema, { option: option as number, weight: formatDecimal(BigInt(weight || 0)) });
}

export const LEGACY_GOV_MESSAGES: readonly MessageKind[] = [SUBMIT, EXECUTE, DEPOSIT, VOTE, VOTE_WEIGHTED];
