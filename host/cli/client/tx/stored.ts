/** Transactions in files: signing and sending what was made before. */

import { existsSync, writeFileSync } from "node:fs";
import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { readBytes, readRegularFile } from "../../../base/files/open-file.js";
import { Query as AuthQuery } from "../../../base/gen/cosmos/auth/v1beta1/query_pb.js";
import { SignatureDescriptorsSchema } from "../../../base/gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import { type Tx, TxSchema } from "../../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { jsonLine, type Output } from "../../../base/terminal/output.js";
import { required } from "../../../base/terminal/settings.js";
import { usage } from "../../../base/terminal/usage.js";
import { PROGRAM } from "../../../base/text/program-text.js";
import { decodeLossy } from "../../../base/text/text.js";
import type { Chain } from "../../../chain/app/chain.js";
import { requireExactNumbers } from "../../../chain/genesis-stream/exact-numbers.js";
import { requireNamesOnceIn } from "../../../chain/genesis-stream/names-once.js";
import { messageFromJson } from "../../../chain/messages/message-json.js";
import { packKey } from "../../../chain/values/account-key.js";
import { requireOutputFolder } from "../../../node/home/output-folder.js";
import type { Context } from "../../flags/context.js";
import { ask } from "../../wallet/ask.js";
import { rpcClient } from "../flags.js";
import { withKeyring } from "../keyring-options.js";
import { messageJson, messageRegistry } from "../message-json.js";
import { broadcast } from "./broadcast.js";
import type { TxFlags } from "./flags.js";
import { chainIdOf } from "./send.js";
import { SIGN_MODES, type SignedAccount, signed } from "./sign.js";
import { rawBytes, requireSigner, signersOf } from "./signatures.js";

const FILE_BYTES_MAX = 4 * 1_048_576;
const STDIN = 0;

/** A JSON file, or stdin for `-`. @throws UpgradeError UPG_INVALID_TX */
export function readJsonFile(file: string): unknown {
  let bytes: Uint8Array;
  try {
    bytes = file === "-" ? readBytes(STDIN, FILE_BYTES_MAX) : readRegularFile(file, FILE_BYTES_MAX);
  } catch (cause) {
    const message = messageOf(cause);
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `cannot read ${file}: ${message}; - reads from stdin`, { cause });
  }
  if (bytes.length > FILE_BYTES_MAX) throw usage(`${file} is longer than ${FILE_BYTES_MAX} bytes`);
  const text = decodeLossy(bytes);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", `${file} is not JSON: ${(cause as Error).message}`, { cause });
  }
  requireReadAsWritten(file, text);
  return json;
}

/** `JSON.parse` drops the first of two members with one name and rounds long numbers. @throws UpgradeError UPG_INVALID_TX */
function requireReadAsWritten(file: string, text: string): void {
  try {
    requireNamesOnceIn(text, file);
    requireExactNumbers(text, file);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", messageOf(cause), { cause });
  }
}

export const readTx = (chain: Chain, file: string): Tx => readMessage(chain, file, TxSchema, "transaction");

/** @throws UpgradeError UPG_INVALID_TX */
export function readMessage<S extends DescMessage>(
  chain: Chain,
  file: string,
  schema: S,
  what: string,
): MessageShape<S> {
  const json = readJsonFile(file);
  try {
    return messageFromJson(messageRegistry(chain), schema, json);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", `${file} is no ${what}: ${messageOf(cause)}`, { cause });
  }
}

export interface SignFlags extends TxFlags {
  /** Name or address of a multisig key that the signer is a member of. */
  readonly multisig?: string;
  readonly signatureOnly?: boolean;
  readonly outputDocument?: string;
}

