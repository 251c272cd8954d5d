/** What groups of attestations that differ say of one another, in words. */
import type { ReadinessGroup } from "../../../base/gen/chain/upgrade/v1beta1/query_pb.js";
import { contradict } from "../../../chain/modules/upgrade/readiness.js";

type Said = Pick<ReadinessGroup, "artifactSha256" | "appHash" | "rehearsedHeight">;

const FILES = "they differ about the file: compare where each got it; the one that the plan pins is the right one";
const RESULTS =
  "the same file came to two app hashes on the same block: one was rehearsed with --time, by another program, or on a state that differs; " +
  "both may be right only in the first case: rehearse again without --time, and compare `app_hashes` of the reports";
const BLOCKS =
  "the same file was rehearsed on different blocks, or by some not at all: their app hashes cannot be compared, and all may be right";

/** @param groups of one plan */
export function readinessNotes(groups: readonly Said[]): string[] {
  const notes = new Set<string>();
  for (const [at, group] of groups.entries()) {
    for (const other of groups.slice(at + 1)) notes.add(noteOn(group, other));
  }
  return [FILES, RESULTS, BLOCKS].filter((note) => notes.has(note));
}

function noteOn(a: Said, b: Said): string {
  if (!contradict(a, b)) return BLOCKS;
  return a.rehearsedHeight === b.rehearsedHeight && Buffer.compare(a.artifactSha256, b.artifactSha256) === 0
    ? RESULTS
    : FILES;
}
