/**
 * Where the programs of a home are: Cosmovisor's folders, `<home>/cosmovisor/{genesis,upgrades/<plan>}/bin/<name>`, of which
 * `current` links to the one that runs; or files that the operator names.
 */
import { basename, join, relative, resolve } from "node:path";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { diskFiles } from "../../base/files/disk-files.js";
import type { Files } from "../../base/files/files.js";
import { linkWhole } from "../../base/files/whole-file.js";
import { toUpperHex, utf8 } from "../../base/text/bytes.js";
import { contentProblem, fileProblem, isRunByNode } from "./executable.js";
import { lostLink } from "./lost-link.js";

export interface Program {
  /** For people: the plan that it was brought by, `genesis`, or the name of its file. */
  readonly name: string;
  readonly file: string;
  /** Below `cosmovisor/`, where `current` may link to it; undefined: it is elsewhere. */
  readonly folder: string | undefined;
}

export interface LayoutOptions {
  readonly home: string;
  /** Of the programs' files in their folders. */
  readonly name: string;
  /** What runs before any upgrade that is named here; undefined: `current`. */
  readonly program: string | undefined;
  /** Programs of plans that are not in their folders. */
  readonly upgrades: ReadonlyMap<string, string>;
  /** Where there are no folders either: the program that runs this code. */
  readonly own: string;
  /** As Cosmovisor's COSMOVISOR_DISABLE_RECASE: folders have the plan's name as it is, not in lower case. */
  readonly isCaseKept: boolean;
  readonly files?: Files;
}

const EXECUTE = 0o111;

export class Layout {
  readonly #files: Files;

  constructor(private readonly options: LayoutOptions) {
    this.#files = options.files ?? diskFiles;
  }

  get #root(): string {
    return join(this.options.home, "cosmovisor");
  }

  /** The program that runs first. @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO */
  current(): Program {
    const { program, own } = this.options;
    if (program !== undefined)
      return this.#required({ name: basename(program), file: resolve(program), folder: undefined });
    if (this.#files.facts(this.#root)?.kind !== "folder") return { name: basename(own), file: own, folder: undefined };
    const link = join(this.#root, "current");
    const lost = lostLink(this.#files, this.#root);
    if (lost) throw wrong(lost.problem);
    if (!this.#files.linkFacts(link)) {
      this.#required(this.#inFolder("genesis"));
      this.#link("genesis");
    }
    const folder = relative(this.#root, resolve(this.#root, this.#target(link)));
    if (!/^(genesis|upgrades\/[^/]+)$/.test(folder)) {
      throw wrong(`${link} links to ${folder}: expected genesis, or upgrades/ and a name`);
    }
    return this.#required(this.#inFolder(folder));
  }

  /** The program of a plan, where it will be. @throws UpgradeError UPG_INVALID_CONFIG: the plan has a name for no folder */
  of(plan: string): Program {
    const { upgrades, isCaseKept } = this.options;
    const given = upgrades.get(plan);
    if (given !== undefined) return { name: plan, file: resolve(given), folder: undefined };
    const folder = folderName(isCaseKept ? plan : plan.toLowerCase());
    if (folder === "." || folder === "..")
      throw wrong(`the plan "${plan}" has no folder: name its program with --upgrade`);
    return { ...this.#inFolder(`upgrades/${folder}`), name: plan };
  }

  #inFolder(folder: string): Program {
    return { name: basename(folder), file: join(this.#root, folder, "bin", this.options.name), folder };
  }

  #target(link: string): string {
    try {
      return this.#files.readLink(link);
    } catch (cause) {
      throw new UpgradeError("UPG_INVALID_CONFIG", `${link} is to be a link: ${messageOf(cause)}`, { cause });
    }
  }

  #link(folder: string): void {
    const link = join(this.#root, "current");
    try {
      this.#files.makeFolder(this.#root);
      linkWhole(this.#files, folder, link);
    } catch (cause) {
      throw new UpgradeError("UPG_STORE_IO", `cannot link ${link} to ${folder}: ${messageOf(cause)}`, { cause });
    }
  }

  #required(program: Program): Program {
    const problem = problemOf(program, this.#files);
    if (problem === undefined) return program;
    throw wrong(`${problem}: put the program of this chain there, or name it with --program`);
  }
}

/** Why it cannot be run; undefined: it can. A file that may not be executed is made so, as Cosmovisor does. */
export function problemOf({ file }: Program, files: Files = diskFiles): string | undefined {
  try {
    const problem = fileProblem(files, file) ?? contentProblem(files, file);
    if (problem !== undefined || isRunByNode(file)) return problem;
    const { mode = 0 } = files.facts(file) ?? {};
    if ((mode & EXECUTE) !== EXECUTE) files.chmod(file, (mode & 0o777) | EXECUTE);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Changes whenever the file does; undefined: there is none. */
export function fingerprint(file: string, files = diskFiles): string | undefined {
  return files.facts(file)?.print;
}

/** The command that runs a program. */
export const commandOf = ({ file }: Pick<Program, "file">): readonly [string, ...string[]] =>
  isRunByNode(file) ? [process.execPath, file] : [file];

/** Go's url.PathEscape, which Cosmovisor names folders with. */
function folderName(plan: string): string {
  return Array.from(utf8(plan), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9\-_.~$&+=:@]/.test(character) ? character : `%${toUpperHex(Uint8Array.of(byte))}`;
  }).join("");
}

function wrong(message: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_CONFIG", message);
}
