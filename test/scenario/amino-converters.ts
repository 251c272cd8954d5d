/** Amino forms that CosmJS lacks: governance v1, as wallets register them (https://github.com/cosmos/cosmjs/issues/1442). */
import type { AminoConverters } from "@cosmjs/stargate";
import type {
  MsgCancelProposal,
  MsgDeposit,
  MsgSubmitProposal,
  MsgVote,
  MsgVoteWeighted,
} from "cosmjs-types/cosmos/gov/v1/tx";
import { MsgCancelUpgrade, MsgSoftwareUpgrade } from "cosmjs-types/cosmos/upgrade/v1beta1/tx";

/** A member that is there only where it says something. */
const unlessEmpty = (name: string, value: unknown) => (value ? { [name]: value } : {});

const unused = (): never => {
  throw new Error("documents are not read back");
};

function packedAmino({ typeUrl, value }: { typeUrl: string; value: Uint8Array }) {
  if (typeUrl === MsgCancelUpgrade.typeUrl) {
    return { type: "cosmos-sdk/MsgCancelUpgrade", value: { authority: MsgCancelUpgrade.decode(value).authority } };
  }
  if (typeUrl !== MsgSoftwareUpgrade.typeUrl) throw new Error(`no amino form of ${typeUrl}`);
  const { authority, plan } = MsgSoftwareUpgrade.decode(value);
  const { name, height, info } = plan;
  const members = { name, time: "0001-01-01T00:00:00Z", height: String(height), ...unlessEmpty("info", info) };
  return { type: "cosmos-sdk/MsgSoftwareUpgrade", value: { authority, plan: members } };
}

export const GOV_CONVERTERS: AminoConverters = {
  "/cosmos.gov.v1.MsgVote": {
    aminoType: "cosmos-sdk/v1/MsgVote",
    toAmino: ({ proposalId, voter, option, metadata }: MsgVote) => ({
      proposal_id: String(proposalId),
      voter,
      ...unlessEmpty("option", option),
      ...unlessEmpty("metadata", metadata),
    }),
    fromAmino: ({ proposal_id, voter, option = 0, metadata = "" }): MsgVote => ({
      proposalId: BigInt(proposal_id),
      voter,
      option,
      metadata,
    }),
  },
  "/cosmos.gov.v1.MsgVoteWeighted": {
    aminoType: "cosmos-sdk/v1/MsgVoteWeighted",
    toAmino: ({ proposalId, voter, options, metadata }: MsgVoteWeighted) => ({
      proposal_id: String(proposalId),
      voter,
      options: options.map(({ option, weight }) => ({ option, weight })),
      ...unlessEmpty("metadata", metadata),
    }),
    fromAmino: ({ proposal_id, voter, options, metadata = "" }): MsgVoteWeighted => ({
      proposalId: BigInt(proposal_id),
      voter,
      options,
      metadata,
    }),
  },
  "/cosmos.gov.v1.MsgDeposit": {
    aminoType: "cosmos-sdk/v1/MsgDeposit",
    toAmino: ({ proposalId, depositor, amount }: MsgDeposit) => ({
      proposal_id: String(proposalId),
      depositor,
      amount,
    }),
    fromAmino: ({ proposal_id, depositor, amount }): MsgDeposit => ({
      proposalId: BigInt(proposal_id),
      depositor,
      amount,
    }),
  },
  "/cosmos.gov.v1.MsgCancelProposal": {
    aminoType: "/cosmos.gov.v1.MsgCancelProposal",
    toAmino: ({ proposalId, proposer }: MsgCancelProposal) => ({ proposal_id: String(proposalId), proposer }),
    fromAmino: ({ proposal_id, proposer }): MsgCancelProposal => ({ proposalId: BigInt(proposal_id), proposer }),
  },
  "/cosmos.gov.v1.MsgSubmitProposal": {
    aminoType: "cosmos-sdk/v1/MsgSubmitProposal",
    toAmino: (message: MsgSubmitProposal) => ({
      ...(message.messages.length > 0 ? { messages: message.messages.map(packedAmino) } : {}),
      initial_deposit: message.initialDeposit,
      proposer: message.proposer,
      ...unlessEmpty("metadata", message.metadata),
      ...unlessEmpty("title", message.title),
      ...unlessEmpty("summary", message.summary),
      ...unlessEmpty("expedited", message.expedited),
    }),
    // CosmJS encodes what its wallet gave back, so packed messages must come back as they went.
    fromAmino: (value): MsgSubmitProposal => ({
      messages: (value.messages ?? []).map(unpackedAmino),
      initialDeposit: value.initial_deposit,
      proposer: value.proposer,
      metadata: value.metadata ?? "",
      title: value.title ?? "",
      summary: value.summary ?? "",
      expedited: value.expedited ?? false,
    }),
  },
};

interface AminoUpgrade {
  readonly authority: string;
  readonly plan: { readonly name: string; readonly height: string; readonly info?: string };
}

function unpackedAmino({ type, value }: { type: string; value: AminoUpgrade }) {
  if (type === "cosmos-sdk/MsgCancelUpgrade") {
    const bytes = MsgCancelUpgrade.encode(MsgCancelUpgrade.fromPartial({ authority: value.authority })).finish();
    return { typeUrl: MsgCancelUpgrade.typeUrl, value: bytes };
  }
  if (type !== "cosmos-sdk/MsgSoftwareUpgrade") return unused();
  const { name, height, info = "" } = value.plan;
  const plan = { name, height: BigInt(height), info, time: { seconds: -62_135_596_800n, nanos: 0 } };
  const message = MsgSoftwareUpgrade.fromPartial({ authority: value.authority, plan });
  return { typeUrl: MsgSoftwareUpgrade.typeUrl, value: MsgSoftwareUpgrade.encode(message).finish() };
}
