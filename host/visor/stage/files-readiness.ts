/**
 * Files as the switch needs them: of the right kind, open to the node's user, and in folders that take new files. Root may open all, so
 * its success says nothing of permissions; read-only mounts, immutable files, quotas and a lack of inodes stop root as well.
 */
import { basename, dirname, join } from "node:path";
import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import type { FileFacts, Files } from "../../base/files/files.js";
import { shellWord } from "../../base/text/shell-word.js";
import { readPassed } from "../decide/decision/past-plans-file.js";
import { placesOf } from "../decide/decision/paths.js";
import { queueFile, readQueue } from "../decide/decision/queue.js";
import { asideCommand } from "../decide/decision/record-file.js";
import { returnedHeights } from "../decide/decision/returned.js";
import type { Settings } from "../decide/settings.js";
import type { Readiness } from "../decide/status.js";
import { chainvisorOf } from "./supervision.js";

const [READ, WRITE, RUN] = [4, 2, 1] as const;
const VERBS = [
  [READ, "read"],
  [WRITE, "write"],
  [RUN, "enter or run"],
] as const;
const ROOT = 0;

export interface User {
  readonly uid: number;
  readonly gid: number;
  /** Beside `gid`. */
  readonly groups?: ReadonlySet<number>;
}

type Place = Pick<Settings, "home" | "root" | "name">;

/** @param program of the plan; a missing file is another finding */
export function filesReadiness(files: Files, settings: Place, program: string): readonly Readiness[] {
  const access = accessReadiness(files, settings, program);
  const kinds = kindReadiness(files, settings, program);
  // A folder in the place of a record is reported as such.
  const records = kinds.length > 0 ? [] : recordReadiness(files, settings);
  return [...kinds, ...records, ...access, ...writeReadiness(files, settings, program)];
}

/** What the switch reads or replaces, and is something else: a rename onto a folder fails. */
function kindReadiness(files: Files, settings: Place, program: string): readonly Readiness[] {
  const { previous } = placesOf(settings);
  const wanted = writtenFiles(settings, program).map((path) => [path, "file", files.facts] as const);
  return [...wanted, [previous, "link", files.linkFacts] as const].flatMap(([path, kind, factsOf]): Readiness[] => {
    const found = kindAt(factsOf, path);
    if (found === undefined || found === kind) return [];
    const detail = `${path} must be a ${kind}, and is a ${found === "other" ? "device, pipe or socket" : found}`;
    return [{ what: "files", state: "wrong", detail, next: `mv ${shellWord(path)} ${shellWord(`${path}.wrong`)}` }];
  });
}

/** By the sidecar at its start, at the switch or at a handler's restart, and by the node at the upgrade's block. */
function writtenFiles(settings: Place, program: string): readonly string[] {
  const { data, ...places } = placesOf(settings);
  const { planFile, haltFile, database, failureFile, returnedFile, passedFile, startFile, restartFile } = places;
  return [
    ...[planFile, haltFile, database, failureFile, returnedFile, passedFile, startFile, restartFile],
    ...[join(data, "priv_validator_state.json"), queueFile(settings.root)],
    join(dirname(program), "..", "upgrade-info.json"),
  ];
}

/** Folders in which they are made, each after those above it. */
function writtenFolders({ home, root }: Place, program: string): readonly string[] {
  const data = join(home, "data");
  const below = ["receipts", "witness", "snapshots"].map((name) => join(data, name));
  return [data, ...below, root, dirname(dirname(program))];
}

interface Refusal {
  readonly path: string;
  readonly code: string | undefined;
  readonly message: string;
  /** Shows the cause, or removes it. */
  readonly next: string;
}

