/** The facts of a genesis document that a chain needs after its first block. */
import type { Height, Timestamp } from "../../../base/types/types.js";
import type { JsonReader } from "../../values/json-reader.js";

/** What stays true of a chain after its first block: the database keeps it, so that the document is not read again. */
export interface GenesisFacts {
  readonly chainId: string;
  readonly time: Timestamp;
  readonly initialHeight: Height;
  /** Consensus app version; 0n: unset, the first. */
  readonly appVersion: bigint;
  /** `consensus.params`, for the engine. */
  readonly consensusParams: JsonReader;
  /** `app_state.staking.params`. */
  readonly stakingParams: JsonReader;
  readonly bondDenom: string;
}
