/** Governance proposals as messages. */

import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { sha256 } from "../../../base/native/sha256.js";
import { required } from "../../../base/terminal/settings.js";
import { usage } from "../../../base/terminal/usage.js";
import type { Chain } from "../../../chain/app/chain.js";
import { messageFromJson } from "../../../chain/messages/message-json.js";
import { proposal } from "../../../chain/modules/gov/compose.js";
import { GOV_MODULE } from "../../../chain/modules/gov/records.js";
import { moduleAddress } from "../../../chain/values/address.js";
import { parseCoins } from "../../../chain/values/coins.js";
import { JsonReader } from "../../../chain/values/json-reader.js";
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
export function authorityOf(chain: Chain, { authority }: Pick<ProposalFlags, "authority">): string {
  const { encode, decode } = chain.addresses;
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

/** A proposal from a file. */
interface WrittenProposal {
  readonly flags: ProposalFlags;
  readonly messages: readonly Any[];
}

/**
 * Reads a proposal in the Cosmos SDK's JSON form. Names that are not part of it are errors.
 * @throws UpgradeError UPG_INVALID_TX, UPG_INVALID_ARGUMENT
 */
export function proposalFromJson(chain: Chain, json: unknown): WrittenProposal {
  const { flags, messages } = readProposal(json);
  checkProposal(flags);
  return { flags, messages: messages.map((message) => proposedMessage(chain, message)) };
}

function readProposal(json: unknown) {
  const file = new JsonReader(json, "proposal");
  try {
    file.only("messages", "metadata", "deposit", "title", "summary", "expedited");
    const text = (name: string) => file.get(name).text("");
    const flags = {
      ...{ title: text("title"), summary: text("summary"), deposit: text("deposit"), metadata: text("metadata") },
      expedited: file.get("expedited").boolean(false),
    };
    return { flags, messages: file.get("messages").items() };
  } catch (cause) {
    throw usage(messageOf(cause));
  }
}

function proposedMessage(chain: Chain, { value, path }: JsonReader): Any {
  try {
    return messageFromJson(messageRegistry(chain), AnySchema, value, path);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
