/** The state that an upgrade runs over, as its block found it: whole and recorded on a node, or what a witness has of it. */
import { IavlReader } from "../../state/branch/kv/iavl-reader.js";
import type { NotedTree } from "../../state/witness/next-tree.js";
import type { Witness } from "../../state/witness/types.js";

/** A store that is looked at or changed. */
export interface OpenedStore {
  readonly tree: NotedTree;
  readonly reader: IavlReader;
}

export interface StateBefore {
  /** All stores of the app. */
  readonly names: readonly string[];
  rootHash(name: string): Uint8Array;
  /** Asked once for a store. @throws UpgradeError UPG_WITNESS_HIDDEN */
  open(name: string): OpenedStore;
}

/** Of a decoded witness, whose parts hash to its roots. */
export function witnessState({ stores }: Witness): StateBefore {
  const byName = new Map(stores.map((store) => [store.name, store]));
  const storeOf = (name: string) => {
    const store = byName.get(name);
    if (!store) throw new TypeError(`a witness has no store ${name}`);
    return store;
  };
  return {
    names: [...byName.keys()],
    rootHash: (name) => storeOf(name).hash,
    open(name) {
      const tree = storeOf(name);
      return { tree, reader: new IavlReader(tree.source, tree.root) };
    },
  };
}
