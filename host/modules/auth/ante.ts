/**
 * What is checked and taken before a transaction's messages run, in the field's order: form, timeouts, memo, size, fee,
 * keys, signatures, sequences. A transaction that fails here leaves nothing behind, not even its fee.
 */
import { equalBytes, toBase64 } from "../../bytes.js";
import { encodeAddress } from "../../chain/address.js";
import type { ModuleContext } from "../../chain/context.js";
import { GAS } from "../../chain/gas.js";
import { readMessageCoins } from "../../chain/message-coins.js";
import type { Ante, AnteOptions, FeeTrial, TxMode } from "../../chain/tx/ante.js";
import type { DecodedTx } from "../../chain/tx/decode.js";
import { SDK, TxError } from "../../chain/tx-error.js";
import type { Account } from "../../gen/chain/auth/v1/auth_pb.js";
import { INT64_MAX } from "../../limits.js";
import { compareTimes, formatTime } from "../../time.js";
import { bankOf } from "../bank/bank.js";
import { FEE_COLLECTOR, transferToModule } from "../bank/transfer.js";
import { AUTH_STORE, readAccount, writeAccount } from "./accounts.js";
import {
  isAminoOnly,
  keyAddress,
  keyTypeName,
  type NamedKey,
  namedKey,
  PUBLIC_KEY_BYTES,
  signatureFailure,
} from "./signatures.js";

const MEMO_CHARACTERS_MAX = 256;
const SIGNATURES_MAX = 7;
/** What a simulation counts for a signature that is not there yet: the signature, its key and their frame. */
const SIGNATURE_FRAME_BYTES = 22;
const SIGNATURE_BYTES = 64;
/** What a fee adds to a transaction besides its denomination: an amount of 20 digits, a gas limit and their frames. */
const FEE_FRAME_BYTES = 32;

type Options = Parameters<Ante>[2];

/** @throws TxError */
export const runAnte: Ante = (context, tx, options) => {
  checkBlockGas(tx, options);
  checkExtensions(tx);
  if (options.mode !== "recheck") checkForm(tx);
  checkTimeouts(context, tx);
  chargeReads(context);
  checkMemo(tx);
  chargeSize(context, tx, options);
  if (options.takesFees) takeFee(context, tx, options);
  const accounts = settleKeys(context, tx, options);
  checkSignatures(context, tx, accounts, options);
  for (const { address } of accounts) {
    const account = requireAccount(context, address);
    account.sequence += 1n;
    writeAccount(context.store(AUTH_STORE), account);
  }
};

const gasLimit = (tx: DecodedTx): bigint => tx.authInfo.fee?.gasLimit ?? 0n;

function checkBlockGas(tx: DecodedTx, { blockGasMax }: AnteOptions): void {
  if (blockGasMax === undefined || gasLimit(tx) <= blockGasMax) return;
  throw new TxError(SDK.INVALID_GAS_LIMIT, `tx gas limit ${gasLimit(tx)} exceeds block max gas ${blockGasMax}`);
}

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

/** The field reads its parameters from state here; they are constants of this chain, at the same price. */
function chargeReads({ consumeGas }: ModuleContext): void {
  consumeGas(GAS.READ_FLAT, "ReadFlat");
  consumeGas(GAS.READ_PER_BYTE * GAS.PARAMETER_BYTES, "ReadPerByte");
}

function checkMemo({ body }: DecodedTx): void {
  const length = new TextEncoder().encode(body.memo).length;
  if (length <= MEMO_CHARACTERS_MAX) return;
  const what = `maximum number of characters is ${MEMO_CHARACTERS_MAX} but received ${length} characters`;
  throw new TxError(SDK.MEMO_TOO_LARGE, what);
}

function chargeSize({ consumeGas }: ModuleContext, tx: DecodedTx, { mode }: AnteOptions): void {
  consumeGas(GAS.TX_PER_BYTE * BigInt(tx.size), "txSize");
  if (mode !== "simulate") return;
  const missing = tx.signers.filter((_, index) => (tx.raw.signatures[index]?.length ?? 0) === 0).length;
  const bytes = missing * (SIGNATURE_BYTES + PUBLIC_KEY_BYTES + SIGNATURE_FRAME_BYTES);
  consumeGas(GAS.TX_PER_BYTE * BigInt(bytes), "txSize");
}

