/** What an operator does when the program that `current` links to is no program. */
import { basename, join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { shellWord } from "../../base/text/shell-word.js";
import { chainvisorFor } from "../../node/home/supervised-start.js";
import { lostLink } from "../../node/programs/lost-link.js";
import type { Settings } from "../decide/settings.js";

export function nextForCurrent(files: Files, settings: Pick<Settings, "home" | "name" | "root">): string {
  const lost = lostLink(files, settings.root);
  if (lost) return lost.next;
  const command = chainvisorFor(settings);
  const folder = linkedFolder(files, join(settings.root, "current"));
  if (folder === undefined || folder === "genesis") return `${command} init PROGRAM`;
  return `${command} add-upgrade ${shellWord(folder)} PROGRAM --force`;
}

function linkedFolder(files: Files, link: string): string | undefined {
  try {
    return files.linkFacts(link) ? basename(files.readLink(link)) : undefined;
  } catch {
    return undefined;
  }
}
