/** What a block's transactions and hooks returned, as it is kept beside the block. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../base/errors/errors.js";
import { BlockResultsSchema } from "../../base/gen/chain/engine/v1/engine_pb.js";
import type { ValidatorUpdate as StoredUpdate } from "../../base/gen/tendermint/abci/types_pb.js";
import type { TxResult } from "../../chain/app/app.js";
import type { ValidatorUpdate } from "../../chain/comet-types/validator-updates.js";
import type { ChainEvent } from "../../chain/values/events.js";

export interface BlockResults {
  readonly txResults: readonly TxResult[];
  /** Events of the hooks. */
  readonly events: readonly ChainEvent[];
  readonly validatorUpdates: readonly ValidatorUpdate[];
}

const eventInits = (events: readonly ChainEvent[]) =>
  events.map(({ type, attributes }) => ({ type, attributes: attributes.map(({ key, value }) => ({ key, value })) }));

const eventsOf = (events: readonly ChainEvent[]): ChainEvent[] =>
  events.map(({ type, attributes }) => ({ type, attributes: attributes.map(({ key, value }) => ({ key, value })) }));

export function encodeBlockResults({ txResults, events, validatorUpdates }: BlockResults): Uint8Array {
  const message = create(BlockResultsSchema, {
    txResults: txResults.map((result) => ({ ...result, events: eventInits(result.events) })),
    events: eventInits(events),
    validatorUpdates: validatorUpdates.map(({ publicKey: { type, bytes }, power }) => ({
      pubKey: { sum: { case: type, value: bytes } },
      power,
    })),
  });
  return toBinary(BlockResultsSchema, message);
}

export function decodeBlockResults(bytes: Uint8Array): BlockResults {
  const { txResults, events, validatorUpdates } = fromBinary(BlockResultsSchema, bytes);
  return {
    txResults: txResults.map(({ code, codespace, data, log, gasWanted, gasUsed, events }) => ({
      ...{ code, codespace, data, log, gasWanted, gasUsed },
      events: eventsOf(events),
    })),
    events: eventsOf(events),
    validatorUpdates: validatorUpdates.map(updateOf),
  };
}

function updateOf({ pubKey, power }: StoredUpdate): ValidatorUpdate {
  const sum = pubKey?.sum;
  if (!sum?.case) throw new UpgradeError("UPG_STORE_CORRUPT", "a validator update of a block's results has no key");
  return { publicKey: { type: sum.case, bytes: sum.value }, power };
}
