/** A case of the guards, and chains that several cases have. */
import type { GivenRun } from "./shapes.js";

export interface Guarded {
  readonly refused: boolean;
  /** Fields of the manifest. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Stored before. Default: gov and upgrade at 1. */
  readonly versions?: Readonly<Record<string, string>>;
  /** As they are opened for the handler, besides `upgrade`; a star: it has a pair. */
  readonly opened?: readonly string[];
  readonly table?: NonNullable<GivenRun["module_stores"]>;
  /** Default: gov and upgrade. */
  readonly vital?: readonly string[];
  /** It writes to this store, the first of its manifest. */
  readonly writes?: string;
  /** It deletes an absent key of it. */
  readonly deletes?: string;
}

export const rename = (old_key: string, new_key: string) => ({ renamed: [{ old_key, new_key }] });
export const PARTS = { gov: ["gov", "votes"] };
export const LATER = { gov: ["government"] };
export const ACC = { auth: ["acc"] };
export const AUTH = { auth: "1", gov: "1", upgrade: "1" };
export const ORACLE = { gov: "1", oracle: "1", upgrade: "1" };
export const RENAMED = { storeUpgrades: rename("gov", "zz"), allows: { deleteStores: ["gov"] } };
