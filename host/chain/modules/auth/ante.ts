/**
 * What is checked and taken before a transaction's messages run, in the Cosmos SDK's order: form, timeouts, memo, size, fee,
 * keys, signatures, sequences. A transaction that fails here leaves nothing behind, not even its fee.
 */

import type { Account } from "../../../base/gen/chain/auth/v1/auth_pb.js";
import { equalBytes, toBase64, utf8 } from "../../../base/text/bytes.js";
import { compareTimes, formatTime } from "../../../base/time/time.js";
import { INT64_MAX } from "../../../base/types/limits.js";
import type { ModuleContext } from "../../app/context.js";
import { type Ante, type AnteOptions, type FeeTrial, requireGasFits, type TxMode } from "../../app/tx/ante.js";
import { type DecodedTx, resolverOf } from "../../app/tx/decode.js";
import { aminoSignBytesOf } from "../../messages/amino-doc.js";
import { checkSignatureCount, keyAddress, memberCount, readKey, type SigningKey } from "../../values/account-key.js";
import { GAS } from "../../values/gas.js";
import { readMessageCoins } from "../../values/message-coins.js";
import { SDK, TxError } from "../../values/tx-error.js";
import { bankOf } from "../bank/bank.js";
import { FEE_COLLECTOR, transferToModule } from "../bank/transfer.js";
import { AUTH_STORE, keyFields, keyOfAccount, readAccount, writeAccount } from "./accounts.js";
import { isAminoOnly, isIncomplete, publishedSignatures, readSignature, type SignatureData } from "./signature-data.js";
import { chargeSignature, missingBytes } from "./signature-gas.js";
import { keyTypeName, type SignDocs, signatureFailure, signBytes } from "./signatures.js";

const MEMO_CHARACTERS_MAX = 256;
/** What a fee adds to a transaction besides its denomination: an amount of 20 digits, a gas limit and their frames. */
const FEE_FRAME_BYTES = 32;

type Options = Parameters<Ante>[2];

/** @throws TxError */
export const runAnte: Ante = (context, tx, options) => {
  requireGasFits(gasLimit(tx), options.blockGasMax);
  checkExtensions(tx);
  if (options.mode !== "recheck") checkForm(tx);
  checkTimeouts(context, tx);
  chargeReads(context);
  checkMemo(tx);
  chargeSize(context, tx, options);
  if (options.takesFees) takeFee(context, tx, options);
  const signers = settleKeys(context, tx, options);
  checkSignatures(context, tx, signers, options);
  for (const { address } of signers.map(({ account }) => account)) {
    const account = requireAccount(context, address);
    account.sequence += 1n;
    writeAccount(context.store(AUTH_STORE), account);
  }
};

const gasLimit = (tx: DecodedTx): bigint => tx.authInfo.fee?.gasLimit ?? 0n;

function checkExtensions({ body }: DecodedTx): void {
  if (body.extensionOptions.length > 0) throw new TxError(SDK.UNKNOWN_EXTENSION);
  if (body.unordered) throw new TxError(SDK.NOT_SUPPORTED, "unordered transactions are not enabled");
}

function checkForm({ authInfo, raw, signers }: DecodedTx): void {
  const { fee } = authInfo;
  if (!fee) throw new TxError(SDK.INVALID_REQUEST, "missing fee");
  if (fee.gasLimit > INT64_MAX) {
    throw new TxError(SDK.INVALID_REQUEST, `invalid gas supplied; ${fee.gasLimit} > ${INT64_MAX}`);
  }
  const { isAnyNegative, text } = readMessageCoins(fee.amount);
  if (isAnyNegative) throw new TxError(SDK.INSUFFICIENT_FEE, `invalid fee provided: ${text}`);
  const { signatures } = raw;
  if (signatures.length === 0) throw new TxError(SDK.NO_SIGNATURES);
  if (signatures.length !== signers.length) {
    const what = `wrong number of signers; expected ${signers.length}, got ${signatures.length}`;
    throw new TxError(SDK.UNAUTHORIZED, what);
  }
}

function checkTimeouts({ height, time }: ModuleContext, { body }: DecodedTx): void {
  if (body.timeoutHeight > 0n && height > body.timeoutHeight) {
    throw new TxError(SDK.TIMEOUT_HEIGHT, `block height: ${height}, timeout height: ${body.timeoutHeight}`);
  }
  const timeout = body.timeoutTimestamp;
  if (timeout && (timeout.seconds !== 0n || timeout.nanos !== 0) && compareTimes(timeout, time) < 0) {
    const what = `block time: ${formatTime(time)}, timeout timestamp: ${timeout.seconds}.${timeout.nanos}`;
    throw new TxError(SDK.TIMEOUT, what);
  }
}

