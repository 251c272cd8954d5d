/** From messages to an answer of the node: account, gas, fee, signature, a question to the person, the broadcast. */

import type { Any } from "@bufbuild/protobuf/wkt";
import { isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import { Query as AuthQuery } from "../../../base/gen/cosmos/auth/v1beta1/query_pb.js";
import { Service } from "../../../base/gen/cosmos/tx/v1beta1/service_pb.js";
import { type Tx, TxSchema } from "../../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { confirm } from "../../../base/terminal/confirm.js";
import { jsonLine } from "../../../base/terminal/output.js";
import type { Prompt } from "../../../base/terminal/prompt.js";
import { required } from "../../../base/terminal/settings.js";
import { usage } from "../../../base/terminal/usage.js";
import type { Chain } from "../../../chain/app/chain.js";
import { isMeantAsAddress } from "../../../chain/values/address.js";
import { plusNanos } from "../../../node/embedded/clock.js";
import type { RpcClient } from "../../../node/remote/client.js";
import type { Context } from "../../flags/context.js";
import { ask } from "../../wallet/ask.js";
import type { KeyInfo, Keyring } from "../../wallet/keyring.js";
import { rpcClient } from "../flags.js";
import { withKeyring } from "../keyring-options.js";
import { messageJson } from "../message-json.js";
import { broadcast } from "./broadcast.js";
import { txFailure } from "./failure.js";
import { adjustedGas, feeFor } from "./fees.js";
import type { TxFlags } from "./flags.js";
import { type NamedSigner, type Signer, signed, type TxContents, unsignedTx, withSigners } from "./sign.js";
import { rawBytes } from "./signatures.js";

/** The Cosmos SDK's default. */
const GAS_DEFAULT = 200_000n;
const NANOS_PER_MILLI = 1_000_000n;

/** An account that signs: what is known of its key without opening it. */
interface Sender {
  readonly address: string;
  /** Missing for an address that the keyring does not have: nothing can be signed for it. */
  readonly key?: Pick<KeyInfo, "name" | "key" | "type">;
}

/** @param keyring for accounts that a message names by their key */
export type MakeMessages = (
  sender: Sender,
  rpc: RpcClient | undefined,
  keyring: Pick<Keyring, "addressOf">,
) => Promise<readonly Any[]> | readonly Any[];

/** The transaction with this gas limit, unsigned. */
type MakeTx = (gasLimit: bigint) => Tx;

/** Makes, signs and sends a transaction, as far as the flags ask for it; prints the result. */
export async function send(flags: TxFlags, context: Context, make: MakeMessages): Promise<void> {
  const { chain } = context;
  await withKeyring(context, flags, flags.keyringDir ?? flags.home, async (keyring, prompt) => {
    const sender = senderOf(chain, keyring, required(flags.from, "from"), flags);
    const payer = isGiven(flags.feePayer) ? senderOf(chain, keyring, flags.feePayer, flags) : undefined;
    const rpc = flags.offline ? undefined : rpcClient(flags);
    const messages = await make(sender, flags.generateOnly ? undefined : rpc, keyring);
    const tx = contents(flags, messages, payer?.address ?? "");
    if (flags.generateOnly) {
      await printUnsigned(context, tx(fixedGas(flags)));
      return;
    }
    const senders = payer && payer.address !== sender.address ? [sender, payer] : [sender];
    if (flags.dryRun) await printGas(flags, context, senders, needed(rpc), tx);
    else await signAndSend({ flags, context, keyring, prompt, senders, rpc: needed(rpc), tx });
  });
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== "";

function senderOf(chain: Chain, keyring: Keyring, given: string, { generateOnly, dryRun }: TxFlags): Sender {
  const { encode, decode } = chain.addresses;
  if (isMeantAsAddress(given) && (generateOnly || dryRun)) return { address: encode(decode(given)) };
  const found = keyring.find(given);
  if (found.type === "multi" && !generateOnly) {
    const steps =
      "make it with --generate-only; its members sign it (tx sign --multisig), and tx multisign joins their signatures";
    throw usage(`${found.name} is a multisig key, which signs no transaction at once: ${steps}`);
  }
  return { address: found.address, key: found };
}

function contents(flags: TxFlags, messages: readonly Any[], feePayer: string): MakeTx {
  const { note, timeoutHeight } = flags;
  const timeoutTimestamp = timeoutFromNow(flags);
  return (gasLimit) =>
    unsignedTx({ messages, note, timeoutHeight, timeoutTimestamp, gasLimit, fee: feeFor(gasLimit, flags), feePayer });
}

function timeoutFromNow({ timeoutDuration }: TxFlags): TxContents["timeoutTimestamp"] {
  if (timeoutDuration === 0n) return undefined;
  return plusNanos({ seconds: 0n, nanos: 0 }, BigInt(Date.now()) * NANOS_PER_MILLI + timeoutDuration);
}

/** JSON whatever the format: it is meant for `tx sign`. */
async function printUnsigned(context: Context, tx: Tx): Promise<void> {
  const { chain } = context;
  const json = messageJson(chain, TxSchema, tx);
  await context.print(json, jsonLine(json));
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

/** @throws UpgradeError UPG_TX_FAILED with what the transaction would fail with */
async function simulatedGas(rpc: RpcClient, tx: Tx): Promise<bigint> {
  try {
    const { gasInfo } = await ask(rpc, Service.method.simulate, { txBytes: rawBytes(tx) });
    return gasInfo?.gasUsed ?? 0n;
  } catch (error) {
    throw failedSimulation(error);
  }
}

/** The Cosmos SDK's words around the log of a simulation that failed. */
const SIMULATION_LOG = /^rpc error: code = \w+ desc = (.*) with gas used: '\d+': invalid request$/s;

/** Nodes of other programs report no codespace: their error is left as it is. */
function failedSimulation(error: unknown): unknown {
  if (!isUpgradeError(error)) return error;
  const { tx_codespace: codespace, tx_code: code } = error.details;
  if (codespace === undefined || code === undefined) return error;
  const [, log = error.message] = SIMULATION_LOG.exec(error.message) ?? [];
  return txFailure(error.code, "the simulation", { codespace, code: Number(code), log });
}

/** A key that is not known is taken for the most usual one. */
const UNKNOWN_KEY = { type: "secp256k1", bytes: new Uint8Array(33) } as const;

async function printGas(
  flags: TxFlags,
  context: Context,
  senders: readonly Sender[],
  rpc: RpcClient,
  tx: MakeTx,
): Promise<void> {
  const { chain } = context;
  const signers: NamedSigner[] = [];
  for (const { address, key } of senders) {
    const { sequence } = await accountOf(rpc, address);
    signers.push({ key: key?.key ?? UNKNOWN_KEY, sequence, mode: flags.signMode, address });
  }
  const used = await simulatedGas(rpc, withSigners(chain, tx(0n), signers));
  const estimate = adjustedGas(used, flags.gasAdjustment);
  await context.print({ gas_used: String(used), gas_estimate: String(estimate) }, `gas estimate: ${estimate}`);
}

interface Sending {
  readonly flags: TxFlags;
  readonly context: Context;
  readonly keyring: Keyring;
  readonly prompt: Prompt;
  /** The account that --from names is the first; --sequence is its. */
  readonly senders: readonly Sender[];
  readonly rpc: RpcClient;
  readonly tx: MakeTx;
}

async function signAndSend(sending: Sending): Promise<void> {
  const { flags, context, prompt, rpc, tx } = sending;
  const { chain } = context;
  const signers = await signersOf(sending);
  const gasLimit = await gasFor(flags, rpc, (gas) => withSigners(chain, tx(gas), signers));
  const unsigned = tx(gasLimit);
  if (!flags.yes) {
    context.say(jsonLine(messageJson(chain, TxSchema, unsigned)));
    await confirm(prompt, false, "confirm transaction before signing and broadcasting");
  }
  const chainId = await chainIdOf(flags, rpc);
  const whole = await signed(
    chain,
    unsigned,
    signers.map((signer) => ({ ...signer, chainId })),
  );
  await broadcast(rpc, rawBytes(whole), flags, context);
}

async function signersOf({ senders, flags, keyring, rpc }: Sending): Promise<Omit<Signer, "chainId">[]> {
  const signers: Omit<Signer, "chainId">[] = [];
  for (const { address, key } of senders) {
    if (!key) throw usage(`the keyring has no key for ${address}`);
    const { accountNumber, sequence: next } = await accountOf(rpc, address);
    const sequence = signers.length === 0 ? (flags.sequence ?? next) : next;
    const sign = (message: Uint8Array) => keyring.sign(key.name, message);
    signers.push({ key: key.key, mode: flags.signMode, address, accountNumber, sequence, sign });
  }
  return signers;
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
