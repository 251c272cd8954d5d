/**
 * Runs one transaction over stores: what comes before its messages, then the messages, each on branches of their own.
 * One that fails before its messages leaves nothing; one whose message fails has paid its fee and used its sequence.
 */

import { create, toBinary } from "@bufbuild/protobuf";
import { withinEngineLimits } from "../../../base/errors/engine-limit.js";
import { callModule } from "../../../base/errors/synchronous.js";
import { TxMsgDataSchema } from "../../../base/gen/cosmos/base/abci/v1beta1/abci_pb.js";
import type { Any, MultiStore } from "../../../base/types/types.js";
import { CacheMultiStore } from "../../../state/branch/kv/cache-multi-store.js";
import { digestOf, type MessagesRun, requireSame, tryOnStack } from "../../determinism/stack-trial.js";
import type { Addresses } from "../../values/address.js";
import type { ChainEvent, EventAttribute } from "../../values/events.js";
import { GAS_UNLIMITED, GasMeter, GasMultiStore } from "../../values/gas.js";
import { describeError, SDK, TxError, UNDEFINED, wrapError } from "../../values/tx-error.js";
import {
  type MessageRouter,
  type ModuleContext,
  type ModuleFacts,
  moduleContext,
  type ReadMessage,
} from "../context.js";
import { type Ante, type AnteOptions, requireGasFits } from "./ante.js";
import { type DecodedTx, decodeTx } from "./decode.js";
import { messageName } from "./message-kind.js";
import { refusal, type TxResult } from "./result.js";

/** What a block's transactions share. */
export interface TxFacts extends Omit<ModuleFacts, "consumeGas"> {
  readonly ante: Ante;
}

export interface RunOptions extends AnteOptions {
  /** Gas that the block has left; a transaction that needs more fails. Undefined: no limit. */
  readonly blockGasLeft?: bigint;
  /** Another thread of this node has tried it on less stack. */
  readonly isTried?: boolean;
  /** No block has it yet: it must do with less stack than one that a block has. */
  readonly isProposed?: boolean;
}

/**
 * Writes to `stores` what the transaction leaves behind (in mode simulate too: give it a branch to drop).
 * @throws UpgradeError UPG_STORE_*, UPG_BUG_*: no verdict on the transaction
 */
export function runTx(facts: TxFacts, stores: MultiStore, bytes: Uint8Array, options: RunOptions): TxResult {
  return withinEngineLimits(() => runDecoded(facts, stores, bytes, options));
}

