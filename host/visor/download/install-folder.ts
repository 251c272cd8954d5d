/** Brings what was unpacked to its place: the whole folder by one rename, or, where there is one already, the program last. */
import { dirname, join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { contentProblem } from "../../node/programs/executable.js";

const EXECUTE = 0o111;
const FOLDER_MODE = 0o755;
/** The sidecar's own, which an archive must not bring. */
const PLAN_FILE = "upgrade-info.json";

export interface PlaceOptions {
  readonly files: Files;
  /** Complete, with the program where it is found. */
  readonly tree: string;
  /** Of the regular files below it. */
  readonly paths: readonly string[];
  readonly folder: string;
  readonly name: string;
  readonly url: string;
}

/**
 * Whose `bin/<name>` it will be, in Cosmovisor's order: an archive's only file, `bin/<name>`, `<name>`. It is moved and made
 * executable in the tree.
 * @throws UpgradeError UPG_INVALID_PLAN_INFO: there is none; what the disk says
 */
export function prepareTree({ files, tree, paths, name, url }: PlaceOptions): void {
  const program = `bin/${name}`;
  const found = paths.length === 1 ? paths[0] : [program, name].find((path) => paths.includes(path));
  if (found === undefined) {
    throw new UpgradeError(
      "UPG_INVALID_PLAN_INFO",
      `url "${url}" result does not contain a ${program} or ${name} file`,
    );
  }
  const isInTheWay = (path: string) => (path === "bin" && path !== found) || path.startsWith(`${program}/`);
  const other = paths.length > 1 && paths.find(isInTheWay);
  if (other) {
    throw new UpgradeError("UPG_INVALID_PLAN_INFO", `${other} of ${url} is in the place of the program, ${program}`);
  }
  const file = join(tree, program);
  if (found !== program) {
    // The only file may have a name that is in the way of the folder.
    const aside = `${tree}.program`;
    files.rename(join(tree, found), aside);
    if (paths.length === 1) files.remove(tree);
    files.makeFolder(dirname(file), FOLDER_MODE);
    files.rename(aside, file);
  }
  const facts = files.linkFacts(file);
  if (facts?.kind !== "file" || facts.bytes === 0) {
    throw new UpgradeError("UPG_INVALID_PLAN_INFO", `${found} of ${url} is empty`);
  }
  const problem = contentProblem(files, file);
  if (problem !== undefined) {
    const why = problem.replace(file, found);
    throw new UpgradeError("UPG_INVALID_PLAN_INFO", `url "${url}" result is no program for this machine: ${why}`);
  }
  files.chmod(file, (facts.mode & 0o777) | EXECUTE);
  files.remove(join(tree, PLAN_FILE));
  files.syncFile(file);
  files.syncFolder(dirname(file));
  files.syncFolder(tree);
}

/** @returns the program's file. @throws what the disk says */
export function placeTree({ files, tree, folder, name }: PlaceOptions): string {
  if (files.linkFacts(folder) === undefined) {
    files.makeFolder(dirname(folder), FOLDER_MODE);
    files.rename(tree, folder);
  } else {
    mergeInto(files, tree, folder, join("bin", name));
    files.makeFolder(join(folder, "bin"), FOLDER_MODE);
    files.rename(join(tree, "bin", name), join(folder, "bin", name));
    files.syncFolder(join(folder, "bin"));
    files.syncFolder(folder);
  }
  files.syncFolder(dirname(folder));
  return join(folder, "bin", name);
}

/** All but one file: a run that was killed before it is taken for one that did nothing, and does it again. */
function mergeInto(files: Files, from: string, to: string, last: string, below = ""): void {
  for (const name of files.list(join(from, below)) ?? []) {
    const path = join(below, name);
    if (path === last) continue;
    const isFolder = files.linkFacts(join(from, path))?.kind === "folder";
    if (!isFolder) {
      files.rename(join(from, path), join(to, path));
      continue;
    }
    files.makeFolder(join(to, path), FOLDER_MODE);
    mergeInto(files, from, to, last, path);
    files.syncFolder(join(to, path));
  }
}
