/** A chain of headers over a real multistore, whose validators sign: what a server of it would respond, in CometBFT's JSON. */
import { createHash } from "node:crypto";
import { bigEndian64, concatBytes, EMPTY, fromHex, toBase64, utf8 } from "../../../host/base/text/bytes.js";
import { ZERO_TIME } from "../../../host/base/time/time.js";
import type { Sha256, Timestamp } from "../../../host/base/types/types.js";
import { WireWriter } from "../../../host/base/wire/wire.js";
import { type BlockId, NIL_BLOCK_ID } from "../../../host/chain/comet-types/block-id.js";
import {
  type BlockIdFlag,
  type Commit,
  type CommitSig,
  commitSignBytes,
  FLAG_ABSENT,
  FLAG_COMMIT,
} from "../../../host/chain/comet-types/commit.js";
import { BLOCK_PROTOCOL, type Header, headerHash } from "../../../host/chain/comet-types/header.js";
import { type KeyType, publicKeyOf, sign } from "../../../host/chain/comet-types/keys.js";
import type { LightBlock } from "../../../host/chain/comet-types/light-block.js";
import { type ValidatorSet, validatorSetHash } from "../../../host/chain/comet-types/validator-set.js";
import { createValidatorSet } from "../../../host/chain/comet-types/validator-updates.js";
import { commitJson, headerJson, validatorJson } from "../../../host/serve/rpc/json.js";
import { MemoryDatabase } from "../../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../host/state/store/versions/commit-multi-store.js";
import type { Ask, TrustOptions } from "../../../host/verify/types.js";

const sha256: Sha256 = (bytes) => new Uint8Array(createHash("sha256").update(bytes).digest());

const CHAIN = "checked-1";
const GENESIS_SECONDS = 1_700_000_000n;
const BLOCK_SECONDS = 5n;

/** Who validates: a seed for each key, from 1, and its power. */
export type Members = readonly { readonly seed: number; readonly power: number; readonly type?: KeyType }[];

export interface ChainShape {
  readonly blocks: number;
  readonly members: (height: number) => Members;
  /** What the validator of a seed does at a height; everybody signs when left out. */
  readonly flag?: (height: number, seed: number) => BlockIdFlag;
  /** Keys of store `upgrade` that are written after a block. Hex; undefined deletes. */
  readonly writes?: (height: number) => readonly (readonly [key: string, value: Uint8Array | undefined])[];
  /** State that something else commits, block by block; `writes` are not used then. */
  readonly state?: { readonly stores: () => CommitMultiStore; readonly commit: (height: number) => void };
  readonly chainId?: string;
  /** Time of block 0, seconds since 1970. */
  readonly genesisSeconds?: bigint;
}

export class MadeChain {
  readonly #stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
  readonly blocks: LightBlock[] = [];
  readonly #secrets = new Map<string, { readonly seed: number; readonly type: KeyType; readonly secret: Uint8Array }>();

  readonly chainId: string;

  constructor(private readonly shape: ChainShape) {
    this.chainId = shape.chainId ?? CHAIN;
    this.#stores.mount("auth", "bank", "upgrade");
    this.#stores.loadLatestVersion();
    let last: BlockId = NIL_BLOCK_ID;
    for (let height = 1; height <= shape.blocks; height++) {
      const block = this.#made(height, last);
      this.blocks.push(block);
      last = block.signedHeader.commit.blockId;
      this.#commitState(height);
    }
  }

  get stores(): CommitMultiStore {
    return this.shape.state?.stores() ?? this.#stores;
  }

  at(height: number | bigint): LightBlock {
    return this.blocks[Number(height) - 1] as LightBlock;
  }

  hashAt(height: number | bigint): Uint8Array {
    return headerHash(sha256, this.at(height).signedHeader.header);
  }

  timeAt(height: number): Timestamp {
    return timeOf(height, this.shape.genesisSeconds);
  }

  trust(height: number | bigint, change: Partial<TrustOptions> = {}): TrustOptions {
    const root = { chainId: this.chainId, height: BigInt(height), hash: this.hashAt(height), from: "yours" } as const;
    return { root, now: this.timeAt(this.blocks.length + 1), trustingPeriod: 86_400n, ...change };
  }

