/** A vote of this home's validator key that the home's record of signatures lacks: kept on disk by the node, read by checks. */
import { join } from "node:path";
import { diskFiles } from "../../base/files/disk-files.js";
import type { Files } from "../../base/files/files.js";
import { writeWhole } from "../../base/files/whole-file.js";
import { utf8 } from "../../base/text/bytes.js";
import { decodeLossy } from "../../base/text/text.js";
import type { Height } from "../../base/types/types.js";

const FILE = "unrecorded-vote.json";
const MODE = 0o644;
const BYTES_MAX = 65_536;

export interface UnrecordedVote {
  /** Of the block that the key signed. */
  readonly height: Height;
  /** The record ends there. */
  readonly recorded: Height;
  /** Path of the key. */
  readonly validatorKey: string;
  /** Path of the record. */
  readonly lastSigned: string;
}

/** One message: what was found, why it is dangerous, what to do. */
export function unrecordedVoteText({ height, recorded, validatorKey, lastSigned }: UnrecordedVote): string {
  return (
    `the key in ${validatorKey} has signed block ${height}, but ${lastSigned} ends at height ${recorded}: another process ` +
    "signs with this key, or the record is an older copy. Two signers of one key sign a height twice, which the chain " +
    "punishes. Stop one of them; if no other runs, stop this node and restore the newest copy of the record"
  );
}

/** Never throws: the log has the warning. */
export function keepUnrecordedVote(data: string, { height, recorded, validatorKey, lastSigned }: UnrecordedVote): void {
  const json = {
    v: 1,
    height: String(height),
    recorded: String(recorded),
    validator_key: validatorKey,
    last_signed: lastSigned,
  };
  try {
    writeWhole(diskFiles, join(data, FILE), utf8(`${JSON.stringify(json)}\n`), MODE);
  } catch {
    // A full disk, which the node reports itself.
  }
}

/** Removes the finding: the record is complete, or CometBFT does not sign with the key of this home. Never throws. */
export function forgetUnrecordedVote(data: string): void {
  try {
    diskFiles.remove(join(data, FILE));
  } catch {
    // The next start tries again.
  }
}

/**
 * Returns the message about the vote that the node found last, with the file that keeps it; undefined: the record lacks no vote. If the
 * record has a later height by now, the message says so, and the finding stays: this node's own votes raise that height while another
 * signer goes on.
 */
export function foundUnrecordedVote(files: Files, data: string): string | undefined {
  const file = join(data, FILE);
  const json = jsonIn(files, file);
  if (!json) return undefined;
  try {
    const { height, recorded, validator_key, last_signed } = json;
    const [validatorKey, lastSigned] = [validator_key ?? "", last_signed ?? ""];
    const vote = { height: BigInt(height ?? ""), recorded: BigInt(recorded ?? ""), validatorKey, lastSigned };
    const now = jsonIn(files, lastSigned)?.["height"];
    const hasGrown = now !== undefined && /^[0-9]{1,19}$/.test(now) && BigInt(now) > vote.recorded;
    return unrecordedVoteText(vote) + (hasGrown ? grownText(now) : "") + keptText(file);
  } catch {
    return undefined; // Damaged: the next start of the node writes or removes it.
  }
}

const grownText = (now: string) => `. The record ends at height ${now} now, which does not rule out another signer`;

const keptText = (file: string) =>
  `. ${file} keeps this finding. The node's next start compares again if its first block shows a vote of this key, and removes the file ` +
  "if the record is complete, or if the key is not in the validator set. Remove the file yourself once no other process signs with this key";

/** @returns undefined when the file is missing or damaged */
function jsonIn(files: Files, path: string): Readonly<Record<string, string | undefined>> | undefined {
  try {
    const bytes = files.read(path, BYTES_MAX);
    return bytes ? (JSON.parse(decodeLossy(bytes)) as Record<string, string>) : undefined;
  } catch {
    return undefined;
  }
}
