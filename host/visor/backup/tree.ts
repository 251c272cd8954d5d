/** What lies below a folder, for a copy of it. */
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Files } from "../../base/files/files.js";

interface TreeFile {
  /** Below the folder. */
  readonly path: string;
  readonly bytes: number;
  /** The link that leads to it from the folder, where it lies elsewhere. */
  readonly by?: string | undefined;
}

export interface Tree {
  /** Those above first. */
  readonly folders: readonly string[];
  readonly files: readonly TreeFile[];
  /** Those that lead to something in the folder, or nowhere. What others lead to is in `folders` and `files`, as if it lay here. */
  readonly links: readonly string[];
  /** Sockets, pipes, devices: they are made again by those that use them. */
  readonly others: readonly string[];
  readonly bytes: number;
}

/** Where links lead from one to the next. */
const LINKS_MAX = 16;

export interface TreeOptions {
  /** By the path below the folder. */
  readonly isLeftOut: (path: string) => boolean;
  /** A database on another disk belongs to the data, although a link alone lies in it. */
  readonly areLinksFollowed: boolean;
}

/** @throws Error: links lead in a circle; what the system says */
export function treeOf(files: Files, folder: string, options: TreeOptions): Tree {
  const walk = new Walk(files, folder, options);
  walk.into("", []);
  const { folders, regular, links, others } = walk;
  return { folders, files: regular, links, others, bytes: regular.reduce((sum, { bytes }) => sum + bytes, 0) };
}

class Walk {
  readonly folders: string[] = [];
  readonly regular: TreeFile[] = [];
  readonly links: string[] = [];
  readonly others: string[] = [];

  constructor(
    private readonly files: Files,
    private readonly folder: string,
    private readonly options: TreeOptions,
  ) {}

  /** @param by the links that led here */
  into(below: string, by: readonly string[]): void {
    for (const name of this.files.list(join(this.folder, below)) ?? []) {
      const path = below === "" ? name : `${below}/${name}`;
      if (!this.options.isLeftOut(path)) this.#add(path, by);
    }
  }

  #add(path: string, by: readonly string[]): void {
    const full = join(this.folder, path);
    const own = this.files.linkFacts(full);
    // Gone since the folder was listed.
    if (!own) return;
    const facts = own.kind === "link" && this.#leadsOut(path, by) ? this.files.facts(full) : own;
    const through = own.kind === "link" ? [...by, path] : by;
    if (!facts || facts.kind === "link") this.links.push(path);
    else if (facts.kind === "folder") {
      if (through.length > LINKS_MAX) throw new Error(`${full}: links lead in a circle, or through too many others`);
      this.folders.push(path);
      this.into(path, through);
    } else if (facts.kind === "file") this.regular.push({ path, bytes: facts.bytes, by: through.at(-1) });
    else this.others.push(path);
  }

  /** Not by a name in the same folder, where that is elsewhere: what lies beside it there is not beside it in a copy. */
  #leadsOut(path: string, by: readonly string[]): boolean {
    if (!this.options.areLinksFollowed) return false;
    const target = this.files.readLink(join(this.folder, path));
    if (by.length > 0) return isAbsolute(target) || target.split("/").includes("..");
    const below = relative(this.folder, resolve(dirname(join(this.folder, path)), target));
    return isAbsolute(below) || below.split("/")[0] === "..";
  }
}
