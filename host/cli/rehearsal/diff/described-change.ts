/** A changed pair in words, where its record is known; else as text or hex. */
import type { JsonValue } from "@bufbuild/protobuf";
import { toHex } from "../../../base/text/bytes.js";
import { decodeText } from "../../../base/text/text.js";
import { hasHidden } from "../../../base/text/visible.js";
import type { RecordKind } from "./record-kinds.js";
import type { PairChange } from "./tree-diff.js";

type ChangeKind = "added" | "changed" | "deleted";

/** One line of the difference. Bytes are in hex, whatever was decoded. */
export interface DescribedChange {
  readonly store: string;
  readonly change: ChangeKind;
  /** Kind of record; "": not known. */
  readonly record: string;
  readonly key: string;
  readonly key_hex: string;
  /** null: there was, or is, none. */
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly before_hex: string | null;
  readonly after_hex: string | null;
}

export class ChangeReader {
  readonly #kinds = new Map<string, RecordKind>();

  constructor(kinds: readonly RecordKind[]) {
    for (const kind of kinds) this.#kinds.set(`${kind.store}/${kind.prefix}`, kind);
  }

  describe(store: string, { key, before, after }: PairChange): DescribedChange {
    const kind = this.#kinds.get(`${store}/${key[0]}`);
    const words = kind && attempt(() => kind.key(key.slice(1)));
    const isKnown = kind !== undefined && words !== undefined;
    return {
      store,
      change: before === undefined ? "added" : after === undefined ? "deleted" : "changed",
      record: isKnown ? kind.name : "",
      key: isKnown ? words : plain(key),
      key_hex: toHex(key),
      before: described(isKnown ? kind : undefined, before),
      after: described(isKnown ? kind : undefined, after),
      before_hex: before ? toHex(before) : null,
      after_hex: after ? toHex(after) : null,
    };
  }
}

function described(kind: RecordKind | undefined, bytes: Uint8Array | undefined): JsonValue {
  if (!bytes) return null;
  return (kind && attempt(() => kind.value(bytes))) ?? plain(bytes);
}

/** Records of a layout that this program does not have are shown as their bytes. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Text that shows as itself, else hex. */
function plain(bytes: Uint8Array): string {
  const text = attempt(() => decodeText(bytes));
  return text === undefined || text === "" || hasHidden(text) ? `0x${toHex(bytes)}` : text;
}
