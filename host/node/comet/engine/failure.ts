/**
 * What CometBFT's output reveals about a failure that its exit status does not: that this node's state is not the network's, that
 * its disk is full, or that its consensus has stopped although the process still runs.
 */
import type { CometLine } from "./log-line.js";

export interface Divergence {
  /** Field of the header that differs: `AppHash`, `Version`, `LastResultsHash` … */
  readonly field: string;
  /** What this node's state says, and what the network's block (or CometBFT's own record) says. */
  readonly own: string;
  readonly expected: string;
  /**
   * Where it was found. `network`: a committed block of the network. `replay`: a block that CometBFT has, while the application ran
   * earlier blocks again. `record`: the app hash that CometBFT itself recorded after the last block.
   */
  readonly found: "network" | "replay" | "record";
}

export type CometFailure =
  | { readonly kind: "diverged"; readonly divergence: Divergence }
  /** Consensus has stopped because the disk is full; the process does not exit. */
  | ({ readonly kind: "full" } & FullDisk)
  /** Consensus has stopped for another reason; the process does not exit. */
  | { readonly kind: "stopped"; readonly why: string };

export interface FullDisk {
  /** `write /srv/data/cs.wal/wal: no space left on device` */
  readonly why: string;
  /** The file that could not be written, where CometBFT names it. */
  readonly file: string | undefined;
}

/** `wrong Block.Header.AppHash.  Expected 6AEF, got A037`: expected is this node's. */
const WRONG_HEADER =
  /wrong Block\.Header\.(Version|AppHash|ConsensusHash|LastResultsHash|ValidatorsHash|NextValidatorsHash|LastBlockID)\.\s+Expected (.+?), got (\{[^}]*\}|[^\s",;]+)/;
/** The panic of a handshake; the second of its two texts breaks the line after `Got`. */
const AFTER_REPLAY =
  /(block|state)\.AppHash does not match AppHash after replay\. Got\s+([0-9A-Fa-f]*), expected ([0-9A-Fa-f]*)/;
/** The system's words, as Go prints them after the operation, the file and, sometimes, the system call. */
const FULL_DISK = /(?:\b[a-z]+ (\/[^:"]*): (?:[a-z_]+: )?)?(?:no space left on device|disk quota exceeded)/;
/**
 * Block sync logs the first, after it has verified the signatures of two thirds on the block; consensus logs the second, for a block
 * with their precommits. A wrong proposal of a single validator is logged otherwise, and proves nothing about this node.
 */
const BLOCK_SYNC = "Error in validation";
const CONSENSUS_FAILURE = "CONSENSUS FAILURE!!!";
const PANIC_CHARACTERS = 4_096;

export class CometFailures {
  /** The text of a panic, which has several lines. */
  #panic = "";
  #fullDisk: FullDisk | undefined;

  /**
   * The full disk that made CometBFT exit, or not start: it prints the reason outside its log. A full disk that CometBFT survives is
   * only in its log, and is not returned here.
   */
  get fullDisk(): FullDisk | undefined {
    return this.#fullDisk;
  }

  /** Returns the failure that this line, with those before it, reveals. */
  take(line: CometLine): CometFailure | undefined {
    if (!line.isLogged) return this.#takePanic(line.message);
    this.#panic = "";
    const reason = line.fields["err"] ?? "";
    if (line.message.startsWith(BLOCK_SYNC)) return diverged(reason);
    if (line.message.startsWith(CONSENSUS_FAILURE)) return diverged(reason) ?? stopped(reason);
    return undefined;
  }

  #takePanic(text: string): CometFailure | undefined {
    this.#fullDisk = fullDisk(text.trim()) ?? this.#fullDisk;
    this.#panic = `${this.#panic} ${text.trim()}`.slice(-PANIC_CHARACTERS);
    const found = diverged(this.#panic);
    if (found) this.#panic = "";
    return found;
  }
}

function diverged(text: string): CometFailure | undefined {
  const [, field = "", own = "", expected = ""] = WRONG_HEADER.exec(text) ?? [];
  if (field !== "") return { kind: "diverged", divergence: { field, own, expected, found: "network" } };
  const [, of, replayed = "", recorded = ""] = AFTER_REPLAY.exec(text) ?? [];
  if (of === undefined) return undefined;
  const found = of === "block" ? "replay" : "record";
  return { kind: "diverged", divergence: { field: "AppHash", own: replayed, expected: recorded, found } };
}

function stopped(why: string): CometFailure {
  const full = fullDisk(why);
  return full ? { kind: "full", ...full } : { kind: "stopped", why };
}

function fullDisk(why: string): FullDisk | undefined {
  const found = FULL_DISK.exec(why);
  return found ? { why: found[0], file: found[1] } : undefined;
}
