/** Versions as they cross to another thread: without their functions. */
import { accountBank, storeBank } from "../modules/bank.js";
import type { ChainVersion } from "./version.js";

export interface SentVersion extends Omit<ChainVersion, "bank"> {
  readonly bank: "accounts" | "store";
}

export function sendVersion({ bank, ...rest }: ChainVersion): SentVersion {
  return { ...rest, bank: bank === accountBank ? "accounts" : "store" };
}

export function receiveVersion({ bank, ...rest }: SentVersion): ChainVersion {
  return { ...rest, bank: bank === "accounts" ? accountBank : storeBank };
}
