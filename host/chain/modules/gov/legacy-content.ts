/**
 * Contents of gov v1beta1 proposals. A v1 proposal holds one in a MsgExecLegacyContent. A TextProposal changes nothing
 * and passes; the handlers of the other types are gone, as in the Cosmos SDK, so those are refused on submission.
 */
import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { MsgExecLegacyContentSchema } from "../../../base/gen/cosmos/gov/v1/tx_pb.js";
import { TextProposalSchema } from "../../../base/gen/cosmos/gov/v1beta1/gov_pb.js";
import {
  CancelSoftwareUpgradeProposalSchema,
  SoftwareUpgradeProposalSchema,
} from "../../../base/gen/cosmos/upgrade/v1beta1/upgrade_pb.js";
import { utf8 } from "../../../base/text/bytes.js";
import { GOV, SDK, TxError } from "../../values/tx-error.js";

/** Bytes, of contents. */
const TITLE_BYTES_MAX = 140;
const DESCRIPTION_BYTES_MAX = 10_000;

/** Types that may be packed as a content. */
export const CONTENT_TYPES: readonly DescMessage[] = [
  TextProposalSchema,
  SoftwareUpgradeProposalSchema,
  CancelSoftwareUpgradeProposalSchema,
];

/** Modules that handled the contents which nothing handles any more. */
const ROUTES_GONE: ReadonlyMap<string, string> = new Map([
  [`/${SoftwareUpgradeProposalSchema.typeName}`, "upgrade"],
  [`/${CancelSoftwareUpgradeProposalSchema.typeName}`, "upgrade"],
]);

export interface Content {
  readonly typeUrl: string;
  readonly title: string;
  readonly description: string;
}

/** @throws TxError gov 5 without one, sdk 2 when the type is no content */
export function readContent(any: Any | undefined): Content {
  if (!any) throw new TxError(GOV.INVALID_CONTENT, "missing content");
  const schema = CONTENT_TYPES.find(({ typeName }) => any.typeUrl === `/${typeName}`);
  if (!schema) {
    const what = `no concrete type registered for type URL ${any.typeUrl} against interface *v1beta1.Content`;
    throw new TxError(SDK.TX_DECODE, what);
  }
  // All of them begin with the same two fields.
  const { title, description } = fromBinary(TextProposalSchema, any.value);
  return { typeUrl: any.typeUrl, title, description };
}

/** @throws TxError gov 5 */
export function checkContentTexts({ title, description }: Content): void {
  if (title.trim() === "") throw wrongText("title cannot be blank");
  if (utf8(title).length > TITLE_BYTES_MAX) throw wrongText(`title is longer than max length of ${TITLE_BYTES_MAX}`);
  if (description === "") throw wrongText("description cannot be blank");
  if (utf8(description).length > DESCRIPTION_BYTES_MAX)
    throw wrongText(`description is longer than max length of ${DESCRIPTION_BYTES_MAX}`);
}

const wrongText = (what: string) => new TxError(GOV.INVALID_CONTENT, `proposal ${what}`);

/** @throws TxError gov 9 */
export function checkRoute({ typeUrl }: Content): void {
  const route = ROUTES_GONE.get(typeUrl);
  if (route !== undefined) throw new TxError(GOV.NO_HANDLER, route);
}

/** The content of a proposal as v1beta1 shows it: what was submitted, or the one message of a v1 proposal. */
export function legacyContentOf(messages: readonly Any[]): Any | undefined {
  const [message] = messages;
  if (!message || messages.length > 1) return undefined;
  if (message.typeUrl !== `/${MsgExecLegacyContentSchema.typeName}`) return message;
  return fromBinary(MsgExecLegacyContentSchema, message.value).content;
}
