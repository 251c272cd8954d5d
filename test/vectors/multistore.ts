/** Several trees, one app hash, store upgrades: processes that open, write, commit and query one database. */
import { hash } from "node:crypto";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { toHex } from "../../host/base/text/bytes.js";
import type { Sha256, StoreUpgrades } from "../../host/base/types/types.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../host/state/store/versions/commit-multi-store.js";
import { upgradeStoreLoader } from "../../host/state/store/versions/store-loader.js";
import { queryStore } from "../../host/state/store/versions/store-query.js";
import { type CaseRunner, expectBytes, expectEqual, type VectorCase } from "./harness.js";
import { verifyWithOracle } from "./ics23-oracle.js";
import { type GivenText, hexBytes, textOf } from "./short-forms.js";

const sha256: Sha256 = (bytes) => hash("sha256", bytes, "buffer");

export const runMultistore: CaseRunner = (vector) => {
  const chain = new Chain((vector["differs"] ?? []) as string[]);
  for (const step of vector["steps"] as VectorCase[]) {
    if (chain.run(step)) break; // from here on the source and we have different stores
  }
  return chain.tags;
};

class Chain {
  readonly tags: string[] = [];
  readonly #database = new MemoryDatabase();
  #open: CommitMultiStore | undefined;
  #uncounted = new Set<string>();
  /** Trees that a crashed commit of the source left behind; ours leaves nothing. */
  #interrupted = false;

  constructor(private readonly differs: readonly string[]) {}

  /** Returns true when the rest of the case cannot be compared. */
  run(step: VectorCase): boolean {
    switch (step["op"]) {
      case "open":
        return this.#openStep(step);
      case "write":
        return this.#write(step);
      case "commit":
        return this.#commit(step);
      case "query":
        return this.#query(step);
      case "crash":
        this.#interrupted = true;
        return false;
      default:
        throw new Error(`unknown step ${step["op"]}`);
    }
  }

  get #store(): CommitMultiStore {
    if (!this.#open) throw new Error("the case goes on without an open store");
    return this.#open;
  }

