/** The records that say what a version is: encoding, and the checks a reader of them makes. */

import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../../base/errors/errors.js";
import { CommitRecordSchema, FormatRecordSchema } from "../../../base/gen/chain/store/v1/store_pb.js";
import { PROGRAM } from "../../../base/text/program-text.js";
import type { Timestamp } from "../../../base/types/types.js";
import type { RootLink } from "../../commitment/chunk.js";
import { HASH_BYTES } from "../../commitment/iavl-hash.js";
import type { Batch, Database } from "../disk/database.js";
import { lastVersionOf } from "../disk/fenced-database.js";
import { commitKey, commitsEnd, formatKey, versionOfCommitKey } from "../disk/keys.js";

/** One store of a committed version. */
export interface StoreState {
  readonly name: string;
  /** Numbers the store on disk. */
  readonly number: number;
  readonly root: RootLink;
  /** First chunk that no node of this version uses. */
  readonly nextChunk: number;
}

/** One committed version; heights fit in a number because a chain's first block is not at 2^53. */
export interface CommitState {
  readonly version: number;
  readonly appHash: Uint8Array;
  readonly stores: readonly StoreState[];
  readonly nextStore: number;
  readonly kept: boolean;
  /** Of the block that made it; undefined: not known, an older program wrote the record. */
  readonly time: Timestamp | undefined;
  /** The engine that decided the block; "": the embedded one. */
  readonly engine: string;
}

export type StagedCommit = CommitState & { readonly holdBefore: string | undefined };

export function encodeCommit(state: CommitState): Uint8Array {
  const record = create(CommitRecordSchema, {
    version: BigInt(state.version),
    appHash: state.appHash,
    stores: state.stores.map(({ name, number, root, nextChunk }) => ({
      name,
      number,
      root: BigInt(root.id),
      size: BigInt(root.size),
      height: root.height,
      hash: root.hash,
      nextChunk: BigInt(nextChunk),
    })),
    nextStore: state.nextStore,
    kept: state.kept,
    ...(state.time ? { time: state.time } : {}),
    engine: state.engine,
  });
  return toBinary(CommitRecordSchema, record);
}

/** @throws UpgradeError UPG_STORE_CORRUPT */
export function readCommit(database: Database, version: number): CommitState | undefined {
  const bytes = database.get(commitKey(version));
  if (!bytes) return undefined;
  const record = decoded(CommitRecordSchema, bytes, `the record of version ${version}`);
  const hashes = [record.appHash, ...record.stores.map(({ hash }) => hash)];
  if (record.version !== BigInt(version) || hashes.some((hash) => hash.length !== HASH_BYTES)) {
    throw new UpgradeError("UPG_STORE_CORRUPT", `the record of version ${version} is not what was written`);
  }
  return {
    version,
    appHash: record.appHash,
    stores: record.stores.map((store) => ({
      name: store.name,
      number: store.number,
      root: { id: Number(store.root), size: Number(store.size), height: store.height, hash: store.hash },
      nextChunk: Number(store.nextChunk),
    })),
    nextStore: record.nextStore,
    kept: record.kept,
    time: record.time && { seconds: record.time.seconds, nanos: record.time.nanos },
    engine: record.engine,
  };
}

/** The engine that decided the last block; "": the embedded one, and where there is none yet. @throws UpgradeError UPG_STORE_CORRUPT */
export function lastEngine(database: Database): string {
  const version = lastVersionOf(database);
  return (version === 0 ? undefined : readCommit(database, version))?.engine ?? "";
}

const PRODUCT = "chain-upgrade";
/** 2: every value of an LMDB file ends with its checksum. */
const FORMAT = 2;
/** 3: chunks may have nodes of many versions, as those of a restored tree. */
const RESTORED_FORMAT = 3;

/** Marks an empty database as ours. */
export function claimFormat(database: Database): void {
  if (database.get(formatKey())) return;
  database.transaction((batch) => putFormat(batch, FORMAT));
}

/** Marks a database as one with a restored version, which older programs cannot read. */
export function claimRestoredFormat(batch: Batch): void {
  putFormat(batch, RESTORED_FORMAT);
}

function putFormat(batch: Batch, format: number): void {
  const record = create(FormatRecordSchema, { product: PRODUCT, format });
  batch.put(formatKey(), toBinary(FormatRecordSchema, record));
}

/**
 * Refuses another program's database and a newer format; an empty one is nobody's.
 * @throws UpgradeError UPG_STORE_VERSION_MISMATCH, UPG_STORE_CORRUPT
 */
export function checkFormat(database: Database): void {
  const bytes = database.get(formatKey());
  if (!bytes) {
    const [stranger] = database.keys({ start: Uint8Array.of(0), end: new Uint8Array(8).fill(0xff), limit: 1 });
    if (stranger) throw withoutFormat(database);
    return;
  }
  const record = decoded(FormatRecordSchema, bytes, "the database's format record");
  if (record.product !== PRODUCT || record.format > RESTORED_FORMAT) {
    throw new UpgradeError(
      "UPG_STORE_VERSION_MISMATCH",
      `the database has format ${record.format} of ${record.product || "another program"}, this program knows ${RESTORED_FORMAT}`,
    );
  }
}

/** A database with records of ours but no format record has lost it; any other one is not ours. */
function withoutFormat(database: Database): UpgradeError {
  const [commit] = database.keys({ start: commitKey(0), end: commitsEnd(), limit: 1 });
  if (commit?.length !== commitKey(0).length || !readCommit(database, versionOfCommitKey(commit))) {
    return new UpgradeError("UPG_STORE_VERSION_MISMATCH", "the database belongs to another program");
  }
  return new UpgradeError(
    "UPG_STORE_CORRUPT",
    `the database has lost its format record: find the extent of the damage with \`${PROGRAM} verify\`, and restore the data folder from a copy`,
  );
}

function decoded<T extends DescMessage>(schema: T, bytes: Uint8Array, what: string): MessageShape<T> {
  try {
    return fromBinary(schema, bytes);
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_CORRUPT", `${what} cannot be decoded`, { cause });
  }
}
