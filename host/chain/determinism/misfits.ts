/**
 * Transactions that need more of the engine's stack than a proposal may. How much one needs differs from thread to thread with what V8
 * has compiled, so a check may accept what a later proposal or recheck cannot. Such a transaction would wait for ever and hold up
 * its sender's next one.
 */

import { messageOf, type UpgradeError } from "../../base/errors/errors.js";
import { throwerOf } from "../../base/errors/synchronous.js";
import { toHex } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";

export interface Misfit {
  /** SHA-256 of the transaction, in lower-case hex. */
  readonly name: string;
  /** Which module's function met which limit. */
  readonly cause: string;
}

export interface MisfitListener {
  /** A proposal of this node, or a recheck, left these transactions out. The node refuses them from now on. */
  onLeftOut(misfits: readonly Misfit[]): void;
  /** This node rejected another node's proposal because of this transaction. */
  onRejected(misfit: Misfit): void;
}

/** Names that are remembered; the oldest are forgotten first. */
const NAMES_MAX = 10_000;

export function misfitOf(tx: Uint8Array, limit: UpgradeError, sha256: Sha256): Misfit {
  return { name: toHex(sha256(tx)), cause: causeOf(limit) };
}

export class Misfits {
  readonly #refused = new Set<string>();
  #listener: MisfitListener | undefined;

  listen(listener: MisfitListener): void {
    this.#listener = listener;
  }

  get count(): number {
    return this.#refused.size;
  }

  /** Does the node refuse this transaction? */
  has(name: string): boolean {
    return this.#refused.has(name);
  }

  /** Refuses transactions that this thread or another one of this node left out. */
  refuse(names: readonly string[]): void {
    for (const name of names) this.#refused.add(name);
    for (const oldest of this.#refused) {
      if (this.#refused.size <= NAMES_MAX) break;
      this.#refused.delete(oldest);
    }
  }

  leaveOut(misfits: readonly Misfit[]): void {
    if (misfits.length === 0) return;
    this.refuse(misfits.map(({ name }) => name));
    this.#listener?.onLeftOut(misfits);
  }

  /** Reports why a proposal was rejected. The node does not refuse the transaction. */
  reject(misfit: Misfit): void {
    this.#listener?.onRejected(misfit);
  }
}

/** In one line, for a node that goes on; the error's own message says that the node stops. */
function causeOf(limit: UpgradeError): string {
  const { cause } = limit;
  if (cause === undefined) return "its result on a small part of the stack differs from that on all of it";
  const thrower = throwerOf(cause) ?? throwerOf(limit);
  return `${thrower === undefined ? "" : `in ${thrower}: `}${messageOf(cause)}`;
}
