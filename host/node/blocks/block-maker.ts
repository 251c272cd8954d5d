/** Makes blocks with real headers and commits, signed by this node's key alone. */
import { signEd25519 } from "../../base/native/ed25519.js";
import { equalBytes } from "../../base/text/bytes.js";
import { ZERO_TIME } from "../../base/time/time.js";
import type { Height, Sha256, Timestamp } from "../../base/types/types.js";
import { type Block, blockIdOf, encodeBlock } from "../../chain/comet-types/block.js";
import { type BlockId, NIL_BLOCK_ID } from "../../chain/comet-types/block-id.js";
import { PRECOMMIT, voteSignBytes } from "../../chain/comet-types/canonical.js";
import { type Commit, type CommitSig, commitHash, FLAG_ABSENT, FLAG_COMMIT } from "../../chain/comet-types/commit.js";
import { type ConsensusParams, consensusParamsHash } from "../../chain/comet-types/consensus-params.js";
import { evidenceListHash } from "../../chain/comet-types/evidence.js";
import { BLOCK_PROTOCOL } from "../../chain/comet-types/header.js";
import { resultsHash } from "../../chain/comet-types/results.js";
import { txsHash } from "../../chain/comet-types/txs.js";
import type { ValidatorSet } from "../../chain/comet-types/validator-set.js";
import type { ConsensusKey } from "../home/consensus-key.js";
import type { StoredBlock } from "./block-store.js";
import type { DecidingSets } from "./deciding-sets.js";
import type { LastSigned } from "./last-signed.js";

/** A precommit that never arrived. */
const ABSENT: CommitSig = {
  flag: FLAG_ABSENT,
  validatorAddress: new Uint8Array(),
  timestamp: ZERO_TIME,
  signature: new Uint8Array(),
};

const NO_COMMIT: Commit = { height: 0n, round: 0, blockId: NIL_BLOCK_ID, signatures: [] };

export interface ChainFacts {
  readonly chainId: string;
  readonly genesisTime: Timestamp;
  readonly initialHeight: Height;
  readonly appVersion: bigint;
  /** Those of genesis. */
  readonly params: ConsensusParams;
}

export interface BlockParts {
  readonly txs: readonly Uint8Array[];
  readonly sets: DecidingSets;
  /** In force for this block. */
  readonly params: ConsensusParams;
}

export interface NamedBlock {
  readonly block: Block;
  readonly bytes: Uint8Array;
  readonly id: BlockId;
}

export class BlockMaker {
  constructor(
    private readonly sha256: Sha256,
    private readonly facts: ChainFacts,
    private readonly key: ConsensusKey,
    private readonly lastSigned?: LastSigned,
  ) {}

  /** The block that follows `last`; undefined: the first one, at `height`. */
  make(height: Height, last: StoredBlock | undefined, { txs, sets, params }: BlockParts): NamedBlock {
    const { sha256, facts } = this;
    const lastCommit = last?.commit ?? NO_COMMIT;
    const vote = lastCommit.signatures.find(({ flag }) => flag === FLAG_COMMIT);
    const block: Block = {
      header: {
        version: { block: BLOCK_PROTOCOL, app: facts.appVersion },
        chainId: facts.chainId,
        height,
        time: vote?.timestamp ?? facts.genesisTime,
        lastBlockId: last?.blockId ?? NIL_BLOCK_ID,
        lastCommitHash: commitHash(sha256, lastCommit),
        dataHash: txsHash(sha256, txs),
        validatorsHash: sets.current.hash,
        nextValidatorsHash: sets.next.hash,
        consensusHash: consensusParamsHash(sha256, params),
        appHash: last?.appHash ?? sha256(new Uint8Array()),
        lastResultsHash: last?.lastResultsHash ?? resultsHash(sha256, []),
        evidenceHash: evidenceListHash(sha256, []),
        proposerAddress: this.key.address,
      },
      txs,
      evidence: [],
      lastCommit,
    };
    const bytes = encodeBlock(block);
    return { block, bytes, id: blockIdOf(sha256, block, bytes) };
  }

  /**
   * The commit for a block: this node's precommit, voted at `timestamp`, among the absent ones of all others in the set.
   * @throws UpgradeError UPG_STORE_SIGNED when this key signed something else at this height or after it
   */
  commit({ block, id }: NamedBlock, { validators }: ValidatorSet, timestamp: Timestamp): Commit {
    const { height } = block.header;
    const vote = { type: PRECOMMIT, height, round: 0, blockId: id, timestamp } as const;
    const signBytes = voteSignBytes(this.facts.chainId, vote);
    const signed = () => signEd25519(this.key.seed, signBytes);
    const signature = this.lastSigned?.sign({ height, signBytes, timestamp, txs: block.txs }, signed) ?? signed();
    const own = { flag: FLAG_COMMIT, validatorAddress: this.key.address, timestamp, signature } as const;
    const signatures = validators.map(({ address }) => (equalBytes(address, own.validatorAddress) ? own : ABSENT));
    return { height, round: 0, blockId: id, signatures };
  }
}
