/** What handler-cases.json is made of (README.md): guests, inputs, and cases with what came of them. */
import type { ErrorCode } from "../../../host/base/errors/errors.js";

/** Key and value, hex. */
export type HexPair = readonly [key: string, value: string];

/** Pairs that a few lines of any language make. */
export interface PairsRule {
  readonly count: number;
  /** Hex. */
  readonly prefix: string;
  readonly key_bytes: number;
  /** The least and the greatest length of a value. */
  readonly value_bytes: readonly [number, number];
}

export type StorePairs = readonly HexPair[] | PairsRule;

export interface GuestFile {
  readonly name: string;
  /** Base64 of the whole file. */
  readonly wasm: string;
}

/** What a handler is run with. */
export interface CaseInput {
  readonly name: string;
  readonly chain_id: string;
  readonly height: string;
  readonly time: { readonly seconds: string; readonly nanos: number };
  /** Protobuf Plan, hex. */
  readonly plan: string;
  readonly versions: Readonly<Record<string, string>>;
  /** As the store loader left them. */
  readonly stores: Readonly<Record<string, StorePairs>>;
}

/** A file that is not taken. */
export interface LoadCase {
  readonly label: string;
  readonly guest: string;
  readonly error: ErrorCode;
  /** A host that has a meter takes it. */
  readonly without_meter?: true;
}

export interface GivenRun {
  readonly label: string;
  readonly guest: string;
  readonly input: string;
  /** The manifest's when left out. */
  readonly gas_limit?: string;
  /** 65,536 when left out. */
  readonly batch_bytes?: number;
  /** With this or `vital_modules` the guards of a chain are asked too. Stores by module; `{}` when left out. */
  readonly module_stores?: Readonly<Record<string, readonly string[]>>;
  /** `gov` and `upgrade` when left out. */
  readonly vital_modules?: readonly string[];
}

export interface StoreOutcome {
  readonly written: number;
  readonly deleted: number;
  readonly bytes: number;
  /** Keys that the run wrote or deleted, and a digest of what is last for each. */
  readonly writes: number;
  readonly writes_sha256: string;
  readonly pairs: number;
  readonly pairs_sha256: string;
  /** IAVL: the pairs before are version 1, the writes version 2. */
  readonly root: string;
}

export interface RunOutcome {
  readonly error?: ErrorCode;
  /** What the guest itself said when it failed. */
  readonly said?: string;
  readonly gas?: string;
  readonly memory_pages?: number;
  readonly versions?: Readonly<Record<string, string>>;
  readonly checks?: readonly { readonly name: string; readonly ok: boolean; readonly message: string }[];
  readonly stores?: Readonly<Record<string, StoreOutcome>>;
  /** `level text`, or how many there are and a digest. */
  readonly logs?: readonly string[] | { readonly lines: number; readonly sha256: string };
  /** `done/total`. */
  readonly progress?: readonly string[] | { readonly lines: number; readonly sha256: string };
}

type RunCase = GivenRun & RunOutcome;
export type HandlerCase = LoadCase | RunCase;