  #openStep(step: VectorCase): boolean {
    const store = new CommitMultiStore(this.#database, {
      sha256,
      ...(step["initial_version"] ? { initialVersion: BigInt(step["initial_version"]) } : {}),
    });
    this.#open = undefined;
    this.#uncounted = new Set([...(step["transient"] ?? []), ...(step["memory"] ?? [])]);
    store.mount(...(step["stores"] as string[]));
    const upgrades = step["upgrades"] ? storeUpgrades(step["upgrades"]) : undefined;
    let refused: unknown;
    try {
      if (upgrades && step["loader_height"]) upgradeStoreLoader(BigInt(step["loader_height"]), upgrades)(store);
      else store.loadLatestVersion(upgrades);
    } catch (error) {
      refused = error;
    }
    if (refused) return this.#refused(step, refused);
    if (step["error"]) return this.#differ("re-add", `the source refuses: ${textOf(step["error"])}`);
    this.#open = store;
    const { version, hash } = store.lastCommitID;
    expectEqual(version, step["version"], "version");
    expectEqual(toHex(hash), step["last_hash"], "last hash");
    if (this.#interrupted) return this.#differ("interrupted-commit", "the source goes on with a tree that was saved");
    expectEqual(toHex(store.workingHash()), step["working_hash"], "working hash after open");
    return false;
  }

  /** Ours refuses what the source refuses; what it alone refuses carries a tag. */
  #refused(step: VectorCase, error: unknown): boolean {
    if (!isUpgradeError(error) || error.code !== "UPG_STORE_UPGRADE") throw error;
    if (step["error"]) return false;
    const tag = ["rename-missing", "delete-missing", "unmounted"].find((name) => this.differs.includes(name));
    return this.#differ(tag ?? "refused", error.message);
  }

  #differ(tag: string, why: string): true {
    if (!this.differs.includes(tag)) throw new Error(why);
    this.tags.push(tag);
    return true;
  }

  #write(step: VectorCase): boolean {
    const branch = this.#store.branch();
    for (const [name, op, key, value] of step["ops"] as [string, string, GivenText, GivenText][]) {
      if (this.#uncounted.has(name)) continue;
      if (op === "set") branch.store(name).set(hexBytes(key), hexBytes(value));
      else branch.store(name).delete(hexBytes(key));
    }
    branch.write();
    expectEqual(toHex(this.#store.workingHash()), step["working_hash"], "working hash after write");
    return false;
  }

  #commit(step: VectorCase): boolean {
    const { version, hash } = this.#store.commit();
    expectEqual(version, step["version"], "committed version");
    expectEqual(toHex(hash), step["app_hash"], `app hash of version ${version}`);
    const view = this.#store.at(version);
    expectEqual(
      view.names.map((name) => ({ name, hash: toHex(view.rootHash(name)), version: String(version) })),
      step["stores"],
      `stores of version ${version}`,
    );
    expectEqual(toHex(view.computeAppHash()), step["app_hash"], "app hash from the record");
    expectEqual(toHex(this.#store.workingHash()), step["working_hash"], "working hash after commit");
    for (const [name, nodes] of Object.entries(step["trees"] ?? {})) {
      expectEqual(treeOf(view.tree(name)), nodes, `tree of ${name}`);
    }
    return false;
  }

  #query(step: VectorCase): boolean {
    const query = {
      path: textOf(step["path"]),
      data: hexBytes(step["data"]),
      height: BigInt(step["height"]),
      prove: step["prove"] as boolean,
    };
    try {
      const answer = queryStore(this.#store, query);
      expectEqual(step["error"], null, "the source refuses the query");
      this.#compareAnswer(step, answer.height, answer.value, answer.store);
    } catch (error) {
      if (!isUpgradeError(error)) throw error;
      if (error.code !== "UPG_PROOF_EMPTY_VALUE") {
        expectEqual(step["error"] !== null, true, `ours refuses: ${error.message}`);
        return false;
      }
      // A proof that verifies nowhere: refused at the interface, its bytes compared all the same.
      expectEqual(step["verifies"], false, `ours refuses a proof that verifies: ${error.message}`);
      this.#compareProof(step, BigInt(step["answer_height"]), query.path.split("/")[2] as string);
    }
    return false;
  }

  #compareAnswer(step: VectorCase, height: bigint, value: Uint8Array | undefined, store: string): void {
    expectEqual(height, step["answer_height"], "answer height");
    expectEqual(value !== undefined, step["exist"], "exists");
    expectBytes(value ?? new Uint8Array(), step["value"], "value");
    this.#compareProof(step, height, store);
    if (!step["verifies"]) return;
    const view = this.#store.at(height);
    const proof = view.prove(store, hexBytes(step["data"]));
    const root = view.rootHash(store);
    const key = new TextEncoder().encode(store);
    expectEqual(verifyWithOracle(proof.store, root, hexBytes(step["data"]), value), true, "store proof verifies");
    expectEqual(verifyWithOracle(proof.app, view.appHash, key, root, "tendermint"), true, "app proof verifies");
  }

  #compareProof(step: VectorCase, height: bigint, store: string): void {
    const proof = this.#store.at(height).proveUnchecked(store, hexBytes(step["data"]));
    const [first, second] = step["proof_ops"] as { type: string; key: string; data: string }[];
    expectEqual([first?.type, second?.type], ["ics23:iavl", "ics23:simple"], "proof types");
    expectEqual(
      [first?.key, second?.key],
      [toHex(hexBytes(step["data"])), toHex(new TextEncoder().encode(store))],
      "proof keys",
    );
    expectBytes(proof.store, first?.data ?? "", "proof in the store");
    expectBytes(proof.app, second?.data ?? "", "proof in the app hash");
  }
}

function storeUpgrades(json: {
  added: string[];
  deleted: string[];
  renamed: { old: string; new: string }[];
}): StoreUpgrades {
  const renamed = json.renamed.map((rename) => ({ oldKey: rename.old, newKey: rename.new }));
  return { added: json.added, deleted: json.deleted, renamed };
}

/** Nodes in post-order: height, version, key. */
function treeOf(tree: import("../../host/state/commitment/tree.js").Tree): unknown[] {
  const nodes: unknown[] = [];
  const visit = (id: number): void => {
    const node = tree.view().go(id);
    if (!node.isLeaf) {
      visit(node.child(0));
      visit(node.child(1));
    }
    nodes.push([node.height, String(node.version), toHex(node.bytes.slice(node.keyAt, node.keyAt + node.keyLen))]);
  };
  if (tree.root.id !== 0) visit(tree.root.id);
  return nodes;
}
