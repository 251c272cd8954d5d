/** What SIGN_MODE_LEGACY_AMINO_JSON signs: the transaction as one JSON document, names ascending. */

import { UpgradeError } from "../../base/errors/errors.js";
import { CoinSchema } from "../../base/gen/cosmos/base/v1beta1/coin_pb.js";
import { type AuthInfo, type Fee, type TxBody, TxBodySchema } from "../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { utf8 } from "../../base/text/bytes.js";
import { formatTime } from "../../base/time/time.js";
import { aminoJson, aminoList, aminoObject, aminoText } from "./amino-json.js";
import { checkStrictly, type Resolve } from "./strict.js";

export interface AminoSigned {
  readonly body: TxBody;
  readonly authInfo: AuthInfo;
  readonly chainId: string;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
  /** Of the signer. */
  readonly address: string;
  /** Descriptors of what is packed in the body. */
  readonly resolve: Resolve;
}

const refused = (what: string) => new UpgradeError("UPG_INVALID_TX", what);

/** @throws UpgradeError UPG_INVALID_TX when something in the transaction has no amino JSON: nobody could have signed it */
export function aminoSignBytes(signed: AminoSigned): Uint8Array {
  const { body, authInfo, chainId, accountNumber, sequence, address, resolve } = signed;
  if (body.extensionOptions.length + body.nonCriticalExtensionOptions.length > 0) {
    throw refused("SIGN_MODE_LEGACY_AMINO_JSON does not support protobuf extension options: invalid request");
  }
  const { tip, fee } = authInfo;
  if (tip?.tipper === "") throw refused("tipper cannot be empty");
  if (!fee) throw refused("fee cannot be nil");
  const members: (readonly [string, string])[] = [
    ["account_number", `"${accountNumber}"`],
    ["fee", tip?.tipper === address ? NO_FEE : feeJson(fee)],
    ["memo", aminoText(body.memo)],
    [
      "msgs",
      body.messages.length === 0 ? "null" : `[${body.messages.map((any) => aminoJson(any, resolve)).join(",")}]`,
    ],
    ["sequence", `"${sequence}"`],
  ];
  if (chainId !== "") members.push(["chain_id", aminoText(chainId)]);
  if (body.timeoutHeight > 0n) members.push(["timeout_height", `"${body.timeoutHeight}"`]);
  if (body.timeoutTimestamp) members.push(["timeout_timestamp", `"${formatTime(body.timeoutTimestamp)}"`]);
  if (body.unordered) members.push(["unordered", "true"]);
  return utf8(aminoObject(members));
}

/** One who tips does not pay. */
const NO_FEE = aminoObject([
  ["amount", "[]"],
  ["gas", '"0"'],
]);

function feeJson({ amount, gasLimit, payer, granter }: Fee): string {
  const members: (readonly [string, string])[] = [
    ["amount", aminoList(CoinSchema, amount)],
    ["gas", `"${gasLimit}"`],
  ];
  if (payer !== "") members.push(["payer", aminoText(payer)]);
  if (granter !== "") members.push(["granter", aminoText(granter)]);
  return aminoObject(members);
}

/**
 * The same over bytes that were received: a field that nobody knows is nothing that was signed.
 *
 * @throws UpgradeError UPG_INVALID_TX
 */
export function aminoSignBytesOf(bodyBytes: Uint8Array, signed: AminoSigned): Uint8Array {
  try {
    checkStrictly(bodyBytes, TxBodySchema, { resolve: signed.resolve, mayHoldNotCritical: false });
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", (cause as Error).message, { cause });
  }
  return aminoSignBytes(signed);
}
