/** What the page and its workers send to each other. All of it can be cloned. */
import type { Claim, ClaimState, Evidence, Header, ReceiptOfRun, RunProgress, TrustRoot } from "chain-upgrade/verify";
import type { TypedTrust } from "./trust.js";

interface RpcSource {
  readonly rpc: string;
  /** What was verified before: what cannot have changed is not asked for again. */
  readonly known: Evidence | undefined;
}

/** Where evidence comes from: collected now, or from a document that was saved. */
type EvidenceSource =
  | (RpcSource & { readonly plan: string; readonly upgradeHeight: bigint | undefined })
  | { readonly evidence: unknown };

export type VerifyAsked =
  | { readonly kind: "claims"; readonly of: EvidenceSource; readonly trust: TypedTrust | undefined }
  | { readonly kind: "headers"; readonly of: BlockSource; readonly trust: TypedTrust | undefined };

/** The block of the upgrade, for a run of it. */
export type BlockSource = (RpcSource & { readonly height: bigint }) | { readonly evidence: unknown };

/** Writes of a store, as the receipt counts them. */
interface StoreWrites {
  readonly name: string;
  readonly written: bigint;
  readonly deleted: bigint;
  readonly bytes: bigint;
  /** Upper-case hex; "" where the receipt has none. */
  readonly rootBefore: string;
  readonly rootAfter: string;
}

export interface ReceiptView {
  readonly plan: string;
  readonly height: bigint;
  /** Lower-case hex. */
  readonly handler: string;
  readonly gas: bigint;
  readonly gasSchedule: string;
  readonly stores: readonly StoreWrites[];
  readonly checks: readonly string[];
}

export interface VersionsView {
  readonly state: ClaimState;
  readonly height: bigint;
  readonly versions: ReadonlyMap<string, bigint>;
}

/** What verified evidence shows, for the views. */
export interface Checked {
  readonly kind: "checked";
  readonly evidence: Evidence;
  readonly chainId: string;
  /** The height of the proven state. */
  readonly height: bigint;
  readonly root: {
    readonly height: bigint;
    readonly hash: string;
    readonly from: TrustRoot["from"];
    readonly time: number;
  };
  /** The last header that trust has reached. */
  readonly newest: { readonly height: bigint; readonly hash: string };
  /** Of the newest header, milliseconds since 1970. */
  readonly time: number;
  /** Was the trusted block within its trusting period only at the time that the file names? */
  readonly isExpired: boolean;
  /** When a file was saved, by its own word; undefined: it was collected now. */
  readonly savedAt: number | undefined;
  readonly steps: number;
  readonly signatures: number;
  readonly claims: readonly Claim[];
  readonly receipt: ReceiptView | undefined;
  readonly before: VersionsView | undefined;
}

/** Nothing of it is shown as a claim. */
export interface Refused {
  readonly kind: "refused";
  /** Of docs/errors.md; "" for what is no error of this project. */
  readonly code: string;
  readonly message: string;
  /** `details.reason` of the error. */
  readonly reason?: string | undefined;
  /** The server's own explanation. */
  readonly said?: string | undefined;
}

/** Two headers that trust has reached: of the upgrade's block, and of the next, which proves the state after it. */
export interface TrustedHeaders {
  readonly kind: "headers";
  readonly evidence: Evidence;
  readonly block: Header;
  readonly next: Header;
  /** Of what these headers prove. */
  readonly state: ClaimState;
  readonly isExpired: boolean;
}

export type VerifySaid = Checked | TrustedHeaders | Refused;

export interface RunAsked {
  readonly kind: "run";
  readonly witness: Uint8Array;
  readonly handler: Uint8Array;
  readonly block: Header;
  readonly next: Header;
  /** As it was proven: no other handler runs, and none for longer. Undefined: whatever the witness leads to. */
  readonly receipt: ReceiptOfRun | undefined;
}

/** Sent before the response, a few times a second. */
export type RunReport = RunProgress & { readonly kind: "progress" };

/** A write of the same block that is not the handler's. */
export interface OtherWrite {
  readonly store: string;
  /** Upper-case hex. */
  readonly key: string;
  /** Bytes of the value; undefined: the key was deleted. */
  readonly bytes: number | undefined;
}

export interface RunDone {
  readonly kind: "ran";
  readonly gas: bigint;
  /** Upper-case hex. */
  readonly appHash: string;
  readonly height: bigint;
  readonly roots: readonly { readonly store: string; readonly root: string }[];
  readonly others: readonly OtherWrite[];
  /** Milliseconds that it took, all of it. */
  readonly millis: number;
}

export type RunSaid = RunDone | Refused;
