/** Whether the witness of an upgrade is in the home: a file of that name may be empty, a link, or of another chain. */
import { closeSync, constants, existsSync, fstatSync, readSync } from "node:fs";
import { messageOf } from "../../../base/errors/errors.js";
import { openRegularFile } from "../../../base/files/open-file.js";
import type { Sha256 } from "../../../base/types/types.js";
import { CHECKED_PART_BYTES, WitnessFileCheck, type WitnessOf } from "../../witness/file-check.js";

/** `fault`: what has the name is no witness of the upgrade. */
export type WitnessFound = "whole" | "absent" | { readonly fault: string };

/** An ordinary file and no link, of this chain, plan and height, with its digest. Reads all of it. */
export function findWitness(path: string, of: WitnessOf, sha256: Sha256): WitnessFound {
  let file: number | undefined;
  try {
    file = openRegularFile(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    checkWitness(file, of, sha256);
    return "whole";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "absent";
    return { fault: code === "ELOOP" ? "it is a link" : messageOf(error) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function checkWitness(file: number, of: WitnessOf, sha256: Sha256): void {
  const { size } = fstatSync(file);
  const check = new WitnessFileCheck(of, size, sha256);
  for (let at = 0; at < size; ) {
    const part = new Uint8Array(Math.min(CHECKED_PART_BYTES, size - at));
    let count = 0;
    // The system may return less than was asked for.
    while (count < part.length) {
      const read = readSync(file, part, count, part.length - count, at + count);
      if (read === 0) throw new Error("it became shorter while it was read");
      count += read;
    }
    check.take(part);
    at += part.length;
  }
  check.end();
}

/** Where a home has what concerns the witness of a plan. */
interface WitnessPlaces {
  witnessFile(plan: string): string;
  forgottenFile(plan: string): string;
}

/** Gives states before upgrades up: those that nobody wants, and those whose witness is whole. */
export class WitnessReleases {
  readonly #warned = new Map<string, string>();

  constructor(
    private readonly home: WitnessPlaces,
    private readonly sha256: Sha256,
    private readonly chainId: string,
    private readonly warn: (message: string) => void,
  ) {}

  /** May the state of this version, the one before the upgrade, be pruned? */
  isReleased(plan: string, version: number): boolean {
    if (existsSync(this.home.forgottenFile(plan))) return true;
    const of = { chainId: this.chainId, plan, height: BigInt(version) + 1n };
    const found = findWitness(this.home.witnessFile(plan), of, this.sha256);
    if (typeof found === "object") this.#warnOnce(plan, found.fault);
    return found === "whole";
  }

  #warnOnce(plan: string, fault: string): void {
    if (this.#warned.get(plan) === fault) return;
    this.#warned.set(plan, fault);
    this.warn(
      `${this.home.witnessFile(plan)} is no witness of the upgrade "${plan}" (${fault}), so the state before it is kept: ` +
        "`start --witness` and `upgrade witness` replace the file",
    );
  }
}
