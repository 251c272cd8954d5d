/** What a proposal says of itself: lengths, and the same title and summary in its metadata when that holds any. */

import { rethrowEngineLimit } from "../../../base/errors/engine-limit.js";
import type { MsgSubmitProposal } from "../../../base/gen/cosmos/gov/v1/tx_pb.js";
import { utf8 } from "../../../base/text/bytes.js";
import { type JsonMember, type JsonValue, parseGoJson } from "../../../upgrade/plan-info/go-json.js";
import { GOV, SDK, TxError } from "../../values/tx-error.js";

/** Bytes, of titles and of metadata, also of votes. */
const METADATA_BYTES_MAX = 255;
/** Bytes of a proposal's summary. */
export const SUMMARY_BYTES_MAX = 40 * METADATA_BYTES_MAX;

type Texts = Pick<MsgSubmitProposal, "title" | "summary" | "metadata">;

/** @throws TxError sdk 18, gov 5, gov 11 */
export function checkTexts({ title, summary, metadata, messages }: Texts & Pick<MsgSubmitProposal, "messages">): void {
  if (title === "") throw new TxError(SDK.INVALID_REQUEST, "proposal title cannot be empty");
  if (summary === "") throw new TxError(SDK.INVALID_REQUEST, "proposal summary cannot be empty");
  if (metadata === "") {
    if (messages.length > 0) return;
    throw new TxError(GOV.NO_MESSAGES, "either metadata or Msgs length must be non-nil");
  }
  const said = metadataTexts(metadata);
  if (!said) return;
  if (said.title !== title) {
    throw new TxError(GOV.INVALID_CONTENT, `metadata title '${said.title}' must equal proposal title '${title}'`);
  }
  if (said.summary !== summary) {
    const what = `metadata summary '${said.summary}' must equal proposal summary '${summary}'`;
    throw new TxError(GOV.INVALID_CONTENT, what);
  }
}

/** @throws TxError gov 15, gov 22 */
export function checkTextLengths({ title, summary, metadata }: Texts): void {
  checkMetadataLength(metadata);
  const length = utf8(summary).length;
  if (length > SUMMARY_BYTES_MAX) throw new TxError(GOV.SUMMARY_TOO_LONG, `got summary with length ${length}`);
  checkMetadataLength(title);
}

/** @throws TxError gov 15 */
export function checkMetadataLength(text: string): void {
  const { length } = utf8(text);
  if (length > METADATA_BYTES_MAX) throw new TxError(GOV.METADATA_TOO_LONG, `got metadata with length ${length}`);
}

const TEXT_KEYS = new Set(["title", "summary", "details", "proposal_forum_url", "vote_option_context"]);

/**
 * Title and summary in metadata of the recommended form, as Go reads it into a struct: keys in any case, null like
 * absent. Undefined: the metadata is of another form, which is no error.
 */
function metadataTexts(metadata: string): { title: string; summary: string } | undefined {
  let json: JsonValue;
  try {
    json = parseGoJson(metadata);
  } catch (error) {
    rethrowEngineLimit(error);
    return undefined;
  }
  const texts = { title: "", summary: "" };
  if (json.kind === "null") return texts;
  if (json.kind !== "object") return undefined;
  for (const member of json.members) {
    if (!takeMember(member, texts)) return undefined;
  }
  return texts;
}

/** False: the member is not of its type. */
function takeMember({ key, value }: JsonMember, texts: { title: string; summary: string }): boolean {
  const name = key.toLowerCase();
  if (value.kind === "null") return true;
  if (name === "authors") return value.kind === "array";
  if (!TEXT_KEYS.has(name)) return true;
  if (value.kind !== "string") return false;
  if (name === "title" || name === "summary") texts[name] = value.text;
  return true;
}
