/** What the main job prints, in order (docs/operate.md). 64-bit integers are texts; hashes are upper-case hex. */
import type { LocalReceipt } from "../../node/home/local-receipt.js";

type Amounts = Readonly<Record<string, string>>;

export interface InitEvent {
  readonly event: "init";
  readonly version: string;
  readonly accounts: string;
  readonly validators: string;
  readonly app_hash: string;
  readonly supply: Amounts;
}

export interface ScheduledEvent {
  readonly event: "scheduled";
  readonly plan: { readonly name: string; readonly height: string; readonly info: string };
  readonly height: string;
  /** Id of the proposal that passed, where there was a vote. */
  readonly proposal?: string;
}

export interface HaltEvent {
  readonly event: "halt";
  readonly code: string;
  readonly exit: number;
  readonly height: string;
  readonly last_committed_height: string;
  readonly app_hash: string;
  /** The message that the node ended with. */
  readonly message: string;
  /** What the node wrote for sidecars. */
  readonly upgrade_info: string;
}

interface StartEvent {
  readonly event: "start";
  readonly version: string;
  /** SHA-256 of the handler. */
  readonly handler: string;
}

export interface AppliedEvent extends Pick<LocalReceipt, "gas" | "ms" | "stores" | "versions"> {
  readonly event: "applied";
  readonly plan: string;
  readonly height: string;
  readonly app_hash_before: string;
  readonly app_hash: string;
}

interface BlockEvent {
  readonly event: "block";
  readonly height: string;
  readonly app_hash: string;
}

export interface DoneEvent {
  readonly event: "done";
  readonly ok: boolean;
  readonly supply: Amounts;
  readonly accounts: string;
  readonly balances: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
  readonly skipped: readonly string[];
}

export type MainJobEvent = InitEvent | ScheduledEvent | HaltEvent | StartEvent | AppliedEvent | BlockEvent | DoneEvent;

export type Show = (event: MainJobEvent) => void;
