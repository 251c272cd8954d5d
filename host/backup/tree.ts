/** What lies below a folder, for a copy of it. */
import { join } from "node:path";
import type { Files } from "../programs/files.js";

interface TreeFile {
  /** Below the folder. */
  readonly path: string;
  readonly bytes: number;
}

export interface Tree {
  /** Those above first. */
  readonly folders: readonly string[];
  readonly files: readonly TreeFile[];
  readonly links: readonly string[];
  /** Sockets, pipes, devices: they are made again by those that use them. */
  readonly others: readonly string[];
  readonly bytes: number;
}

/** @param isLeftOut by the path below `folder` @throws what the system says */
export function treeOf(files: Files, folder: string, isLeftOut: (path: string) => boolean = () => false): Tree {
  const folders: string[] = [];
  const regular: TreeFile[] = [];
  const links: string[] = [];
  const others: string[] = [];
  const walk = (below: string) => {
    for (const name of files.list(join(folder, below)) ?? []) {
      const path = below === "" ? name : `${below}/${name}`;
      if (isLeftOut(path)) continue;
      const facts = files.linkFacts(join(folder, path));
      // Gone since the folder was listed.
      if (!facts) continue;
      if (facts.kind === "folder") {
        folders.push(path);
        walk(path);
      } else if (facts.kind === "file") regular.push({ path, bytes: facts.bytes });
      else (facts.kind === "link" ? links : others).push(path);
    }
  };
  walk("");
  return { folders, files: regular, links, others, bytes: regular.reduce((sum, { bytes }) => sum + bytes, 0) };
}
