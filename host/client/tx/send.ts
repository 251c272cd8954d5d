/** From messages to an answer of the node: account, gas, fee, signature, a question to the person, the broadcast. */
import type { Any } from "@bufbuild/protobuf/wkt";
import { UpgradeError } from "../../errors.js";
import { Query as AuthQuery } from "../../gen/cosmos/auth/v1beta1/query_pb.js";
import { Service } from "../../gen/cosmos/tx/v1beta1/service_pb.js";
import { type Tx, TxSchema } from "../../gen/cosmos/tx/v1beta1/tx_pb.js";
import { confirm } from "../../shell/confirm.js";
import { jsonLine, type Output } from "../../shell/output.js";
import { programChain } from "../../shell/program-chain.js";
import { required } from "../../shell/settings.js";
import { usage } from "../../usage.js";
import type { SigningKey } from "../../values/account-key.js";
import { isMeantAsAddress } from "../../values/address.js";
import { ask } from "../../wallet/ask.js";
import type { KeyInfo, Keyring } from "../../wallet/keyring.js";
import type { Prompt } from "../../wallet/prompt.js";
import type { RpcClient } from "../../wallet/rpc.js";
import { rpcClient } from "../flags.js";
import { withKeyring } from "../keyring-options.js";
import { messageJson } from "../message-json.js";
import { broadcast } from "./broadcast.js";
import { adjustedGas, feeFor } from "./fees.js";
import type { TxFlags } from "./flags.js";
import { rawBytes, signed, unsignedTx, withSigner } from "./sign.js";

/** The Cosmos SDK's default. */
const GAS_DEFAULT = 200_000n;

/** Who signs: what is known of a key without opening it. */
interface Sender {
  readonly address: string;
  /** Missing for an address that the keyring does not have: nothing can be signed for it. */
  readonly key?: Pick<KeyInfo, "name" | "key" | "type">;
}

export type MakeMessages = (sender: Sender, rpc: RpcClient | undefined) => Promise<readonly Any[]> | readonly Any[];

/** Makes, signs and sends a transaction, as far as the flags ask for it; prints the result. */
export async function send(flags: TxFlags, output: Output, make: MakeMessages): Promise<void> {
  await withKeyring(flags, flags.keyringDir ?? flags.home, async (keyring, prompt) => {
    const sender = senderOf(keyring, flags);
    const rpc = flags.offline ? undefined : rpcClient(flags);
    const messages = await make(sender, flags.generateOnly ? undefined : rpc);
    if (flags.generateOnly) printUnsigned(flags, output, messages);
    else if (flags.dryRun) await printGas(flags, output, sender, needed(rpc), messages);
    else await signAndSend({ flags, output, keyring, prompt, sender, rpc }, messages);
  });
}

function senderOf(keyring: Keyring, { from, generateOnly, dryRun }: TxFlags): Sender {
  const given = required(from, "from");
  const { encode, decode } = programChain().addresses;
  if (isMeantAsAddress(given) && (generateOnly || dryRun)) return { address: encode(decode(given)) };
  const found = keyring.find(given);
  if (found.type === "multi" && !generateOnly) {
    const steps =
      "make it with --generate-only; its members sign it (tx sign --multisig), and tx multisign joins their signatures";
    throw usage(`${found.name} is a multisig key, which signs no transaction at once: ${steps}`);
  }
  return { address: found.address, key: found };
}

function contents(flags: TxFlags, messages: readonly Any[], gasLimit: bigint) {
  const { note, timeoutHeight } = flags;
  return unsignedTx({ messages, note, timeoutHeight, gasLimit, fee: feeFor(gasLimit, flags) });
}

/** JSON whatever the format: it is meant for `tx sign`. */
function printUnsigned(flags: TxFlags, output: Output, messages: readonly Any[]): void {
  const json = messageJson(TxSchema, contents(flags, messages, fixedGas(flags)));
  output.print(json, jsonLine(json));
}

