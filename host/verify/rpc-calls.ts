/** Asks an RPC for light blocks and for proven records, in the shapes in which evidence keeps them. */
import { sha256 } from "@noble/hashes/sha2.js";
import { UpgradeError } from "../base/errors/errors.js";
import { compareBytes, fromHex, toBase64, toHex } from "../base/text/bytes.js";
import { Ahead, type Asking, begun } from "./asking.js";
import { keptProofOps, keptSignedHeader, keptStatus, keptValidator } from "./evidence-fields.js";
import { JsonView } from "./json.js";
import type { AskedLightBlock } from "./path.js";
import { afterKey, verifyRecord } from "./proofs.js";
import { recordOf } from "./proven-state.js";
import { lightBlockOf, queryAnswerOf, statusOf, validatorsPageOf } from "./rpc-json.js";
import type { EvidenceRange, EvidenceRecord, Json } from "./types.js";

const PER_PAGE = 100;
/** Keys of one range that are walked. */
const WALK_MAX = 10_000;

/** A state, and the app hash that proves it. */
export interface StateAt {
  readonly height: bigint;
  readonly appHash: Uint8Array;
}

export class RpcCalls {
  readonly #asking: Asking;
  readonly #lightBlocks = new Map<bigint, Promise<AskedLightBlock>>();

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** What is kept of it, and what it says. */
  async status() {
    const json = await this.#asking.view("status", {});
    return { json: this.#asking.keep(keptStatus(json.value)), ...statusOf(json) };
  }

  /** Each height is asked for once. */
  lightBlock(height: bigint): Promise<AskedLightBlock> {
    const block = this.#lightBlocks.get(height) ?? begun(this.#askedLightBlock(height));
    this.#lightBlocks.set(height, block);
    return block;
  }

  async #askedLightBlock(height: bigint): Promise<AskedLightBlock> {
    const commit = begun(this.#asking.view("commit", { height: String(height) }));
    const set = begun(this.#validators(height));
    const signedHeader = (await commit).get("signed_header");
    const validators = await set;
    const lightBlock = lightBlockOf(sha256, signedHeader, new JsonView(validators, "validators"));
    const found = lightBlock.signedHeader.header.height;
    if (found !== height) throw signedHeader.wrong(`it is of height ${found}, and ${height} was asked for`);
    return { lightBlock, json: { signed_header: this.#asking.keep(keptSignedHeader(signedHeader.value)), validators } };
  }

  async #validators(height: bigint): Promise<Json[]> {
    const found: Json[] = [];
    const pages = new Ahead((page) =>
      this.#asking.view("validators", { height: String(height), page, per_page: String(PER_PAGE) }),
    );
    for (let page = 1; ; page++) {
      const json = await pages.read(String(page));
      const { validators, total } = validatorsPageOf(json);
      if (page === 1)
        pages.expect(Array.from({ length: Math.ceil(total / PER_PAGE) }, (_, at) => String(at + 1)).slice(1));
      if (validators.length > total - found.length) throw json.wrong(`more validators than the ${total} of the set`);
      found.push(...validators.map(({ value }) => this.#asking.keep(keptValidator(value))));
      if (found.length === total) return found;
      // A server that gives one at a time would be asked ten thousand times for each header.
      if (validators.length < PER_PAGE) throw json.wrong(`a page ends after ${found.length} of ${total} validators`);
    }
  }

  /** A key of a store in the state after `height`. @throws UpgradeError UPG_REMOTE_REFUSED when the state was pruned */
  async record(store: string, key: Uint8Array, height: bigint): Promise<EvidenceRecord> {
    return this.#asking.keep(await this.#record(store, key, height));
  }

  async #record(store: string, key: Uint8Array, height: bigint): Promise<EvidenceRecord> {
    const params = { path: `/store/${store}/key`, data: toHex(key), height: String(height), prove: true };
    const answer = queryAnswerOf(await this.#asking.view("abci_query", params));
    if (!answer) {
      throw new UpgradeError(
        "UPG_REMOTE_REFUSED",
        `the server proves nothing of store "${store}" after block ${height}`,
      );
    }
    return {
      store,
      key: toBase64(key),
      value: answer.value ? toBase64(answer.value) : null,
      proof_ops: keptProofOps(answer.proofOps),
    };
  }

  /** What the application responds without a proof; empty: it refuses. */
  async said(path: string, data: string, height: bigint): Promise<Uint8Array> {
    const json = await this.#asking.view("abci_query", { path, data, height: String(height), prove: false });
    return queryAnswerOf(json)?.value ?? new Uint8Array();
  }

  /**
   * A walk over the keys of a range. What it finds is proven when it is verified; here only the next key is read.
   *
   * @param keys those that the range may have, in order: the walk asks for them ahead, and finds others all the same
   */
  async range(
    store: string,
    { start, end }: { readonly start: Uint8Array; readonly end: Uint8Array },
    at: StateAt,
    keys: readonly Uint8Array[] | Promise<readonly Uint8Array[]>,
  ): Promise<EvidenceRange> {
    const records: EvidenceRecord[] = [];
    const walk = new Ahead((key) => this.#record(store, fromHex(key), at.height));
    const first = toHex(start);
    walk.expect([first]);
    walk.expect([first, ...(await keys).slice(0, WALK_MAX).map((key) => toHex(afterKey(key)))]);
    let next: Uint8Array | undefined = start;
    while (next && compareBytes(next, end) < 0) {
      if (records.length >= WALK_MAX)
        throw new UpgradeError("UPG_PROOF_RANGE", `more than ${WALK_MAX} keys in a range`);
      const record: EvidenceRecord = this.#asking.keep(await walk.read(toHex(next)));
      records.push(record);
      // A server that calls every key present would send the walk from key to key: also that is proven.
      const neighbours = verifyRecord({
        appHash: at.appHash,
        store,
        sha256,
        ...recordOf(new JsonView(record, "abci_query")),
      });
      const found: Uint8Array | undefined = record.value === null ? neighbours?.right?.[0] : next;
      next = found && afterKey(found);
    }
    return { store, start: toBase64(start), end: toBase64(end), records };
  }
}
