/** This binary, the program that is staged for the plan in Cosmovisor's folders, and the checksum that the plan pins. */

import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../base/errors/errors.js";
import { diskFiles } from "../../base/files/disk-files.js";
import type { Files } from "../../base/files/files.js";
import type { Io } from "../../base/terminal/io.js";
import { VERSION } from "../../base/terminal/version.js";
import { toHex } from "../../base/text/bytes.js";
import { shellWord } from "../../base/text/shell-word.js";
import type { Plan } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import { Layout, type Program, problemOf } from "../../node/programs/layout.js";
import type { RegisteredHandler } from "../../upgrade/module/upgrade-handler.js";
import { parsePlanInfo, selectBinary } from "../../upgrade/plan-info/plan-info.js";
import { type PlanUrl, parsePlanUrl } from "../../upgrade/plan-info/plan-url.js";
import { goPlatform } from "../../upgrade/plan-info/platform.js";
import { verifiedDownload } from "../../visor/stage/verified-download.js";
import type { Row } from "./row.js";

/** A preflight changes nothing: not even whether a program may be executed. */
export const readOnly: Files = { ...diskFiles, chmod: () => undefined };

/** Where a sidecar's folders are. */
export interface SidecarPlace {
  /** DAEMON_HOME, else the node's home. */
  readonly home: string;
  /** DAEMON_NAME, else the chain's program. */
  readonly name: string;
  readonly env: Io["env"];
}

/** `undefined`: there are no folders. */
export function stagedProgram({ home, name, env }: SidecarPlace, plan: Plan): Program | undefined {
  if (diskFiles.facts(join(home, "cosmovisor"))?.kind !== "folder") return undefined;
  const isCaseKept = env["COSMOVISOR_DISABLE_RECASE"] === "true";
  const own = process.argv[1] ?? process.execPath;
  return new Layout({ home, name, program: undefined, upgrades: new Map(), own, isCaseKept }).of(plan.name);
}

export function binaryRow(chain: Chain, plan: Plan): Row {
  const { name, versions } = chain;
  const numbers = versions.map(({ number }) => number).join(", ");
  const carries = versions.some((version) => version.plan === plan.name);
  const words = `${name} ${VERSION}, app versions ${numbers}; it ${carries ? "carries" : "does not carry"} the plan "${plan.name}"`;
  return { check: "binary", state: "ok", words };
}

/** What makes the upgrade where no program is in the plan's folder. */
export interface OtherWay {
  /** The handler that a start at the height would take: of this binary and its home. */
  readonly handler: RegisteredHandler | undefined;
  /** The handler is a file of the home, which any program of this chain takes. */
  readonly isOfHome: boolean;
  /** The plan pins a handler's file. */
  readonly isPinned: boolean;
}

/** Whether the file is there and can be run, or is not needed. */
export function programRow(program: Program, { home, name }: SidecarPlace, node: string, other: OtherWay): Row {
  const check = "program";
  const problem = problemOf(program, readOnly);
  if (problem === undefined) {
    const next = `${shellWord(program.file)} upgrade preflight --home ${shellWord(node)}`;
    return { check, state: "ok", words: `${program.file} is staged; it has a preflight of its own`, next };
  }
  const own = join(home, "cosmovisor", "current", "bin", name);
  const isOwn = other.handler !== undefined && (other.isOfHome || isThisBinary(own));
  const isAbsent = diskFiles.linkFacts(program.file) === undefined;
  if (isAbsent && isOwn) {
    const why = other.isOfHome ? "the handler is a file of the home" : `${own} is this binary, which has the handler`;
    return { check, state: "ok", words: `none is needed in ${join(program.file, "..")}: ${why}` };
  }
  if (isAbsent && other.isPinned) {
    return {
      check,
      state: "warning",
      words: `${problem}; the handler that the plan pins is enough, and is not staged`,
    };
  }
  const command = `chainvisor --home ${shellWord(home)} --name ${shellWord(name)} add-upgrade`;
  const force = isAbsent ? "" : " --force";
  return { check, state: "missing", words: problem, next: `${command} ${shellWord(program.name)} PROGRAM${force}` };
}

/** `current` may lead to the very file that runs. */
function isThisBinary(file: string): boolean {
  try {
    return realpathSync(file) === realpathSync(process.argv[1] ?? process.execPath);
  } catch {
    return false;
  }
}

/** Undefined: there is nothing to compare. */
export function checksumRow({ info }: Plan, program: Program | undefined): Row | undefined {
  const check = "checksum";
  const binary = selectBinary(parsePlanInfo(info), process.platform, process.arch);
  if (!binary) {
    if (!program) return undefined;
    const words = `the plan pins no program for ${goPlatform(process.platform, process.arch)}`;
    return { check, state: "warning", words };
  }
  try {
    return comparedRow(binary.url, parsePlanUrl(binary.url, { checksumRequired: false }), program);
  } catch (error) {
    return { check, state: "missing", words: `the URL of the plan's program cannot be read: ${messageOf(error)}` };
  }
}

function comparedRow(url: string, { source, checksum }: PlanUrl, program: Program | undefined): Row {
  const check = "checksum";
  const warning = (words: string): Row => ({ check, state: "warning", words });
  if (checksum === undefined)
    return warning(`the plan offers ${source} without a checksum: its server decides what runs`);
  const known = program && verifiedDownload(readOnly, program.file, url);
  if (known === "same")
    return {
      check,
      state: "ok",
      words: `${program?.file} is what was unpacked from ${url}, which had the plan's checksum`,
    };
  if (checksum.kind === "file") return warning(`the plan names the sums file ${checksum.url}, which was not asked for`);
  const { algorithm, digest } = checksum;
  if (isArchive(source))
    return warning(`the plan pins the archive ${source}, from which the program should have been taken: not compared`);
  if (!program || problemOf(program, readOnly) !== undefined)
    return warning(`the plan pins ${algorithm} ${digest}; no program is staged to compare`);
  const found = digestOf(program.file, algorithm);
  if (found === digest) return { check, state: "ok", words: `${program.file} has the ${algorithm} that the plan pins` };
  return {
    check,
    state: "missing",
    words: `${program.file} has ${algorithm} ${found}, the plan pins ${digest}: it is another program`,
  };
}

const isArchive = (source: string) =>
  /\.(zip|tar|gz|tgz|bz2|tbz2|xz|txz|zst|tzst)$|[?&]archive=(?!false)/i.test(source.replace(/#.*/, ""));

const PART_BYTES = 1_048_576;

function digestOf(file: string, algorithm: string): string {
  const hash = createHash(algorithm);
  const part = new Uint8Array(PART_BYTES);
  const descriptor = openSync(file, "r");
  try {
    for (let read = 1; read > 0; ) {
      read = readSync(descriptor, part);
      hash.update(part.subarray(0, read));
    }
    return toHex(hash.digest());
  } finally {
    closeSync(descriptor);
  }
}
