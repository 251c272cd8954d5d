/**
 * A home whose `current` is gone: a copy without links, a slip of the hand. Where no switch was made the first program is meant; where
 * one was, the first program would run on data of a later one.
 */
import { join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { shellWord } from "../../base/text/shell-word.js";
import { decodeLossy } from "../../base/text/text.js";

const BYTES_MAX = 1_048_576;

export interface LostLink {
  /** In words, with the folder that was switched to last. */
  readonly problem: string;
  readonly next: string;
}

/** Undefined: nothing is lost. A switch leaves its plan's file in the folder of the program. @throws what the system says */
export function lostLink(files: Files, root: string): LostLink | undefined {
  const link = join(root, "current");
  const last = files.linkFacts(link) ? undefined : lastSwitch(files, root);
  if (!last) return undefined;
  const again = `ln -s genesis ${shellWord(link)}`;
  return {
    problem: `${link} is gone, and a switch to ${last.folder} was made at height ${last.height} (for data that begins again: \`${again}\`)`,
    next: `ln -s ${shellWord(last.folder)} ${shellWord(link)}`,
  };
}

/** By the plans' files that switches leave, up to a height; undefined: none was made. @throws what the system says */
export function lastSwitch(
  files: Files,
  root: string,
  upTo = Number.POSITIVE_INFINITY,
): { readonly folder: string; readonly height: number } | undefined {
  const upgrades = join(root, "upgrades");
  const made = (files.list(upgrades) ?? []).flatMap((name) => {
    const height = heightIn(files, join(upgrades, name, "upgrade-info.json"));
    return height === undefined || height > upTo ? [] : [{ folder: `upgrades/${name}`, height }];
  });
  return made.sort((a, b) => b.height - a.height)[0];
}

function heightIn(files: Files, file: string): number | undefined {
  try {
    const bytes = files.read(file, BYTES_MAX);
    const { height } = JSON.parse(decodeLossy(bytes ?? new Uint8Array())) as { height?: unknown };
    return Number.isSafeInteger(Number(height)) ? Number(height) : undefined;
  } catch {
    return undefined; // None of a switch, or torn: the others say it.
  }
}