function takeFee(context: ModuleContext, tx: DecodedTx, { mode, trial }: Options): void {
  const { fee } = tx.authInfo;
  if (mode !== "simulate" && gasLimit(tx) === 0n) throw new TxError(SDK.INVALID_GAS_LIMIT, "must provide positive gas");
  const payer = tx.feePayer ?? new Uint8Array();
  if (fee && fee.granter !== "" && fee.granter !== encodeAddress(payer)) {
    throw new TxError(SDK.INVALID_REQUEST, "fee grants are not enabled");
  }
  if (!readAccount(context.store(AUTH_STORE), payer)) {
    throw new TxError(SDK.UNKNOWN_ADDRESS, `fee payer address: ${encodeAddress(payer)} does not exist`);
  }
  const { coins, text, isValid } = readMessageCoins(fee?.amount ?? []);
  const isZero = coins.every(({ amount }) => amount === 0n);
  if (!isZero) {
    if (!isValid) throw new TxError(SDK.INSUFFICIENT_FEE, `invalid fee amount: ${text}`);
    payFee(context, payer, coins);
  } else if (mode === "simulate") countFee(trial, payer);
  context.emit("tx", ["fee", text], ["fee_payer", encodeAddress(payer)]);
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
    // The field wraps the bank's own error in the same one, so its text stands twice.
    throw new TxError(SDK.INSUFFICIENT_FUNDS, cause.message, { cause });
  }
}

function requireAccount(context: ModuleContext, address: Uint8Array): Account {
  const account = readAccount(context.store(AUTH_STORE), address);
  if (account) return account;
  throw new TxError(SDK.UNKNOWN_ADDRESS, `account ${encodeAddress(address)} does not exist`);
}

/** Takes up the keys of accounts that sign for the first time, and says who signed, for indexers. */
function settleKeys(context: ModuleContext, tx: DecodedTx, { mode }: AnteOptions): Account[] {
  const { signerInfos } = tx.authInfo;
  const keys = signerInfos.slice(0, tx.signers.length).map(namedKey);
  keys.forEach((key, index) => {
    settleKey(context, tx.signers[index] as Uint8Array, index, key, mode);
  });
  signerInfos.slice(0, tx.signers.length).forEach(({ sequence }, index) => {
    const address = encodeAddress(tx.signers[index] as Uint8Array);
    context.emit("tx", ["acc_seq", `${address}/${sequence}`]);
    context.emit("tx", ["signature", toBase64(tx.raw.signatures[index] ?? new Uint8Array())]);
  });
  if (tx.signers.length > SIGNATURES_MAX) {
    throw new TxError(SDK.TOO_MANY_SIGNATURES, `signatures: ${tx.signers.length}, limit: ${SIGNATURES_MAX}`);
  }
  if (signerInfos.length !== tx.signers.length) {
    const what = `invalid number of signer;  expected: ${tx.signers.length}, got ${signerInfos.length}`;
    throw new TxError(SDK.UNAUTHORIZED, what);
  }
  return tx.signers.map((address, index) => {
    const account = requireAccount(context, address);
    if (account.pubKey.length === 0 && mode !== "simulate") {
      const name = keys[index] ? keyTypeName(keys[index].typeUrl) : "<nil>";
      throw new TxError(SDK.INVALID_PUBKEY, `unrecognized public key type: ${name}`);
    }
    context.consumeGas(GAS.VERIFY_SECP256K1, "ante verify: secp256k1");
    return account;
  });
}

function settleKey(
  context: ModuleContext,
  signer: Uint8Array,
  index: number,
  key: NamedKey | undefined,
  mode: TxMode,
): void {
  if (!key) return;
  const isSigners = key.bytes !== undefined && equalBytes(keyAddress(context.sha256, key.bytes), signer);
  if (!isSigners && mode !== "simulate" && key.bytes) {
    const what = `pubKey does not match signer address ${encodeAddress(signer)} with signer index: ${index}`;
    throw new TxError(SDK.INVALID_PUBKEY, what);
  }
  const account = requireAccount(context, signer);
  if (account.pubKey.length > 0 || !key.bytes || !isSigners) return;
  account.pubKey = key.bytes;
  writeAccount(context.store(AUTH_STORE), account);
}

function checkSignatures(
  context: ModuleContext,
  { authInfo, raw }: DecodedTx,
  accounts: readonly Account[],
  { mode }: AnteOptions,
): void {
  const { chainId, verifySignature } = context;
  accounts.forEach(({ pubKey, sequence, accountNumber }, index) => {
    const info = authInfo.signerInfos[index];
    if (info?.sequence !== sequence) {
      const what = `account sequence mismatch, expected ${sequence}, got ${info?.sequence ?? 0n}`;
      throw new TxError(SDK.WRONG_SEQUENCE, what);
    }
    if (mode === "simulate" || mode === "recheck") return;
    const signature = raw.signatures[index] ?? new Uint8Array();
    const failure = signatureFailure(
      info.modeInfo,
      pubKey,
      signature,
      { raw, chainId, accountNumber },
      verifySignature,
    );
    if (failure === undefined) return;
    const please = `signature verification failed; please verify account number (${accountNumber})`;
    const what = isAminoOnly(info.modeInfo)
      ? `${please}, sequence (${sequence}) and chain-id (${chainId})`
      : `${please} and chain-id (${chainId}): (${failure})`;
    throw new TxError(SDK.UNAUTHORIZED, what);
  });
}
