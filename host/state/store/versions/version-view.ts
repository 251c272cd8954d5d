/** One committed version, for queries: stores to read, and proofs that lead to its app hash. */

import { UpgradeError } from "../../../base/errors/errors.js";
import type { Height, KVReader, MultiStore, Sha256 } from "../../../base/types/types.js";
import { NamedStores, noSuchStore } from "../../branch/kv/cache-multi-store.js";
import { IavlReader } from "../../branch/kv/iavl-reader.js";
import { checkKey } from "../../branch/kv/kv-store.js";
import { appHash, proveStore } from "../../commitment/app-hash.js";
import type { ChunkSource, RootLink } from "../../commitment/chunk.js";
import { proveKey } from "../../commitment/proof.js";
import type { Tree } from "../../commitment/tree.js";
import { type ChunkSpace, StoreChunks } from "../disk/chunk-space.js";
import type { CommitState, StoreState } from "./commit-record.js";

/** Proof of a key in two steps, as `abci_query` returns it: bytes of ICS-23 CommitmentProofs. */
export interface KeyProof {
  readonly value: Uint8Array | undefined;
  /** Key in its store, type `ics23:iavl`. */
  readonly store: Uint8Array;
  /** Store in the app hash, type `ics23:simple`. */
  readonly app: Uint8Array;
}

export class VersionView {
  constructor(
    private readonly space: ChunkSpace,
    private readonly sha256: Sha256,
    private readonly state: CommitState,
  ) {}

  get version(): Height {
    return BigInt(this.state.version);
  }

  get appHash(): Uint8Array {
    return this.state.appHash;
  }

  get names(): readonly string[] {
    return this.state.stores.map(({ name }) => name);
  }

  /** The stores as something to make branches of; nothing is written through. */
  multiStore(): MultiStore {
    const readers = new Map(this.state.stores.map((store) => [store.name, this.#reader(store)]));
    return new NamedStores(readers);
  }

  /** Root hash of a store. @throws UpgradeError UPG_NOT_FOUND_STORE */
  rootHash(name: string): Uint8Array {
    return this.#state(name).root.hash;
  }

  /** A store's tree, for those who look at its nodes. @throws UpgradeError UPG_NOT_FOUND_STORE */
  tree(name: string): Tree {
    return this.#reader(this.#state(name)).tree;
  }

  /** Where a store's nodes are, and its root. @throws UpgradeError UPG_NOT_FOUND_STORE */
  treeAt(name: string): { readonly source: ChunkSource; readonly root: RootLink } {
    const { number, nextChunk, root } = this.#state(name);
    return { source: new StoreChunks(this.space, number, nextChunk), root };
  }

  /** @throws UpgradeError UPG_NOT_FOUND_STORE */
  store(name: string): KVReader {
    return this.#reader(this.#state(name));
  }

  /**
   * Proves a key's value, or that it is absent.
   * @throws UpgradeError UPG_NOT_FOUND_STORE; UPG_PROOF_EMPTY_VALUE where no verifier would accept the proof
   */
  prove(name: string, key: Uint8Array): KeyProof {
    checkKey(key);
    const { value, store } = this.proveUnchecked(name, key);
    const reader = this.#reader(this.#state(name));
    const isTouchy = value ? value.length === 0 : touchesEmptyValue(reader, key);
    if (isTouchy) {
      throw new UpgradeError(
        "UPG_PROOF_EMPTY_VALUE",
        `store "${name}": no ICS-23 verifier accepts a proof that touches an empty value, or absence in an empty tree`,
      );
    }
    const roots = this.state.stores.map(({ name, root }) => ({ name, hash: root.hash }));
    return { value, store, app: proveStore(this.sha256, roots, name) };
  }

  /** IAVL's bytes, whether a verifier accepts them or not. */
  proveUnchecked(name: string, key: Uint8Array): KeyProof {
    const { tree } = this.#reader(this.#state(name));
    const roots = this.state.stores.map(({ name, root }) => ({ name, hash: root.hash }));
    return { value: tree.get(key), store: proveKey(tree, key), app: proveStore(this.sha256, roots, name) };
  }

  /** Hashes the recorded roots again; the app hash of a sound version. */
  computeAppHash(): Uint8Array {
    return appHash(
      this.sha256,
      this.state.stores.map(({ name, root }) => ({ name, hash: root.hash })),
    );
  }

  #state(name: string): StoreState {
    const found = this.state.stores.find((store) => store.name === name);
    if (!found) throw noSuchStore(name, this.names);
    return found;
  }

  #reader({ number, nextChunk, root }: StoreState): IavlReader {
    return new IavlReader(new StoreChunks(this.space, number, nextChunk), root);
  }
}

/** Is one of the neighbours that prove absence an empty value, or is there no neighbour at all? */
function touchesEmptyValue(reader: IavlReader, key: Uint8Array): boolean {
  const after = reader._cursor(key, undefined, false);
  const before = reader._cursor(undefined, key, true);
  const hasAfter = after.step();
  const hasBefore = before.step();
  if (!hasAfter && !hasBefore) return true;
  return (hasAfter && after.valueLen === 0) || (hasBefore && before.valueLen === 0);
}
