/** Records of one kind in a module's store: protobuf messages under a prefix, each with a key of texts and numbers. */
import {
  create,
  type DescMessage,
  fromBinary,
  type JsonValue,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { UpgradeError } from "../../base/errors/errors.js";
import { bigEndian64, concatBytes, prefixEnd, utf8 } from "../../base/text/bytes.js";
import { isWellFormed } from "../../base/text/text.js";
import { UINT64_MAX } from "../../base/types/limits.js";
import type { KVReader, KVStore } from "../../base/types/types.js";
import { defining } from "./definition-errors.js";
import type { Records } from "./records.js";

/** A part of a key. Texts are ordered by their bytes, numbers (0 to 2^64 - 1) by their value. */
export type KeyPart = string | bigint;

/** The records of one kind. The first parts of a key name all records that begin with them. */
export interface TypedRecords<T extends DescMessage> {
  /** @throws UpgradeError UPG_STORE_CORRUPT when the store holds something else under the key */
  get(store: KVReader, ...key: readonly KeyPart[]): MessageShape<T> | undefined;
  has(store: KVReader, ...key: readonly KeyPart[]): boolean;
  /**
   * Writes the record, in place of one that exists. A record all of whose fields have their defaults is an empty value, and no
   * ICS-23 proof of it verifies, nor one that a key next to it is absent (UPG_PROOF_EMPTY_VALUE): delete the record instead, or
   * give it a field that is never its default.
   * @throws UpgradeError UPG_INVALID_KEY, UPG_INVALID_ARGUMENT (a part of the key is neither a text nor a bigint)
   */
  set(store: KVStore, key: readonly KeyPart[], record: MessageInitShape<T>): void;
  /** Deleting what does not exist does nothing. */
  delete(store: KVStore, ...key: readonly KeyPart[]): void;
  /** Ascending by key; a record may be written or deleted meanwhile. @throws UpgradeError UPG_STORE_CORRUPT */
  values(store: KVReader, ...first: readonly KeyPart[]): Generator<MessageShape<T>>;
  /** The records whose keys begin with these parts, for `paginate`. */
  under(...first: readonly KeyPart[]): Records<MessageShape<T>>;
  /** The same as JSON with the names of the .proto file; 64-bit integers are texts. */
  json(store: KVReader, ...first: readonly KeyPart[]): Generator<JsonValue>;
  /** Walks over them all: keep a count of your own where there are many. */
  count(store: KVReader, ...first: readonly KeyPart[]): bigint;
}

/**
 * The records of one kind in a module's store.
 *
 * @param prefix of their keys in the store; each kind of records of a store has another
 * @param schema what protoc-gen-es makes of the record's message
 * @throws UpgradeError UPG_INVALID_ARGUMENT when either is of another type
 *
 * @example
 * import { MemoryKVStore } from "chain-upgrade";
 * import { NoteSchema } from "./gen/notes_pb.js";
 * const [store, notes] = [new MemoryKVStore(), records("note", NoteSchema)];
 * notes.set(store, ["alice", 1n], { author: "alice", number: 1n, text: "hello" });
 * console.log(notes.get(store, "alice", 1n)?.text, notes.count(store, "alice")); // → hello 1n
 */
export function records<T extends DescMessage>(prefix: string, schema: T): TypedRecords<T> {
  defining(() => requireRecords(prefix, schema));
  const keyOf = (parts: readonly KeyPart[]) => concatBytes(part(prefix), ...parts.map(part));
  const decode = (value: Uint8Array): MessageShape<T> => {
    try {
      return fromBinary(schema, value);
    } catch (cause) {
      throw new UpgradeError("UPG_STORE_CORRUPT", `a record under "${prefix}" is no ${schema.typeName}`, { cause });
    }
  };
  function* pairs(store: KVReader, first: readonly KeyPart[]) {
    const start = keyOf(first);
    yield* store.iterate({ start, end: prefixEnd(start) });
  }
  return {
    get(store, ...key) {
      const value = store.get(keyOf(key));
      return value && decode(value);
    },
    has: (store, ...key) => store.has(keyOf(key)),
    set: (store, key, record) => store.set(keyOf(key), toBinary(schema, create(schema, record))),
    delete: (store, ...key) => store.delete(keyOf(key)),
    *values(store, ...first) {
      for (const [, value] of pairs(store, first)) yield decode(value);
    },
    under: (...first) => ({ prefix: keyOf(first), read: decode }),
    *json(store, ...first) {
      for (const [, value] of pairs(store, first)) {
        yield toJson(schema, decode(value), { useProtoFieldName: true, alwaysEmitImplicit: true });
      }
    },
    count(store, ...first) {
      let count = 0n;
      for (const _ of pairs(store, first)) count++;
      return count;
    },
  };
}

function requireRecords(prefix: unknown, schema: DescMessage | undefined): void {
  if (typeof prefix === "string" && typeof schema?.typeName === "string") return;
  throw new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    'records: the prefix is a text and the schema a generated one: records("note", NoteSchema)',
  );
}

/** A text ends with a zero byte, so that no part begins another; a number has eight bytes, the greatest first. */
function part(value: KeyPart): Uint8Array {
  const refuse = (what: string) => new UpgradeError("UPG_INVALID_KEY", what);
  if (typeof value === "bigint") {
    if (value < 0n || value > UINT64_MAX) {
      throw refuse(`a number in a record's key is from 0 to 2^64 - 1, got ${value}`);
    }
    return bigEndian64(value);
  }
  if (typeof value !== "string") throw notAPart(value);
  if (value.includes("\0")) throw refuse("a text in a record's key has no zero character");
  // Encoding would make the same text of all of them, so two records would have one key.
  if (!isWellFormed(value))
    throw refuse("a text in a record's key holds half of a surrogate pair, which UTF-8 cannot write");
  return concatBytes(utf8(value), Uint8Array.of(0));
}

function notAPart(value: unknown): UpgradeError {
  const hint = typeof value === "number" && Number.isInteger(value) ? `: write ${value}n` : "";
  return new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `a part of a record's key is a text or a bigint, got ${typeof value === "number" ? `the number ${value}` : typeof value}${hint}`,
  );
}
