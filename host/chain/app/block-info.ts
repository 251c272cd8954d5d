/** What an engine says of a block besides its height, time and transactions. Everything in it is the same on every node. */
import type { Height, Timestamp } from "../../base/types/types.js";

/** A validator as consensus knows it. */
interface ConsensusValidator {
  /** Address of its consensus key, 20 bytes. */
  readonly address: Uint8Array;
  /** Its voting power at the height that is spoken of. */
  readonly power: bigint;
}

/** What a validator did about the block before: CometBFT's BlockIDFlag. */
type VoteFlag = "absent" | "commit" | "nil";

export interface LastVote extends ConsensusValidator {
  readonly flag: VoteFlag;
}

/** Who decided the block before. */
export interface LastCommit {
  /** Round in which it was decided, from 0. */
  readonly round: number;
  /** The whole set that decided it, in its order; empty for the first block. */
  readonly votes: readonly LastVote[];
}

/** CometBFT's MisbehaviorType. */
type MisbehaviorKind = "duplicate_vote" | "light_client_attack";

/** Evidence against a validator, which the engine has checked. */
export interface Misbehavior {
  readonly kind: MisbehaviorKind;
  /** With the power that it had then. */
  readonly validator: ConsensusValidator;
  /** When it was. */
  readonly height: Height;
  readonly time: Timestamp;
  /** Of the whole set then. */
  readonly totalPower: bigint;
}

export interface BlockInfo {
  /** Address of the key that proposed the block, 20 bytes; empty where there is no block: in checks and simulations. */
  readonly proposer: Uint8Array;
  readonly lastCommit: LastCommit;
  readonly misbehavior: readonly Misbehavior[];
}

/** Of a block whose engine says nothing more, and of checks outside blocks. */
export const NO_BLOCK_INFO: BlockInfo = Object.freeze({
  proposer: new Uint8Array(0),
  lastCommit: Object.freeze({ round: 0, votes: Object.freeze([]) }),
  misbehavior: Object.freeze([]),
});