/** The Cosmos SDK reads its parameters from state here; they are constants of this chain, at the same price. */
function chargeReads({ consumeGas }: ModuleContext): void {
  consumeGas(GAS.READ_FLAT, "ReadFlat");
  consumeGas(GAS.READ_PER_BYTE * GAS.PARAMETER_BYTES, "ReadPerByte");
}

function checkMemo({ body }: DecodedTx): void {
  const length = utf8(body.memo).length;
  if (length <= MEMO_CHARACTERS_MAX) return;
  const what = `maximum number of characters is ${MEMO_CHARACTERS_MAX} but received ${length} characters`;
  throw new TxError(SDK.MEMO_TOO_LARGE, what);
}

function chargeSize({ consumeGas }: ModuleContext, tx: DecodedTx, { mode, trial }: Options): void {
  consumeGas(GAS.TX_PER_BYTE * BigInt(tx.size), "txSize");
  if (mode !== "simulate") return;
  tx.signers.forEach((address, index) => {
    const { modeInfo } = tx.authInfo.signerInfos[index] ?? {};
    const signature = tx.raw.signatures[index] ?? new Uint8Array();
    if (signature.length > 0 && !isIncomplete(readSignature(modeInfo, signature))) return;
    const account = readAccount(trial.stores.store(AUTH_STORE), address);
    consumeGas(GAS.TX_PER_BYTE * BigInt(missingBytes(account && keyOfAccount(account))), "txSize");
  });
}

function takeFee(context: ModuleContext, tx: DecodedTx, { mode, trial }: Options): void {
  const { fee } = tx.authInfo;
  if (mode !== "simulate" && gasLimit(tx) === 0n) throw new TxError(SDK.INVALID_GAS_LIMIT, "must provide positive gas");
  const payer = tx.feePayer ?? new Uint8Array();
  if (fee && fee.granter !== "" && fee.granter !== context.addresses.encode(payer)) {
    throw new TxError(SDK.INVALID_REQUEST, "fee grants are not enabled");
  }
  if (!readAccount(context.store(AUTH_STORE), payer)) {
    throw new TxError(SDK.UNKNOWN_ADDRESS, `fee payer address: ${context.addresses.encode(payer)} does not exist`);
  }
  const { coins, text, isValid } = readMessageCoins(fee?.amount ?? []);
  const isZero = coins.every(({ amount }) => amount === 0n);
  if (!isZero) {
    if (!isValid) throw new TxError(SDK.INSUFFICIENT_FEE, `invalid fee amount: ${text}`);
    payFee(context, payer, coins);
  } else if (mode === "simulate") countFee(trial, payer);
  context.emit("tx", ["fee", text], ["fee_payer", context.addresses.encode(payer)]);
}

/** Charges what a fee will cost, and leaves nothing else behind: neither the payment nor its events. */
function countFee(trial: FeeTrial, payer: Uint8Array): void {
  const context = trial.context();
  const coin = bankOf(context.version).balances(trial.stores, payer)[0];
  if (!coin) return;
  const { denom } = coin;
  context.consumeGas(GAS.TX_PER_BYTE * BigInt(FEE_FRAME_BYTES + denom.length), "txSize");
  try {
    payFee(context, payer, [{ denom, amount: 1n }]);
  } catch (error) {
    // Coins that are locked: what was looked at is counted, and a real fee will say what is wrong with it.
    if (!(error instanceof TxError) || error.abci !== SDK.INSUFFICIENT_FUNDS) throw error;
  }
}

function payFee(context: ModuleContext, payer: Uint8Array, coins: Parameters<typeof transferToModule>[3]): void {
  try {
    transferToModule(context, payer, FEE_COLLECTOR, coins);
  } catch (cause) {
    if (!(cause instanceof TxError) || cause.abci !== SDK.INSUFFICIENT_FUNDS) throw cause;
    // The Cosmos SDK wraps the bank's own error in the same one, so its text is repeated.
    throw new TxError(SDK.INSUFFICIENT_FUNDS, cause.message, { cause });
  }
}

function requireAccount(context: ModuleContext, address: Uint8Array): Account {
  const account = readAccount(context.store(AUTH_STORE), address);
  if (account) return account;
  throw new TxError(SDK.UNKNOWN_ADDRESS, `account ${context.addresses.encode(address)} does not exist`);
}

interface TxSigner {
  readonly account: Account;
  /** Undefined: a simulation for an account that has not signed yet. */
  readonly key: SigningKey | undefined;
  readonly signature: SignatureData;
}

