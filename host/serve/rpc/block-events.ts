/** Events of blocks and transactions, as subscribers hear them. */
import { toBase64, toUpperHex } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import type { LocalNode, NodeEvents, NodeTx } from "../../chain/app/query/node-port.js";
import { newValidator } from "../../chain/comet-types/validator.js";
import type { ValidatorUpdate } from "../../chain/comet-types/validator-updates.js";
import { eventValues } from "../../chain/events/event-query.js";
import type { ChainEvent } from "../../chain/values/events.js";
import type { Query } from "../query/query.js";
import {
  blockIdJson,
  blockJson,
  eventsJson,
  headerJson,
  txResultJson,
  validatorJson,
  validatorUpdatesJson,
} from "./json.js";

/** What one event is to those who asked for it. */
export interface RpcEvent {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Made once, however many listen. */
  data(): { readonly type: string; readonly value: unknown };
}

/** Events that subscribers of this node can hear of; those of consensus rounds never happen here. */
export const EVENT_NAMES: ReadonlySet<string> = new Set([
  "NewBlock",
  "NewBlockHeader",
  "NewBlockEvents",
  "Tx",
  "ValidatorSetUpdates",
]);

/** The events of one block: the block itself, its header, its events, its transactions, then what it changed of validators. */
export function eventsOfBlock(
  made: NodeEvents,
  { node, sha256 }: Pick<Query<LocalNode>, "node" | "sha256">,
): RpcEvent[] {
  const { header, blockId, appHash } = made.block;
  const height = header.height;
  const results = made.results;
  const block = once(() => ({
    type: "tendermint/event/NewBlock",
    value: {
      block: blockJson(node.block(height)),
      block_id: blockIdJson(blockId),
      // CometBFT leaves empty lists out here, but for the validators; clients in Rust cannot read null.
      result_finalize_block: {
        ...(results.events.length === 0 ? {} : { events: eventsJson(results.events) }),
        ...(results.txResults.length === 0 ? {} : { tx_results: results.txResults.map(txResultJson) }),
        validator_updates: validatorUpdatesJson(results.validatorUpdates),
        app_hash: toBase64(appHash),
      },
    },
  }));
  const head = once(() => ({ type: "tendermint/event/NewBlockHeader", value: { header: headerJson(header) } }));
  const number = [["block.height", String(height)]] as const;
  const events = once(() => ({
    type: "tendermint/event/NewBlockEvents",
    value: { height: String(height), events: eventsJson(results.events), num_txs: String(results.txResults.length) },
  }));
  return [
    { values: valuesOf("NewBlock", results.events, number), data: block },
    { values: valuesOf("NewBlockHeader", results.events, number), data: head },
    { values: valuesOf("NewBlockEvents", results.events, number), data: events },
    ...made.txs.map(txEvent),
    ...(results.validatorUpdates.length === 0 ? [] : [validatorsEvent(results.validatorUpdates, sha256)]),
  ];
}

/** With the powers that the block gives; 0: none is left. In force two blocks later. */
export function validatorsEvent(updates: readonly ValidatorUpdate[], sha256: Sha256): RpcEvent {
  const data = once(() => ({
    type: "tendermint/event/ValidatorSetUpdates",
    value: {
      validator_updates: updates.map(({ publicKey, power }) => validatorJson(newValidator(sha256, publicKey, power))),
    },
  }));
  return { values: valuesOf("ValidatorSetUpdates", [], []), data };
}

function txEvent(tx: NodeTx): RpcEvent {
  const more = [
    ["tx.height", String(tx.height)],
    ["tx.hash", toUpperHex(tx.hash)],
  ] as const;
  const data = once(() => ({
    type: "tendermint/event/Tx",
    value: {
      TxResult: {
        height: String(tx.height),
        ...(tx.index === 0 ? {} : { index: tx.index }),
        tx: toBase64(tx.bytes),
        result: txResultJson(tx.result),
      },
    },
  }));
  return { values: valuesOf("Tx", tx.result.events, more), data };
}

function valuesOf(
  name: string,
  events: readonly ChainEvent[],
  more: readonly (readonly [key: string, value: string])[],
): ReadonlyMap<string, readonly string[]> {
  const values = eventValues(events);
  values.set("tm.event", [name]);
  for (const [key, value] of more) values.set(key, [value]);
  return values;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
