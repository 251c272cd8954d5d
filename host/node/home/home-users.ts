/** Processes that use a home, whatever started them: they have a file of its data open, or run a program of its folders. */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";

export interface UsedHome {
  readonly data: string;
  /** Of the programs: `<home>/cosmovisor`. */
  readonly root: string;
  /** Of a program's file. */
  readonly name: string;
}

/** Of this machine, without this process. Empty where there is no /proc; other users' are seen by root alone. */
export function homeUsers({ data, root, name }: UsedHome): number[] {
  const [inData, inRoot] = [insideOf(data), insideOf(root)];
  const runs = (arg: string, cwd: string) => arg.endsWith(`${sep}${name}`) && inRoot(resolve(cwd, arg));
  return otherProcesses((at) => {
    if (hasOpen(at, inData)) return true;
    const cwd = linkIn(join(at, "cwd"));
    return argumentsOf(join(at, "cmdline")).some((arg) => runs(arg, cwd));
  });
}

/** Processes that have a file below `folder` open, also one that was removed since. Sees as much as `homeUsers`. */
export function folderUsers(folder: string): number[] {
  const isInside = insideOf(folder);
  return otherProcesses((at) => hasOpen(at, isInside));
}

/** By their folders in /proc. */
function otherProcesses(isWanted: (at: string) => boolean): number[] {
  return listed("/proc")
    .filter((id) => /^[0-9]+$/.test(id) && Number(id) !== process.pid)
    .filter((id) => isWanted(join("/proc", id)))
    .map(Number);
}

const hasOpen = (at: string, isInside: (path: string) => boolean): boolean =>
  listed(join(at, "fd")).some((fd) => isInside(linkIn(join(at, "fd", fd))));

/** By real paths: a home has several names where links lead to it. */
function insideOf(folder: string): (path: string) => boolean {
  const own = `${real(folder)}${sep}`;
  return (path) => path !== "" && `${real(path)}`.startsWith(own);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Processes end while they are looked at. */
function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkIn(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** A shell names its script. */
function argumentsOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\0").slice(0, 4);
  } catch {
    return [];
  }
}