/** Prints the signed transaction, or the signature alone, which a multisig key's members give one another. */
export async function signFile(file: string, flags: SignFlags, context: Context): Promise<void> {
  const { chain } = context;
  requireNewDocument(flags);
  const tx = readTx(chain, file);
  await withKeyring(context, flags, flags.keyringDir ?? flags.home, async (keyring) => {
    const { name, address, key } = keyring.find(required(flags.from, "from"));
    const account = flags.multisig === undefined ? address : keyring.addressOf(flags.multisig);
    requireAmino(chain, tx, account, flags);
    const facts = await signedFacts(flags, account);
    const sign = (message: Uint8Array) => keyring.sign(name, message);
    if (flags.multisig === undefined && !flags.signatureOnly) {
      const whole = await signed(chain, tx, [{ key, mode: flags.signMode, ...facts, sign }]);
      await printDocument(messageJson(chain, TxSchema, whole), flags, context);
      return;
    }
    // Which members will sign is not known yet, and SIGN_MODE_DIRECT signs that too.
    const mode = flags.multisig === undefined ? flags.signMode : "amino-json";
    const { signatures } = await signed(chain, tx, [{ key, mode, ...facts, sign }]);
    const single = { mode: SIGN_MODES[mode], signature: signatures[0] ?? new Uint8Array() };
    const { sequence } = facts;
    const descriptor = { publicKey: packKey(key), data: { sum: { case: "single", value: single } }, sequence } as const;
    const descriptors = create(SignatureDescriptorsSchema, { signatures: [descriptor] });
    await printDocument(messageJson(chain, SignatureDescriptorsSchema, descriptors), flags, context);
  });
}

/** SIGN_MODE_DIRECT signs what the other signers put in, too, which is not known yet. @throws UpgradeError UPG_INVALID_ARGUMENT */
function requireAmino(chain: Chain, tx: Tx, account: string, { signMode, multisig }: SignFlags): void {
  const signers = signersOf(chain, tx);
  requireSigner(signers, account);
  const others = signers.filter((address) => address !== account);
  if (others.length === 0 || signMode === "amino-json" || multisig !== undefined) return;
  throw usage(`${others.join(", ")} signs this transaction too: every signer gives --sign-mode amino-json`);
}

/** What a signature is bound to. */
export async function signedFacts(flags: TxFlags, address: string): Promise<SignedAccount> {
  return { ...(flags.offline ? offlineFacts(flags) : await onlineFacts(flags, address)), address };
}

/** Checks `--output-document` before the work. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireNewDocument({ outputDocument: file }: SignFlags): void {
  if (file === undefined) return;
  requireOutputFolder(file);
  if (existsSync(file)) throw usage(`${file} exists: remove it, or name another file`);
}

/** JSON to a file that does not exist yet, else to stdout. @throws UpgradeError UPG_INVALID_ARGUMENT */
export async function printDocument(
  json: Readonly<Record<string, unknown>>,
  flags: SignFlags,
  output: Output,
): Promise<void> {
  const { outputDocument: file } = flags;
  if (file === undefined) {
    await output.print(json, jsonLine(json));
    return;
  }
  try {
    writeFileSync(file, jsonLine(json), { flag: "wx" });
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `cannot write ${file}: ${messageOf(cause)}`, { cause });
  }
}

function offlineFacts({ chainId, accountNumber, sequence }: TxFlags) {
  if (accountNumber === undefined || sequence === undefined) {
    throw usage("--offline needs --account-number and --sequence");
  }
  return { chainId: required(chainId, "chain-id"), accountNumber, sequence };
}

async function onlineFacts(flags: TxFlags, address: string) {
  const rpc = rpcClient(flags);
  const { info } = await ask(rpc, AuthQuery.method.accountInfo, { address });
  if (!info) throw new UpgradeError("UPG_NOT_FOUND_ACCOUNT", `account ${address} not found`);
  const { accountNumber, sequence } = info;
  return { chainId: await chainIdOf(flags, rpc), accountNumber, sequence: flags.sequence ?? sequence };
}

export async function broadcastFile(file: string, flags: TxFlags, context: Context): Promise<void> {
  const { chain } = context;
  const tx = readTx(chain, file);
  if (tx.signatures.length === 0) throw usage(`${file} is not signed: \`${PROGRAM} tx sign\` does`);
  await broadcast(rpcClient(flags), rawBytes(tx), flags, context);
}
