/**
 * Compares the votes of this home's validator key, as each block shows them, with the home's record of what that key signed.
 * CometBFT writes the record before it sends a vote. So a vote that the record lacks was signed by another process, or the
 * record is an older copy. CometBFT itself starts with either and logs nothing.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BlockIDFlag } from "../../../base/gen/tendermint/types/types_pb.js";
import { equalBytes, toUpperHex } from "../../../base/text/bytes.js";
import type { Log } from "../../../base/text/log-line.js";
import type { Height } from "../../../base/types/types.js";
import { LastSigned } from "../../blocks/last-signed.js";
import { readConsensusKey } from "../../home/consensus-key.js";
import { forgetUnrecordedVote, keepUnrecordedVote, unrecordedVoteText } from "../../home/unrecorded-vote.js";
import type { Call } from "../messages.js";
import type { CometFiles } from "./home-files.js";

export class OwnVotes {
  /** Null if CometBFT signs with a key outside this home; undefined before the key was read. */
  #address: Uint8Array | null | undefined;
  readonly #record: LastSigned;
  /** Height of the record; undefined: it cannot be read, which CometBFT reports itself. */
  #recorded: Height | undefined;
  #isValidator: boolean | undefined;
  #hasSeenBlock = false;
  #hasWarned = false;

  /**
   * Make it before CometBFT signs anything.
   * @param data folder that keeps the finding for `upgrade preflight` and the sidecar's doctor, until a start finds the record complete
   * or the key unused: another process signs, or the validator set of the first block lacks the key
   */
  constructor(
    private readonly files: Omit<CometFiles, "nodeKey">,
    private readonly data: string,
    private readonly log: Log,
  ) {
    this.#record = new LastSigned(files.lastSigned);
    this.#recorded = this.#readRecord();
  }

  /** Takes any call: a block to run shows the votes for the block before it. Never throws. */
  look(call: Call): void {
    if (call.case !== "finalizeBlock") return;
    const isFirst = !this.#hasSeenBlock;
    this.#hasSeenBlock = true;
    if (this.#address === undefined) this.#address = this.#usedKey();
    const address = this.#address;
    if (!address) return;
    const votes = call.value.decidedLastCommit?.votes ?? [];
    if (votes.length === 0) return;
    const height = call.value.height - 1n;
    const own = votes.find(({ validator }) => validator && equalBytes(validator.address, address));
    this.#logRole(address, own !== undefined, height);
    if (isFirst && !own) forgetUnrecordedVote(this.data);
    if (own && own.blockIdFlag !== BlockIDFlag.BLOCK_ID_FLAG_ABSENT) this.#compare(height, isFirst);
  }

  /** CometBFT has its databases in this home once it has a block to run, unless it runs on another home. */
  #usedKey(): Uint8Array | null {
    const { databases, hasRemoteSigner, validatorKey } = this.files;
    if (hasRemoteSigner) forgetUnrecordedVote(this.data);
    if (hasRemoteSigner || !existsSync(join(databases, "blockstore.db"))) return null;
    return addressIn(validatorKey) ?? null;
  }

  /** At the first block, and when it changes. */
  #logRole(address: Uint8Array, isValidator: boolean, height: Height): void {
    if (this.#isValidator === isValidator) return;
    const wasKnown = this.#isValidator !== undefined;
    this.#isValidator = isValidator;
    const who = `the key in ${this.files.validatorKey} (address ${toUpperHex(address)})`;
    if (isValidator && wasKnown) this.log("info", `${who} is in the validator set of block ${height}`);
    if (isValidator) return;
    this.log(
      "info",
      `${who} is not in the validator set of block ${height}: this node runs as a full node and signs nothing. ` +
        "If it should be a validator, check that this is its key and that the validator is bonded",
    );
  }

  /**
   * Only the first block since this start shows a vote from before the start. That vote is compared with the record as the start found
   * it, since CometBFT has signed the present height by now. Later votes are compared with the record on disk: this process may have
   * signed them itself, and CometBFT writes the record before it sends a vote.
   *
   * @param isFirst the vote is in the first block since the start
   */
  #compare(height: Height, isFirst: boolean): void {
    if (this.#hasWarned || (!isFirst && this.#recorded !== undefined && height <= this.#recorded)) return;
    if (!isFirst) this.#recorded = this.#readRecord();
    const recorded = this.#recorded;
    if (recorded === undefined) return;
    if (height > recorded) this.#warn(height, recorded);
    else if (isFirst) forgetUnrecordedVote(this.data);
  }

  #warn(height: Height, recorded: Height): void {
    this.#hasWarned = true;
    const { validatorKey, lastSigned } = this.files;
    const vote = { height, recorded, validatorKey, lastSigned };
    this.log("warn", unrecordedVoteText(vote));
    keepUnrecordedVote(this.data, vote);
  }

  #readRecord(): Height | undefined {
    try {
      return this.#record.height;
    } catch {
      return undefined;
    }
  }
}

/** Returns undefined if the file is absent or its key has another type. */
function addressIn(path: string): Uint8Array | undefined {
  try {
    return readConsensusKey(path).address;
  } catch {
    return undefined;
  }
}
