/** Results of the runs of a rehearsal, from which its report is made. */

import type { Timestamp } from "../../base/types/types.js";
import type { GasProfile } from "../../upgrade/test-kit/gas/gas-profile.js";
import type { DiskNeed } from "./block/machine-room.js";
import type { QueryResult } from "./block/module-queries.js";
import type { RehearsedBlock } from "./block/rehearse-block.js";
import type { DescribedChange } from "./diff/described-change.js";
import type { Changes } from "./diff/store-changes.js";

/** Everything that is known once all runs are over. */
export interface RunResults {
  readonly block: RehearsedBlock;
  readonly profile: GasProfile | undefined;
  readonly changes: Changes;
  readonly shown: readonly DescribedChange[];
  readonly changedPairs: number;
  readonly diffFile: string | undefined;
  readonly queries: readonly QueryResult[];
  readonly validators: { readonly before: number; readonly after: number };
  readonly disk: DiskNeed;
  readonly memory: { readonly peak: number; readonly available: number };
  readonly runs: readonly MadeRun[];
  /** Undefined: not looked at. */
  readonly dependsOnTime: boolean | undefined;
  /** A deposit or a vote ends then. */
  readonly nextEnd: Timestamp | undefined;
  readonly reading: { readonly renewals: number; readonly heldMillisMax: number };
}

export interface MadeRun {
  readonly time: Timestamp;
  readonly appHash: Uint8Array;
  readonly millis: number;
  /** Equal where the state after it is the same, but for the gas in the receipt. */
  readonly effect: string;
}