function fixedGas({ gas }: TxFlags): bigint {
  if (gas === "auto") throw usage("--gas auto asks the node; give a number with --generate-only and --offline");
  return gas ?? GAS_DEFAULT;
}

function needed(rpc: RpcClient | undefined): RpcClient {
  if (!rpc) throw usage("this asks the node, and --offline says not to");
  return rpc;
}

interface Account {
  readonly accountNumber: bigint;
  readonly sequence: bigint;
}

/** @throws UpgradeError UPG_NOT_FOUND_ACCOUNT */
async function accountOf(rpc: RpcClient, address: string): Promise<Account> {
  const { info } = await ask(rpc, AuthQuery.method.accountInfo, { address });
  if (!info) throw new UpgradeError("UPG_NOT_FOUND_ACCOUNT", `account ${address} not found: it was never sent a coin`);
  return info;
}

/** @throws UpgradeError what the transaction would end with */
async function simulatedGas(rpc: RpcClient, tx: Tx): Promise<bigint> {
  const { gasInfo } = await ask(rpc, Service.method.simulate, { txBytes: rawBytes(tx) });
  return gasInfo?.gasUsed ?? 0n;
}

async function printGas(
  flags: TxFlags,
  output: Output,
  sender: Sender,
  rpc: RpcClient,
  messages: readonly Any[],
): Promise<void> {
  const { sequence } = await accountOf(rpc, sender.address);
  const key: SigningKey = sender.key?.key ?? { type: "secp256k1", bytes: new Uint8Array(33) };
  const signer = { key, sequence, mode: flags.signMode };
  const used = await simulatedGas(rpc, withSigner(contents(flags, messages, 0n), signer));
  const estimate = adjustedGas(used, flags.gasAdjustment);
  output.print({ gas_used: String(used), gas_estimate: String(estimate) }, `gas estimate: ${estimate}`);
}

interface Sending {
  readonly flags: TxFlags;
  readonly output: Output;
  readonly keyring: Keyring;
  readonly prompt: Prompt;
  readonly sender: Sender;
  readonly rpc: RpcClient | undefined;
}

async function signAndSend(sending: Sending, messages: readonly Any[]): Promise<void> {
  const { flags, output, keyring, prompt, sender } = sending;
  const { key } = sender;
  if (!key) throw usage(`the keyring has no key for ${sender.address}`);
  const rpc = needed(sending.rpc);
  const { accountNumber, sequence: next } = await accountOf(rpc, sender.address);
  const sequence = flags.sequence ?? next;
  const signer = { key: key.key, mode: flags.signMode, sequence };
  const gasLimit = await gasFor(flags, rpc, (gas) => withSigner(contents(flags, messages, gas), signer));
  const unsigned = contents(flags, messages, gasLimit);
  if (!flags.yes) {
    output.say(jsonLine(messageJson(TxSchema, unsigned)));
    await confirm(prompt, false, "confirm transaction before signing and broadcasting");
  }
  const tx = await signed(unsigned, {
    ...signer,
    ...{ chainId: await chainIdOf(flags, rpc), accountNumber, address: sender.address },
    sign: (message) => keyring.sign(key.name, message),
  });
  await broadcast(rpc, rawBytes(tx), flags, output);
}

async function gasFor({ gas, gasAdjustment }: TxFlags, rpc: RpcClient, tx: (gas: bigint) => Tx): Promise<bigint> {
  if (typeof gas === "bigint") return gas;
  const adjusted = adjustedGas(await simulatedGas(rpc, tx(0n)), gasAdjustment);
  return gas === "auto" || adjusted > GAS_DEFAULT ? adjusted : GAS_DEFAULT;
}

/** What was given, else what the node says; a signature for another chain would only be refused. */
export async function chainIdOf({ chainId }: Pick<TxFlags, "chainId">, rpc: RpcClient): Promise<string> {
  const { node_info } = (await rpc.call("status")) as { node_info: { network: string } };
  if (chainId === undefined || chainId === "" || chainId === node_info.network) return node_info.network;
  throw usage(`--chain-id is ${chainId}, and the node's chain is ${node_info.network}`);
}