/** Takes up the keys of accounts that sign for the first time, publishes the signatures, and charges for each. */
function settleKeys(context: ModuleContext, tx: DecodedTx, { mode }: AnteOptions): TxSigner[] {
  const signerInfos = tx.authInfo.signerInfos.slice(0, tx.signers.length);
  const keys = signerInfos.map(({ publicKey }, index) => {
    if (!publicKey) return undefined;
    const key = readKey(publicKey);
    settleKey(context, tx.signers[index] as Uint8Array, index, key, mode);
    return { key, typeUrl: publicKey.typeUrl };
  });
  const signatures = signerInfos.map(({ modeInfo, sequence }, index) => {
    const address = context.addresses.encode(tx.signers[index] as Uint8Array);
    const signature = readSignature(modeInfo, tx.raw.signatures[index] ?? new Uint8Array());
    context.emit("tx", ["acc_seq", `${address}/${sequence}`]);
    for (const bytes of publishedSignatures(signature)) context.emit("tx", ["signature", toBase64(bytes)]);
    return signature;
  });
  checkSignatureCount(tx.signers.length);
  checkSignatureCount(keys.reduce((sum, named) => sum + (named?.key ? memberCount(named.key) : 0), 0));
  if (tx.authInfo.signerInfos.length !== tx.signers.length) {
    const what = `invalid number of signer;  expected: ${tx.signers.length}, got ${tx.authInfo.signerInfos.length}`;
    throw new TxError(SDK.UNAUTHORIZED, what);
  }
  const signers = tx.signers.map((address, index) => {
    const account = requireAccount(context, address);
    const signature = signatures[index];
    const key = keyOfAccount(account) ?? (mode === "simulate" ? undefined : keys[index]?.key);
    if (!key && mode !== "simulate") {
      const typeUrl = keys[index]?.typeUrl;
      const name = typeUrl === undefined ? "<nil>" : keyTypeName(typeUrl);
      throw new TxError(SDK.INVALID_PUBKEY, `unrecognized public key type: ${name}`);
    }
    chargeSignature(context, key, signature);
    return { account, key, signature };
  });
  checkSignatureCount(signers.reduce((sum, { key }) => sum + (key ? memberCount(key) : 1), 0));
  return signers;
}

function settleKey(
  context: ModuleContext,
  signer: Uint8Array,
  index: number,
  key: SigningKey | undefined,
  mode: TxMode,
): void {
  const isSigners = key !== undefined && equalBytes(keyAddress(context.sha256, key), signer);
  if (!isSigners && mode !== "simulate" && key) {
    const what = `pubKey does not match signer address ${context.addresses.encode(signer)} with signer index: ${index}`;
    throw new TxError(SDK.INVALID_PUBKEY, what);
  }
  const account = requireAccount(context, signer);
  if (keyOfAccount(account) || !isSigners || key.type === "ed25519") return;
  writeAccount(context.store(AUTH_STORE), { ...account, ...keyFields(key) });
}

function checkSignatures(
  context: ModuleContext,
  tx: DecodedTx,
  signers: readonly TxSigner[],
  { mode }: AnteOptions,
): void {
  const { chainId, verifySignature } = context;
  signers.forEach(({ account, key, signature }, index) => {
    const { sequence, accountNumber } = account;
    const info = tx.authInfo.signerInfos[index];
    if (info?.sequence !== sequence) {
      const what = `account sequence mismatch, expected ${sequence}, got ${info?.sequence ?? 0n}`;
      throw new TxError(SDK.WRONG_SEQUENCE, what);
    }
    if (mode === "simulate" || mode === "recheck" || !key) return;
    const failure = signatureFailure(key, signature, signDocs(context, tx, account), verifySignature);
    if (failure === undefined) return;
    const please = `signature verification failed; please verify account number (${accountNumber})`;
    const what = isAminoOnly(signature)
      ? `${please}, sequence (${sequence}) and chain-id (${chainId})`
      : `${please} and chain-id (${chainId}): (${failure})`;
    throw new TxError(SDK.UNAUTHORIZED, what);
  });
}

/** What a signer signed, made once for all members of a multisig key. */
function signDocs({ chainId, router, addresses }: ModuleContext, tx: DecodedTx, account: Account): SignDocs {
  const { accountNumber, sequence } = account;
  let amino: Uint8Array | undefined;
  return {
    direct: () => signBytes({ raw: tx.raw, chainId, accountNumber }),
    amino: () => {
      amino ??= aminoSignBytesOf(tx.raw.bodyBytes, {
        body: tx.body,
        authInfo: tx.authInfo,
        ...{ chainId, accountNumber, sequence },
        address: addresses.encode(account.address),
        resolve: resolverOf(router),
      });
      return amino;
    },
  };
}
