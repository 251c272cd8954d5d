/** Files as the switch needs them: of the right kind, and open to the node's user. Root may open all, so its success says nothing. */
import { basename, dirname, join } from "node:path";
import { messageOf } from "../errors.js";
import type { FileFacts, Files } from "../programs/files.js";
import { shellWord } from "../shell-word.js";
import { placesOf } from "../sidecar/decision/place.js";
import { queueFile } from "../sidecar/decision/queue.js";
import type { Settings } from "../sidecar/settings.js";
import type { Readiness } from "../sidecar/status.js";
import { chainvisorOf } from "./supervision.js";

const [READ, WRITE, RUN] = [4, 2, 1] as const;
const VERBS = [
  [READ, "read"],
  [WRITE, "write"],
  [RUN, "enter or run"],
] as const;
const ROOT = 0;

interface User {
  readonly uid: number;
  readonly gid: number;
}

type Place = Pick<Settings, "home" | "root" | "name">;

/** @param program of the plan; a missing file is another finding */
export function filesReadiness(files: Files, settings: Place, program: string): readonly Readiness[] {
  return [...kindReadiness(files, settings, program), ...accessReadiness(files, settings, program)];
}

/** What the switch reads or replaces, and is something else: a rename onto a folder fails. */
function kindReadiness(files: Files, settings: Place, program: string): readonly Readiness[] {
  const { data, previous, ...places } = placesOf(settings);
  const { planFile, haltFile, database, failureFile, returnedFile, passedFile, startFile, restartFile } = places;
  const wanted = [
    ...[planFile, haltFile, database, failureFile, returnedFile, passedFile, startFile, restartFile],
    ...[join(data, "priv_validator_state.json"), queueFile(settings.root)],
    join(dirname(program), "..", "upgrade-info.json"),
  ].map((path) => [path, "file", files.facts] as const);
  return [...wanted, [previous, "link", files.linkFacts] as const].flatMap(([path, kind, factsOf]): Readiness[] => {
    const found = kindAt(factsOf, path);
    if (found === undefined || found === kind) return [];
    const detail = `${path} must be a ${kind}, and is a ${found === "other" ? "device, pipe or socket" : found}`;
    return [{ what: "files", state: "wrong", detail, next: `mv ${shellWord(path)} ${shellWord(`${path}.wrong`)}` }];
  });
}

/** Undefined: nothing is there, or the system does not say. */
function kindAt(factsOf: Files["facts"], path: string): FileFacts["kind"] | undefined {
  try {
    return factsOf(path)?.kind;
  } catch {
    return undefined;
  }
}

/** By the permissions of files and folders. */
function accessReadiness(files: Files, settings: Place, program: string): readonly Readiness[] {
  const user = userOf(files, settings);
  if (!user || user.uid === ROOT) return [];
  const problems = neededBy(files, settings, program).flatMap(([path, bits]) => {
    const lacks = lackOf(files, path, bits, user);
    return lacks === undefined ? [] : [lacks];
  });
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
  if (uid === undefined) return READ | WRITE | RUN;
  return mode >> (uid === user.uid ? 6 : gid === user.gid ? 3 : 0);
}