/** Tried, and not judged by permissions. What is missing is another finding. */
function writeReadiness(files: Files, settings: Place, program: string): readonly Readiness[] {
  const { root } = settings;
  const refusals = [
    ...writtenFolders(settings, program).map((path) => refusalOf(files, path)),
    refusalOf(files, root) ? undefined : refusalOf(files, root, "link"),
    ...writtenFiles(settings, program).map((path) => refusalOf(files, path)),
  ].filter((each) => each !== undefined);
  const denied = refusals.filter(({ code }) => code === "EACCES");
  // Of the node's own user the permissions say it already.
  const others = refusals.filter(({ code, path }) => code !== "EACCES" && !isBelow(path, refusals));
  const found = others.map(({ path, message, next }): Readiness => {
    const detail = `${path} cannot be written, and the upgrade writes there: ${message}`;
    return { what: "files", state: "wrong", detail, next };
  });
  const user = foreignTo(files, settings);
  if (!user || denied.length === 0) return found;
  const paths = denied.map(({ path }) => path).join(", ");
  const detail = `this user cannot try whether the upgrade can write ${paths}: ask as user ${user.uid}, as whom the node runs, or as root`;
  return [...found, { what: "files", state: "unknown", detail, next: null }];
}

/** Reported by the folder above it, for the same reason. */
const isBelow = (path: string, refusals: readonly Refusal[]) =>
  refusals.some((each) => each.path !== path && path.startsWith(`${each.path}/`));

/** Undefined: it can be written, or is absent. */
export function refusalOf(files: Files, path: string, what?: "link"): Refusal | undefined {
  try {
    if (files.facts(path)) files.tryWrite(path, what);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { path, code, message: messageOf(error), next: remedyOf(path, code) };
  }
}

function remedyOf(path: string, code: string | undefined): string {
  const word = shellWord(path);
  if (code === "EPERM") return `chattr -ia ${word}`;
  if (code === "ENOSPC") return `df -h ${word} && df -i ${word}`;
  return code === "EDQUOT" ? `quota -v` : `findmnt -T ${word}`;
}

/** Undefined: nothing is there, or the system does not say. */
function kindAt(factsOf: Files["facts"], path: string): FileFacts["kind"] | undefined {
  try {
    return factsOf(path)?.kind;
  } catch {
    return undefined;
  }
}

/** Files that the sidecar wrote and decides from, without the queue. */
export function damagedRecords(files: Files, settings: Place): readonly Readiness[] {
  const { returnedFile, passedFile } = placesOf(settings);
  const found = [
    problemOf(returnedFile, () => returnedHeights(files, returnedFile)),
    problemOf(passedFile, () => readPassed(files, passedFile)),
  ];
  return found.flatMap((each) => (each ? [damaged(each.path, each.detail)] : []));
}

/** Of an operator's list each problem begins with the file. */
const recordReadiness = (files: Files, settings: Place): readonly Readiness[] => [
  ...damagedRecords(files, settings),
  ...readQueue(files, settings).problems.map((detail) => damaged(detail.split(" is no list", 1)[0] ?? "", detail)),
];

const damaged = (path: string, detail: string): Readiness => ({
  ...{ what: "files", state: "wrong", detail },
  next: asideCommand(path),
});

/** What the system refuses is reported by the permissions. */
function problemOf(path: string, read: () => unknown): { readonly detail: string; readonly path: string } | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return isUpgradeError(error) && error.code === "UPG_STORE_CORRUPT" ? { detail: messageOf(error), path } : undefined;
  }
}

/** By the permissions of files and folders. */
function accessReadiness(files: Files, settings: Place, program: string): readonly Readiness[] {
  const user = userOf(files, settings);
  if (!user || user.uid === ROOT) return [];
  const problems = lacksOf(files, neededBy(files, settings, program), user);
  if (problems.length === 0) return [];
  const places = [settings.root, join(settings.home, "data"), join(settings.home, "handlers")];
  const there = places
    .filter((path) => kindAt(files.facts, path) !== undefined)
    .map(shellWord)
    .join(" ");
  const next = `chown -R ${user.uid}:${user.gid} ${there} && chmod -R u+rwX ${there}`;
  const detail = `user ${user.uid}, as whom the node runs, ${problems.join("; ")}`;
  return [{ what: "files", state: "wrong", detail, next }];
}

