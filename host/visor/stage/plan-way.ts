/**
 * By what a plan is made: by the program in its folder, or, in a home of this project's chains, by the handler file that the plan
 * pins or whose manifest names the plan, with the program that runs. One of the two is enough.
 */
import { dirname, join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { sha256 } from "../../base/native/sha256.js";
import { toHex } from "../../base/text/bytes.js";
import { shellWord } from "../../base/text/shell-word.js";
import { HANDLER_BYTES_MAX } from "../../base/types/limits.js";
import { chainvisorFor } from "../../node/home/supervised-start.js";
import { examineHandler } from "../../upgrade/handler/check/check.js";
import { duplicate } from "../../upgrade/module/handler-set.js";
import type { PlanHandler } from "../../upgrade/plan-info/plan-document.js";
import { parsePlanInfo, selectBinary } from "../../upgrade/plan-info/plan-info.js";
import type { Settings } from "../decide/settings.js";

export interface PinnedHandler extends PlanHandler {
  /** False: the plan has no handler in its info, and the node takes the staged one whose manifest names the plan. */
  readonly isPinned: boolean;
  /** Where it is staged. */
  readonly folder: string;
  /** With these bytes, in the home; undefined: nobody has staged it, or several files are staged and the node takes none. */
  readonly file: string | undefined;
  /** Why the node takes none of several staged files, with their names; undefined: it can. */
  readonly duplicates?: string;
}

interface HandlerFile {
  readonly file: string;
  readonly hash: string;
}

interface PlanFacts {
  readonly name: string;
  readonly info: string;
}

const WASM_BYTES_MAX = 256 * 1_048_576;

export const isOurHome = (files: Files, home: string): boolean =>
  files.facts(join(home, "data", "chain.mdb")) !== undefined;

/**
 * Undefined: the plan pins none and none of its name is staged, or the home's programs know none. @throws what the system says
 */
export function pinnedHandler(files: Files, home: string, { name, info }: PlanFacts): PinnedHandler | undefined {
  if (!isOurHome(files, home)) return undefined;
  const folder = join(home, "handlers", "staged");
  const handler = handlerIn(info);
  if (handler)
    return {
      ...handler,
      isPinned: true,
      folder,
      file: fileWith(files, [join(home, "handlers"), folder], handler.sha256),
    };
  const own = handlersFor(files, join(home, "handlers"), name);
  const found = own.length > 0 ? own.slice(0, 1) : handlersFor(files, folder, name);
  const [first] = found;
  if (!first) return undefined;
  const known = { sha256: first.hash, isPinned: false, folder };
  if (found.every(({ hash }) => hash === first.hash)) return { ...known, file: first.file };
  return { ...known, file: undefined, duplicates: duplicate(name, found).message };
}

/** Files of a folder that a node would load as handlers of this plan, whatever they are called. */
const handlersFor = (files: Files, folder: string, plan: string): readonly HandlerFile[] =>
  (files.list(folder) ?? [])
    .filter((name) => name.endsWith(".wasm"))
    .flatMap((name) => {
      const file = join(folder, name);
      const known = handlerAt(files, file);
      return known?.plan === plan ? [{ file, hash: known.hash }] : [];
    });

interface Known {
  /** Changes with the file. */
  readonly print: string;
  /** That its manifest names; undefined: the file is no handler. */
  readonly plan: string | undefined;
  readonly hash: string;
}

/** The sidecar asks again and again, and the files change rarely. */
const examined = new Map<string, Known>();

/** Undefined: no file, or one that cannot be read; that is reported with the files. */
function handlerAt(files: Files, file: string): Known | undefined {
  try {
    const facts = files.facts(file);
    if (facts?.kind !== "file") return undefined;
    const before = examined.get(file);
    if (before?.print === facts.print) return before;
    const bytes = files.read(file, HANDLER_BYTES_MAX);
    if (!bytes) return undefined;
    const { manifest, findings } = examineHandler(bytes);
    const plan = findings.length === 0 ? manifest?.name : undefined;
    const known = { print: facts.print, plan, hash: toHex(sha256(bytes)) };
    examined.set(file, known);
    return known;
  } catch {
    return undefined;
  }
}

function handlerIn(info: string): PlanHandler | undefined {
  try {
    const read = parsePlanInfo(info);
    return read.kind === "document" ? read.handler : undefined;
  } catch {
    return undefined; // Staging reports it.
  }
}

function fileWith(files: Files, folders: readonly string[], wanted: string): string | undefined {
  const wasm = folders.flatMap((folder) => (files.list(folder) ?? []).map((name) => join(folder, name)));
  return wasm.find((file) => {
    if (!file.endsWith(".wasm") || files.facts(file)?.kind !== "file") return false;
    const bytes = files.read(file, WASM_BYTES_MAX);
    return bytes !== undefined && toHex(sha256(bytes)) === wanted;
  });
}

/** A program for this machine can be fetched by what the plan says, or by the document that it refers to. */
export function hasDownload({ info }: PlanFacts, platform: string = process.platform, arch: string = process.arch) {
  try {
    const read = parsePlanInfo(info);
    return read.kind === "reference" || selectBinary(read, platform, arch) !== undefined;
  } catch {
    return false;
  }
}

/** In words: why nothing more is needed. */
export const staged = ({ file, folder, isPinned, sha256: hash }: PinnedHandler & { file: string }): string =>
  isPinned
    ? `${file} is the handler that the plan pins: no other program is needed`
    : `${file}, sha256 ${hash}, is ${dirname(file) === folder ? "staged for" : "for"} the plan, which pins none: no other program is needed`;

/** In words, after what is said of the missing program. */
export const orHandler = ({ sha256: hash, folder, duplicates }: PinnedHandler): string =>
  duplicates ?? `the handler that the plan pins, sha256 ${hash}, is enough, and is not in ${folder}`;

/** The one command that puts in its place what the plan lacks. @param chainvisor the command, with its flags where they are needed */
export function nextCommand(plan: PlanFacts, pinned: PinnedHandler | undefined, chainvisor = "chainvisor"): string {
  if (!pinned) return `${chainvisor} add-upgrade ${shellWord(plan.name)} PROGRAM`;
  if (pinned.duplicates !== undefined) return `rm ${shellWord(pinned.folder)}/FILE.wasm`;
  if (pinned.url !== undefined) return `${chainvisor} prepare`;
  return `mkdir -p ${shellWord(pinned.folder)} && cp HANDLER.wasm ${shellWord(pinned.folder)}/`;
}

/** Puts another program in the place of one that is there. */
export const replaceCommand = (plan: Pick<PlanFacts, "name">, settings: Pick<Settings, "home" | "name">): string =>
  `${chainvisorFor(settings)} add-upgrade ${shellWord(plan.name)} PROGRAM --force`;

/** What is missing where a program is, in words with the next command; undefined: nothing. */
interface Lack {
  readonly problem: string;
  readonly next: string;
}

/** @param problem of the program in the plan's folder, which is missing */
export function lackOf(files: Files, settings: Pick<Settings, "home" | "name">, plan: PlanFacts, problem: string) {
  const pinned = pinnedHandler(files, settings.home, plan);
  if (pinned?.file !== undefined) return undefined;
  const words = pinned ? `${problem}; ${orHandler(pinned)}` : problem;
  return { problem: words, next: nextCommand(plan, pinned, chainvisorFor(settings)) } satisfies Lack;
}
