/** Transactions in files: signing and sending what was made before. */

import { readFileSync } from "node:fs";
import { messageFromJson } from "../../chain/query/message-json.js";
import { messageOf, UpgradeError } from "../../errors.js";
import { Query as AuthQuery } from "../../gen/cosmos/auth/v1beta1/query_pb.js";
import { type Tx, TxSchema } from "../../gen/cosmos/tx/v1beta1/tx_pb.js";
import { programName } from "../../program-name.js";
import { usage } from "../../usage.js";
import { ask } from "../../wallet/ask.js";
import { rpcClient } from "../client/flags.js";
import { withKeyring } from "../client/keyring-options.js";
import { messageJson, messageRegistry } from "../client/message-json.js";
import { jsonLine, type Output } from "../output.js";
import { required } from "../settings.js";
import { broadcast } from "./broadcast.js";
import type { TxFlags } from "./flags.js";
import { chainIdOf } from "./send.js";
import { rawBytes, signed } from "./sign.js";

const FILE_BYTES_MAX = 4 * 1_048_576;

/** A JSON file, or stdin for `-`. @throws UpgradeError UPG_INVALID_TX */
export function readJsonFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (cause) {
    const message = messageOf(cause);
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `cannot read ${file}: ${message}`, { cause });
  }
  if (text.length > FILE_BYTES_MAX) throw usage(`${file} is longer than ${FILE_BYTES_MAX} bytes`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", `${file} is not JSON: ${(cause as Error).message}`, { cause });
  }
}

function readTx(file: string): Tx {
  const json = readJsonFile(file);
  try {
    // Fields of newer forms that say nothing (unordered: false, tip: null) are passed over.
    return messageFromJson(messageRegistry(), TxSchema, json);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", `${file} is no transaction: ${(cause as Error).message}`, { cause });
  }
}

/** Prints the signed transaction. */
export async function signFile(file: string, flags: TxFlags, output: Output): Promise<void> {
  const tx = readTx(file);
  await withKeyring(flags, flags.keyringDir ?? flags.home, async (keyring) => {
    const { name, address, publicKey } = keyring.find(required(flags.from, "from"));
    const facts = flags.offline ? offlineFacts(flags) : await onlineFacts(flags, address);
    const sign = (message: Uint8Array) => keyring.sign(name, message);
    const json = messageJson(TxSchema, await signed(tx, { publicKey, ...facts, sign }));
    output.print(json, jsonLine(json));
  });
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

export async function broadcastFile(file: string, flags: TxFlags, output: Output): Promise<void> {
  const tx = readTx(file);
  if (tx.signatures.length === 0) throw usage(`${file} is not signed: \`${programName()} tx sign\` does`);
  await broadcast(rpcClient(flags), rawBytes(tx), flags, output);
}