  setAt(height: number): ValidatorSet {
    const members = this.shape.members(height);
    const updates = members.map(({ seed, power, type = "ed25519" }) => {
      const secret = sha256(utf8(`validator ${seed}`));
      const publicKey = publicKeyOf(type, secret);
      this.#secrets.set(toBase64(publicKey.bytes), { seed, type, secret });
      return { publicKey, power: BigInt(power) };
    });
    return createValidatorSet(sha256, updates);
  }

  /** A commit for a header by a set, with what each validator does. */
  signed(header: Header, validators: ValidatorSet): LightBlock {
    const parts = { total: 1, hash: sha256(utf8(`parts ${header.height}`)) };
    const blockId: BlockId = { hash: headerHash(sha256, header), parts };
    const unsigned: Commit = { height: header.height, round: 0, blockId, signatures: [] };
    const signatures = validators.validators.map(({ publicKey, address }): CommitSig => {
      const key = this.#secrets.get(toBase64(publicKey.bytes));
      const flag = key ? (this.shape.flag?.(Number(header.height), key.seed) ?? FLAG_COMMIT) : FLAG_ABSENT;
      if (!key || flag === FLAG_ABSENT) {
        return { flag: FLAG_ABSENT, validatorAddress: EMPTY, timestamp: ZERO_TIME, signature: EMPTY };
      }
      const vote = { flag, validatorAddress: address, timestamp: header.time, signature: EMPTY };
      return { ...vote, signature: sign(key.type, key.secret, commitSignBytes(header.chainId, unsigned, vote)) };
    });
    return { signedHeader: { header, commit: { ...unsigned, signatures } }, validators };
  }

