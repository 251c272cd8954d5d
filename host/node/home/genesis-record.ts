/**
 * What the database keeps of the genesis document: it is written with the first block, and a start after that does not
 * read the document.
 *   b g   GenesisRecord
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../base/errors/errors.js";
import { type GenesisRecord, GenesisRecordSchema } from "../../base/gen/chain/engine/v1/engine_pb.js";
import type { GenesisFacts } from "../../chain/app/genesis/genesis-facts.js";
import { JsonReader } from "../../chain/values/json-reader.js";
import type { Database } from "../../state/store/disk/database.js";
import { BLOCKS_PREFIX } from "../../state/store/disk/keys.js";

export const GENESIS_KEY = Uint8Array.of(BLOCKS_PREFIX, "g".charCodeAt(0));

/** Names a document by its bytes. */
export interface GenesisDigest {
  readonly sha256: Uint8Array;
  /** Bytes of the document. */
  readonly size: number;
}

export interface KeptGenesis {
  readonly facts: GenesisFacts;
  readonly digest: GenesisDigest;
}

export function encodeGenesisRecord(facts: GenesisFacts, { sha256, size }: GenesisDigest): Uint8Array {
  const { chainId, time, initialHeight, appVersion, bondDenom, consensusParams, stakingParams } = facts;
  return toBinary(
    GenesisRecordSchema,
    create(GenesisRecordSchema, {
      chainId,
      timeSeconds: time.seconds,
      timeNanos: time.nanos,
      initialHeight,
      appVersion,
      bondDenom,
      consensusParams: JSON.stringify(consensusParams.value ?? null),
      stakingParams: JSON.stringify(stakingParams.value ?? null),
      sha256,
      size: BigInt(size),
    }),
  );
}

/** Undefined before the first block. @throws UpgradeError UPG_STORE_CORRUPT */
export function readGenesisRecord(database: Database): KeptGenesis | undefined {
  const bytes = database.get(GENESIS_KEY);
  if (!bytes) return undefined;
  try {
    return decoded(fromBinary(GenesisRecordSchema, bytes));
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_CORRUPT", "the record of the genesis document cannot be decoded", { cause });
  }
}

/** The same of a chain that has begun. @throws UpgradeError UPG_STORE_CORRUPT when it is missing */
export function keptGenesis(database: Database): KeptGenesis {
  const kept = readGenesisRecord(database);
  if (kept) return kept;
  throw new UpgradeError("UPG_STORE_CORRUPT", "the record of the genesis document is missing beside the state");
}

function decoded(record: GenesisRecord): KeptGenesis {
  const { chainId, timeSeconds, timeNanos, initialHeight, appVersion, bondDenom, sha256, size } = record;
  return {
    facts: {
      chainId,
      time: { seconds: timeSeconds, nanos: timeNanos },
      initialHeight,
      appVersion,
      bondDenom,
      consensusParams: new JsonReader(JSON.parse(record.consensusParams), "genesis.consensus.params"),
      stakingParams: new JsonReader(JSON.parse(record.stakingParams), "genesis.app_state.staking.params"),
    },
    digest: { sha256, size: Number(size) },
  };
}
