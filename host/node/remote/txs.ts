/** Transactions and their results in CometBFT's JSON, and searches as its RPC takes them. */

import { UpgradeError } from "../../base/errors/errors.js";
import { equalBytes } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import type { NodeTx, NodeTxResult } from "../../chain/app/query/node-port.js";
import type { EventCondition } from "../../chain/events/event-query.js";
import type { ChainEvent } from "../../chain/values/events.js";
import type { JsonReader } from "../../chain/values/json-reader.js";
import { bytesOf, hexOf, smallOf } from "./blocks.js";
import { type ProvenTx, proofOf } from "./checks.js";

export function txOf(sha256: Sha256, json: JsonReader): NodeTx {
  const bytes = json.get("tx").base64();
  const hash = hexOf(json.get("hash"));
  if (!equalBytes(hash, sha256(bytes))) throw json.get("hash").wrong("is not the hash of the transaction");
  const result = resultOf(json.get("tx_result"));
  return { hash, height: json.get("height").int64(), index: smallOf(json.get("index")), bytes, result };
}

/** The same with its proof, which was asked for. */
export function provenTxOf(sha256: Sha256, json: JsonReader): ProvenTx {
  const tx = txOf(sha256, json);
  return { tx, proof: proofOf(json.get("proof"), tx.bytes) };
}

/** The results of a block's transactions, of `block_results`. */
export const outcomesOf = (json: JsonReader): NodeTxResult[] => json.get("txs_results").items().map(resultOf);

function resultOf(json: JsonReader): NodeTxResult {
  return {
    code: smallOf(json.get("code")),
    codespace: json.get("codespace").text(""),
    data: bytesOf(json.get("data")),
    log: json.get("log").text(""),
    gasWanted: json.get("gas_wanted").int64(0n),
    gasUsed: json.get("gas_used").int64(0n),
    events: json.get("events").items().map(eventOf),
  };
}

function eventOf(json: JsonReader): ChainEvent {
  const attributes = json.get("attributes").items();
  return {
    type: json.get("type").text(),
    attributes: attributes.map((each) => ({ key: each.get("key").text(), value: each.get("value").text("") })),
  };
}

/** `broadcast_tx_sync` gives neither gas nor events, and its data in hex. */
export function checkOf(json: JsonReader): NodeTxResult {
  return {
    code: smallOf(json.get("code")),
    codespace: json.get("codespace").text(""),
    data: hexOf(json.get("data")),
    log: json.get("log").text(""),
    gasWanted: 0n,
    gasUsed: 0n,
    events: [],
  };
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT for what CometBFT's queries cannot say */
export function queryText(conditions: readonly EventCondition[]): string {
  return conditions.map(conditionText).join(" AND ");
}

function conditionText({ key, operator, type, value }: EventCondition): string {
  switch (type) {
    case "none":
      return `${key} ${operator}`;
    case "number":
      return `${key} ${operator} ${value}`;
    case "text":
      if (value.includes("'")) throw cannotSay(`a value with a quote, ${value.slice(0, 60)}`);
      return `${key} ${operator} '${value}'`;
    default:
      return `${key} ${operator} ${type.toUpperCase()} ${value}`;
  }
}

function cannotSay(what: string): UpgradeError {
  return new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `failed to parse query: CometBFT's searches have no form for ${what}`,
  );
}
