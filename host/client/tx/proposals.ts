/** Governance proposals as messages. */
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { messageFromJson } from "../../chain/query/message-json.js";
import { messageOf, UpgradeError } from "../../errors.js";
import { proposal } from "../../gov/compose.js";
import { GOV_MODULE } from "../../gov/records.js";
import { sha256 } from "../../native/sha256.js";
import { programChain } from "../../shell/program-chain.js";
import { required } from "../../shell/settings.js";
import { usage } from "../../usage.js";
import { moduleAddress } from "../../values/address.js";
import { parseCoins } from "../../values/coins.js";
import { messageRegistry } from "../message-json.js";

export interface ProposalFlags {
  readonly title?: string;
  readonly summary?: string;
  readonly deposit: string;
  readonly metadata: string;
  readonly authority?: string;
  readonly expedited?: boolean;
}

/** The gov module's account, unless another is given. */
export function authorityOf({ authority }: Pick<ProposalFlags, "authority">): string {
  const { encode, decode } = programChain().addresses;
  if (authority === undefined || authority === "") return encode(moduleAddress(sha256, GOV_MODULE));
  try {
    return encode(decode(authority));
  } catch (cause) {
    throw usage(`invalid authority address: ${messageOf(cause)}`);
  }
}

/** Checked before the messages are made, so that what a person forgot is reported first. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function checkProposal(flags: ProposalFlags): void {
  required(flags.title, "title");
  required(flags.summary, "summary");
  depositOf(flags);
}

function depositOf({ deposit }: Pick<ProposalFlags, "deposit">) {
  try {
    return parseCoins(deposit).map(({ denom, amount }) => ({ denom, amount: String(amount) }));
  } catch (cause) {
    throw usage(`invalid deposit: ${messageOf(cause)}`);
  }
}

export function submitProposal(messages: readonly Any[], proposer: string, flags: ProposalFlags): Any {
  const { title = "", summary = "", metadata, expedited = false } = flags;
  const initialDeposit = depositOf(flags);
  const parts = { messages: [...messages], initialDeposit, proposer, metadata, title, summary, expedited };
  return proposal(parts);
}

interface ProposalFile {
  readonly messages?: readonly unknown[];
  readonly metadata?: string;
  readonly deposit?: string;
  readonly title?: string;
  readonly summary?: string;
  readonly expedited?: boolean;
}

/** A proposal in the Cosmos SDK's JSON form. @throws UpgradeError UPG_INVALID_TX, UPG_INVALID_ARGUMENT */
export function proposalFromJson(json: unknown, proposer: string): Any {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw usage("a proposal is a JSON object");
  const {
    messages = [],
    metadata = "",
    deposit = "",
    title = "",
    summary = "",
    expedited = false,
  } = json as ProposalFile;
  const texts = [metadata, deposit, title, summary].every((text) => typeof text === "string");
  if (!texts || !Array.isArray(messages) || typeof expedited !== "boolean") {
    throw usage(
      "a proposal has messages (a list), metadata, deposit, title, summary (texts) and expedited (true or false)",
    );
  }
  const flags = { title, summary, deposit, metadata, expedited };
  checkProposal(flags);
  return submitProposal(messages.map(proposedMessage), proposer, flags);
}

function proposedMessage(json: unknown, index: number): Any {
  try {
    return messageFromJson(messageRegistry(), AnySchema, json);
  } catch (cause) {
    const what = messageOf(cause);
    throw new UpgradeError("UPG_INVALID_TX", `message ${index} of the proposal: ${what}`, { cause });
  }
}