function runDecoded(facts: TxFacts, stores: MultiStore, bytes: Uint8Array, options: RunOptions): TxResult {
  let tx: DecodedTx;
  try {
    tx = decodeTx(bytes, facts);
    if (tx.messages.length === 0) throw new TxError(SDK.INVALID_REQUEST, "must contain at least one message");
  } catch (error) {
    return refusal(error);
  }
  const meter = new GasMeter(options.mode === "simulate" ? GAS_UNLIMITED : (tx.authInfo.fee?.gasLimit ?? 0n));
  const used = () => ({ wanted: meter.limit, used: meter.used });
  const events: ChainEvent[] = [];
  const branch = new CacheMultiStore(stores);
  const context = (over: MultiStore, into: ChainEvent[], charged = meter): ModuleContext =>
    moduleContext(
      { ...facts, consumeGas: (amount, location) => charged.consume(amount, location) },
      new GasMultiStore(over, charged),
      into,
      charged,
    );
  const runOn = (over: CacheMultiStore, charged: GasMeter): MessagesRun<ChainEvent> => {
    const own: ChainEvent[] = [];
    const inside = (into: ChainEvent[]) => context(over, into, charged);
    try {
      const data = runMessages(tx.messages, inside, own, facts);
      requireBlockGas(charged, options.blockGasLeft);
      return { branch: over, events: own, gasUsed: charged.used, outcome: { data } };
    } catch (error) {
      return { branch: over, events: own, gasUsed: charged.used, outcome: { error } };
    } finally {
      charged.close();
    }
  };
  const tried = () => runOn(branch.branch(), meter.copy());
  const isCheck = options.mode === "check" || options.mode === "recheck";
  const needsTrial = !options.isTried && tx.messages.some(({ isBounded }) => !isBounded);
  try {
    // A chain's own ante may not compare them, and the transaction would wait for ever and hold up all others.
    if (isCheck) requireGasFits(meter.limit, options.blockGasMax);
    const trial = { stores: branch, context: () => context(branch.branch(), []) };
    callModule("the ante", () => facts.ante(context(branch, events), tx, { ...options, trial }));
  } catch (error) {
    return refusal(error, used());
  }
  // Whatever it gives: a transaction that fails in a block pays for it there.
  const where = isCheck || options.isProposed ? "proposal" : "block";
  const onLess =
    needsTrial && options.mode !== "simulate" ? digestOf(tryOnStack(where, tried), facts.sha256) : undefined;
  if (onLess !== undefined && isCheck) {
    const again = () => digestOf(tryOnStack(where, tried), facts.sha256);
    requireSame("a transaction", digestOf(tried(), facts.sha256), onLess, again);
  }
  branch.write();
  const done = { code: 0, codespace: "", log: "", data: new Uint8Array() };
  if (isCheck) return { ...done, gasWanted: meter.limit, gasUsed: meter.used, events };
  const run = runOn(branch, meter);
  if (onLess !== undefined) requireSame("a transaction", digestOf(run, facts.sha256), onLess);
  if ("error" in run.outcome) return refusal(run.outcome.error, used(), events);
  branch.write();
  const { data } = run.outcome;
  return { ...done, data, gasWanted: meter.limit, gasUsed: meter.used, events: [...events, ...run.events] };
}

/** What was in the block before has used up its gas, or this one does. */
function requireBlockGas(meter: GasMeter, left: bigint | undefined): void {
  if (left === undefined || meter.used <= left) return;
  const what = `out of gas in location: block gas meter; gasWanted: ${meter.limit}, gasUsed: ${meter.used}`;
  throw new TxError(SDK.OUT_OF_GAS, what);
}

/** Returns the encoded responses. */
function runMessages(
  messages: readonly ReadMessage[],
  contextFor: (events: ChainEvent[]) => ModuleContext,
  events: ChainEvent[],
  { addresses, router }: Pick<TxFacts, "addresses" | "router">,
): Uint8Array {
  const msgResponses: Any[] = [];
  messages.forEach((message, index) => {
    const own: ChainEvent[] = [];
    try {
      msgResponses.push(message.run(contextFor(own)));
    } catch (error) {
      if (error instanceof TxError && error.abci === SDK.OUT_OF_GAS) throw error;
      throw wrapError(`failed to execute message; message index: ${index}${crashed(message, error, router)}`, error);
    }
    const number = { key: "msg_index", value: String(index) };
    for (const { type, attributes } of [messageEvent(message, addresses), ...own]) {
      events.push({ type, attributes: [...attributes, number] });
    }
  });
  return toBinary(TxMsgDataSchema, create(TxMsgDataSchema, { msgResponses }));
}

/**
 * Names the message and its module if the error is a crash, not the module's verdict. No hash covers the result's log;
 * governance writes the error of a message into state, so `message.run` must not name it.
 */
function crashed({ typeUrl }: ReadMessage, error: unknown, router: MessageRouter): string {
  const isVerdict = error instanceof TxError || describeError(error).codespace !== UNDEFINED;
  return isVerdict ? "" : `: ${messageName(router, typeUrl)}`;
}

function messageEvent({ typeUrl, signer, signerAddresses }: ReadMessage, addresses: Addresses): ChainEvent {
  const attributes: EventAttribute[] = [
    { key: "action", value: typeUrl },
    { key: "sender", value: addresses.encode(signerAddresses(addresses).decodeAny(signer)) },
  ];
  const module = typeUrl.split(".")[1];
  if (module) attributes.push({ key: "module", value: module });
  return { type: "message", attributes };
}