  #made(height: number, lastBlockId: BlockId): LightBlock {
    const [validators, next] = [this.setAt(height), this.setAt(height + 1)];
    const nothing = sha256(EMPTY);
    const header: Header = {
      version: { block: BLOCK_PROTOCOL, app: 0n },
      chainId: this.chainId,
      height: BigInt(height),
      time: this.timeAt(height),
      lastBlockId,
      lastCommitHash: nothing,
      dataHash: nothing,
      validatorsHash: validatorSetHash(sha256, validators),
      nextValidatorsHash: validatorSetHash(sha256, next),
      consensusHash: nothing,
      appHash: height === 1 ? EMPTY : this.stores.lastCommitID.hash,
      lastResultsHash: nothing,
      evidenceHash: nothing,
      proposerAddress: validators.validators[0]?.address ?? EMPTY,
    };
    return this.signed(header, validators);
  }

  #commitState(height: number): void {
    if (this.shape.state) {
      this.shape.state.commit(height);
      return;
    }
    const branch = this.stores.branch();
    branch.store("bank").set(utf8("height"), utf8(String(height)));
    for (const [key, value] of this.shape.writes?.(height) ?? []) {
      if (value) branch.store("upgrade").set(fromHex(key), value);
      else branch.store("upgrade").delete(fromHex(key));
    }
    branch.write();
    this.stores.commit();
  }

  /** What a node of this chain responds. */
  readonly ask: Ask = async (method, params) => {
    // As it is on the wire.
    return JSON.parse(JSON.stringify(this.#answer(method, params)));
  };

  #answer(method: string, params: Readonly<Record<string, string | boolean>>): unknown {
    if (method === "status") {
      const sync = { latest_block_height: String(this.blocks.length), catching_up: false };
      return { node_info: { network: this.chainId }, sync_info: sync };
    }
    const height = Number(params["height"]);
    if (method === "abci_query") return this.#query(String(params["path"]), String(params["data"]), height);
    const { signedHeader, validators } = this.at(height);
    if (method === "commit") {
      const { header, commit } = signedHeader;
      return { signed_header: { header: headerJson(header), commit: commitJson(commit) }, canonical: true };
    }
    const [page, size] = [Number(params["page"]), Number(params["per_page"])];
    const shown = validators.validators.slice((page - 1) * size, page * size).map(validatorJson);
    const counts = { count: String(shown.length), total: String(validators.validators.length) };
    return { block_height: String(height), validators: shown, ...counts };
  }

  #query(path: string, data: string, height: number): unknown {
    if (!path.endsWith("/key")) return { response: { code: 0, value: toBase64(this.#listed(path, data, height)) } };
    const proof = this.stores.at(BigInt(height)).prove("upgrade", fromHex(data));
    const ops = [
      { type: "ics23:iavl", key: toBase64(fromHex(data)), data: toBase64(proof.store) },
      { type: "ics23:simple", key: toBase64(utf8("upgrade")), data: toBase64(proof.app) },
    ];
    const value = proof.value ? toBase64(proof.value) : null;
    const key = toBase64(fromHex(data));
    return { response: { code: 0, log: "", key, value, proofOps: { ops }, height: String(height), codespace: "" } };
  }

  /** Keys of the store below a prefix, or the names of all modules: as the Cosmos SDK responds, without proof. */
  #listed(path: string, data: string, height: number): Uint8Array {
    const isSubspace = path === "/store/upgrade/subspace";
    if (!isSubspace && path !== "/cosmos.upgrade.v1beta1.Query/ModuleVersions") throw new Error(`no query ${path}`);
    const prefix = isSubspace ? fromHex(data) : Uint8Array.of(2);
    const end = Uint8Array.of((prefix[0] ?? 0) + 1);
    const pairs = [...this.stores.at(BigInt(height)).store("upgrade").iterate({ start: prefix, end })];
    return listOf(
      pairs.map(([key, value]) =>
        new WireWriter()
          .bytes(1, isSubspace ? key : key.subarray(1))
          .bytes(2, value)
          .finish(),
      ),
    );
  }
}

/** A message with this list of messages as its field 1. */
const listOf = (messages: readonly Uint8Array[]) =>
  messages.reduce((writer, each) => writer.message(1, each), new WireWriter()).finish();

export const timeOf = (height: number, genesisSeconds = GENESIS_SECONDS): Timestamp => ({
  seconds: genesisSeconds + BLOCK_SECONDS * BigInt(height),
  nanos: 123_456_789,
});

/** Hex of the key of an upgrade that was applied. */
export const doneKey = (name: string, height: bigint) =>
  Buffer.from(concatBytes(Uint8Array.of(1), bigEndian64(height), utf8(name))).toString("hex");
export const versionKey = (module: string) => Buffer.from(`\u0002${module}`).toString("hex");
export const receiptKeyHex = (name: string) => Buffer.from(`\u0004${name}`).toString("hex");

/** As the Cosmos SDK writes it: with the zero time, which its codec never leaves out. */
export function planBytes(name: string, height: bigint, info = ""): Uint8Array {
  const zero = new WireWriter().int(1, ZERO_TIME.seconds).finish();
  return new WireWriter().string(1, name).message(2, zero).int(3, height).string(4, info).finish();
}

const receiptOf = (name: string, height: bigint) =>
  new WireWriter().string(1, name).int(2, height).bytes(3, new Uint8Array(32).fill(7)).int(4, 1).int(6, 99n).finish();

/** Versions at 1, plan `v2` from 3, applied in 6 with a receipt, plan `v3` from 8 for 50. */
export function upgradeWrites(height: number): readonly (readonly [string, Uint8Array | undefined])[] {
  if (height === 1) return ["auth", "bank", "upgrade"].map((name) => [versionKey(name), bigEndian64(1n)]);
  if (height === 3) return [["00", planBytes("v2", 6n, "see the forum")]];
  if (height === 6) {
    return [
      ["00", undefined],
      [doneKey("v2", 6n), Uint8Array.of(1)],
      [versionKey("bank"), bigEndian64(2n)],
      [versionKey("mint"), bigEndian64(1n)],
      [receiptKeyHex("v2"), receiptOf("v2", 6n)],
    ];
  }
  return height === 8 ? [["00", planBytes("v3", 50n)]] : [];
}
