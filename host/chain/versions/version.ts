/** A version of the example chain, as data: what a binary of that age knows. */
import type { AppVersion } from "../../upgrade/app-versions.js";
import type { Bank } from "../modules/bank.js";

export interface ChainVersion extends AppVersion {
  /** Where this version keeps coins. */
  readonly bank: Bank;
}
