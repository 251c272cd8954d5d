/** The stream that a snapshot's chunks are cut from, before it is compressed: SnapshotItems, each after its length. */
import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { sizeDelimitedEncode, sizeDelimitedPeek } from "@bufbuild/protobuf/wire";
import { type SnapshotItem, SnapshotItemSchema } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { concatBytes, joinBytes } from "../../base/text/bytes.js";
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from "../../base/types/limits.js";
import { type TreeNode, treeNodes } from "../../state/commitment/tree-nodes.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import { invalid } from "./facts.js";

/** A pair, with room for tags, lengths, version and height. */
const ITEM_BYTES_MAX = KEY_BYTES_MAX + VALUE_BYTES_MAX + 64;
const PART_BYTES = 65_536;

/** All stores of a version, in parts for a compressor. @param onNode is called for each */
export function* encodeItems(view: VersionView, onNode: (store: string) => void): Generator<Uint8Array> {
  let items: Uint8Array[] = [];
  let bytes = 0;
  const put = (item: NonNullable<MessageInitShape<typeof SnapshotItemSchema>["item"]>) => {
    const encoded = sizeDelimitedEncode(SnapshotItemSchema, create(SnapshotItemSchema, { item }));
    items.push(encoded);
    bytes += encoded.length;
  };
  for (const name of view.names) {
    put({ case: "store", value: { name } });
    for (const { key, value = new Uint8Array(0), version, height } of treeNodes(view.tree(name))) {
      put({ case: "iavl", value: { key, value, version: BigInt(version), height } });
      onNode(name);
      if (bytes < PART_BYTES) continue;
      yield joinBytes(items);
      items = [];
      bytes = 0;
    }
  }
  yield joinBytes(items);
}

/** What a stream brings. */
export interface ItemTaker {
  begin(store: string): void;
  add(node: TreeNode): void;
}

/** Cuts items out of a stream that comes in parts. */
export class ItemReader {
  #rest: Uint8Array = new Uint8Array(0);

  constructor(private readonly taker: ItemTaker) {}

  /** @throws UpgradeError UPG_INVALID_SNAPSHOT; what the taker throws */
  take(part: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? part : concatBytes(this.#rest, part);
    let at = 0;
    while (at < bytes.length) {
      const left = bytes.subarray(at);
      const { eof, size, offset } = peek(left);
      if (eof) break;
      if (size > ITEM_BYTES_MAX) throw invalid(`an item has ${size} bytes`);
      if (left.length < offset + size) break;
      this.#item(decoded(left.subarray(offset, offset + size)));
      at += offset + size;
    }
    this.#rest = bytes.slice(at);
  }

  /** @throws UpgradeError UPG_INVALID_SNAPSHOT when the stream ends in the middle of an item */
  end(): void {
    if (this.#rest.length > 0) throw invalid("it ends in the middle of an item");
  }

  #item({ item }: SnapshotItem): void {
    if (item.case === "store") this.taker.begin(item.value.name);
    else if (item.case === "iavl") {
      const { key, value, version, height } = item.value;
      this.taker.add({ key, value: height === 0 ? value : undefined, version: Number(version), height });
      if (height !== 0 && value.length > 0) throw invalid("an inner node has a value");
    } else throw invalid("it has an item of an unknown kind");
  }
}

function peek(bytes: Uint8Array): ReturnType<typeof sizeDelimitedPeek> {
  try {
    return sizeDelimitedPeek(bytes);
  } catch (cause) {
    throw invalid("an item has no length", cause);
  }
}

function decoded(bytes: Uint8Array): SnapshotItem {
  try {
    return fromBinary(SnapshotItemSchema, bytes);
  } catch (cause) {
    throw invalid("an item cannot be decoded", cause);
  }
}
