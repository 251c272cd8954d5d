/** Asks an RPC for light blocks and for proven records, in the shapes in which evidence keeps them. */
import { sha256 } from "@noble/hashes/sha2.js";
import { compareBytes, fromBase64, toBase64, toHex } from "../bytes.js";
import { verifyStoreAbsence } from "../commitment/verify-absence.js";
import { verifyStoreProof } from "../commitment/verify-existence.js";
import { UpgradeError } from "../errors.js";
import type { Asking } from "./asking.js";
import { JsonView } from "./json.js";
import { keptProofOps, keptSignedHeader, keptStatus, keptValidator } from "./kept.js";
import type { AskedLightBlock } from "./path.js";
import { afterKey } from "./proofs.js";
import { lightBlockOf, proofsOf, queryAnswerOf, statusOf, validatorsPageOf } from "./rpc-json.js";
import type { EvidenceRange, EvidenceRecord, Json } from "./types.js";

const PER_PAGE = 100;
/** Keys of one range that are walked. */
const WALK_MAX = 10_000;

export class RpcCalls {
  readonly #asking: Asking;
  readonly #lightBlocks = new Map<bigint, AskedLightBlock>();

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** What is kept of it, and what it says. */
  async status() {
    const json = await this.#asking.view("status", {});
    return { json: this.#asking.keep(keptStatus(json.value)), ...statusOf(json) };
  }

  /** Each height is asked for once. */
  async lightBlock(height: bigint): Promise<AskedLightBlock> {
    const known = this.#lightBlocks.get(height);
    if (known) return known;
    const signedHeader = (await this.#asking.view("commit", { height: String(height) })).get("signed_header");
    const validators = await this.#validators(height);
    const lightBlock = lightBlockOf(sha256, signedHeader, new JsonView(validators, "validators"));
    const found = lightBlock.signedHeader.header.height;
    if (found !== height) throw signedHeader.wrong(`it is of height ${found}, and ${height} was asked for`);
    const json = { signed_header: this.#asking.keep(keptSignedHeader(signedHeader.value)), validators };
    const asked = { lightBlock, json };
    this.#lightBlocks.set(height, asked);
    return asked;
  }

  async #validators(height: bigint): Promise<Json[]> {
    const found: Json[] = [];
    for (let page = 1; ; page++) {
      const params = { height: String(height), page: String(page), per_page: String(PER_PAGE) };
      const json = await this.#asking.view("validators", params);
      const { validators, total } = validatorsPageOf(json);
      if (validators.length > total - found.length) throw json.wrong(`more validators than the ${total} of the set`);
      found.push(...validators.map(({ value }) => this.#asking.keep(keptValidator(value))));
      if (found.length === total) return found;
      // A server that gives one at a time would be asked ten thousand times for each header.
      if (validators.length < PER_PAGE) throw json.wrong(`a page ends after ${found.length} of ${total} validators`);
    }
  }

  /** A key of a store in the state after `height`. @throws UpgradeError UPG_REMOTE_REFUSED when the state was pruned */
  async record(store: string, key: Uint8Array, height: bigint): Promise<EvidenceRecord> {
    const json = await this.#asking.view("abci_query", {
      path: `/store/${store}/key`,
      data: toHex(key),
      height: String(height),
      prove: true,
    });
    const answer = queryAnswerOf(json);
    if (!answer) {
      throw new UpgradeError(
        "UPG_REMOTE_REFUSED",
        `the server proves nothing of store "${store}" after block ${height}`,
      );
    }
    const record = {
      store,
      key: toBase64(key),
      value: answer.value ? toBase64(answer.value) : null,
      proof_ops: keptProofOps(answer.proofOps),
    };
    this.#asking.keep(record);
    return record;
  }

  /** A walk over the keys of a range. What it finds is proven when it is verified; here only the next key is read. */
  async range(
    store: string,
    { start, end }: { readonly start: Uint8Array; readonly end: Uint8Array },
    at: { readonly height: bigint; readonly appHash: Uint8Array },
  ): Promise<EvidenceRange> {
    const records: EvidenceRecord[] = [];
    let next: Uint8Array | undefined = start;
    while (next && compareBytes(next, end) < 0) {
      if (records.length >= WALK_MAX)
        throw new UpgradeError("UPG_PROOF_RANGE", `more than ${WALK_MAX} keys in a range`);
      const record = await this.record(store, next, at.height);
      records.push(record);
      const found: Uint8Array | undefined =
        record.value === null ? rightOf(store, next, at.appHash, record) : presentKey(store, next, at.appHash, record);
      next = found && afterKey(found);
    }
    return { store, start: toBase64(start), end: toBase64(end), records };
  }
}

/** Without this a server that calls every key present would send the walk from key to key. */
function presentKey(store: string, key: Uint8Array, appHash: Uint8Array, record: EvidenceRecord): Uint8Array {
  const proofs = proofsOf(new JsonView(record.proof_ops, "abci_query.proofOps.ops"));
  verifyStoreProof(sha256, { store, key, value: fromBase64(record.value ?? ""), appHash, proofs });
  return key;
}

/** The key after an absent one, as its proof shows. */
function rightOf(store: string, key: Uint8Array, appHash: Uint8Array, record: EvidenceRecord): Uint8Array | undefined {
  const proofs = proofsOf(new JsonView(record.proof_ops, "abci_query.proofOps.ops"));
  return verifyStoreAbsence(sha256, { store, key, appHash, proofs }).right?.[0];
}