const lacksOf = (files: Files, needs: readonly Need[], user: User): readonly string[] =>
  needs.flatMap(([path, bits]) => lackOf(files, path, bits, user) ?? []);

/** What this user cannot read, write or enter of what a node and its sidecar need from their start on, in words. Root can do all. */
export function lacksOfUser(files: Files, settings: Place, program: string, user: User): readonly string[] {
  if (user.uid === ROOT) return [];
  const { home } = settings;
  const config = join(home, "config");
  const keys = ["priv_validator_key.json", "node_key.json", "genesis.json", "app.toml"];
  const needs: Need[] = [
    ...foldersAbove(home).map((path): Need => [path, RUN]),
    [config, READ | RUN],
    ...keys.map((name): Need => [join(config, name), READ]),
    ...neededBy(files, settings, program),
    ...writtenFiles(settings, program).map((path): Need => [path, READ | WRITE]),
  ];
  return lacksOf(files, needs, user);
}

/** From the root of the file system, with the folder itself. */
function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [...foldersAbove(above), folder];
}

/** The node's user, if this process runs as another one that is not root. */
export function foreignTo(files: Files, settings: Place): User | undefined {
  const user = userOf(files, settings);
  const uid = process.getuid?.() ?? ROOT;
  return uid === ROOT || uid === user?.uid ? undefined : user;
}

/** That of the sidecar that runs, else the owner of the home. Undefined: the system does not say. */
function userOf(files: Files, settings: Place): User | undefined {
  const pid = chainvisorOf(settings);
  try {
    const { uid, gid } = files.facts(pid === undefined ? settings.home : join("/proc", pid)) ?? {};
    return uid === undefined || gid === undefined ? undefined : { uid, gid };
  } catch {
    return undefined;
  }
}

type Need = readonly [path: string, bits: number];

/** Folders before what is in them. */
function neededBy(files: Files, { home, root }: Place, program: string): Need[] {
  const bin = dirname(program);
  const staged = join(home, "handlers", "staged");
  return [
    [join(home, "data"), READ | WRITE | RUN],
    [root, READ | WRITE | RUN],
    [dirname(dirname(bin)), READ | RUN],
    [dirname(bin), READ | WRITE | RUN],
    [bin, READ | RUN],
    [program, READ | RUN],
    [staged, READ | RUN],
    ...namesIn(files, staged).map((name): Need => [join(staged, name), READ]),
  ];
}

function namesIn(files: Files, folder: string): readonly string[] {
  try {
    return (files.list(folder) ?? []).filter((name) => basename(name).endsWith(".wasm"));
  } catch {
    return []; // The folder itself is reported.
  }
}

/** In words; undefined: nothing lacks, or nothing is there. */
function lackOf(files: Files, path: string, bits: number, user: User): string | undefined {
  try {
    const facts = files.facts(path);
    const missing = facts ? bits & ~bitsFor(facts, user) : 0;
    if (!facts || missing === 0) return undefined;
    const verbs = VERBS.filter(([bit]) => missing & bit).map(([, verb]) => verb);
    return `cannot ${verbs.join(", ")} ${path} (owner ${facts.uid}, mode ${facts.mode.toString(8).padStart(4, "0")})`;
  } catch (error) {
    return `cannot look at ${path}: ${messageOf(error)}`;
  }
}

function bitsFor({ uid, gid, mode }: FileFacts, user: User): number {
  if (uid === undefined || gid === undefined) return READ | WRITE | RUN;
  const isOfGroup = gid === user.gid || user.groups?.has(gid) === true;
  return mode >> (uid === user.uid ? 6 : isOfGroup ? 3 : 0);
}
