/** Is the program in a plan's folder the one whose checksum the plan has? */

import type { Files } from "../../base/files/files.js";
import { parsePlanInfo, selectBinary } from "../../upgrade/plan-info/plan-info.js";
import { parsePlanUrl } from "../../upgrade/plan-info/plan-url.js";
import type { Settings } from "../decide/settings.js";
import type { Readiness } from "../decide/status.js";
import { archiveOf } from "../download/archive-kind.js";
import { digestOf } from "./home-readiness.js";
import { replaceCommand } from "./plan-way.js";
import { verifiedDownload } from "./verified-download.js";

interface Compared {
  readonly plan: { readonly name: string; readonly info: string };
  /** Path of the program. */
  readonly program: string;
  readonly files: Files;
  readonly settings: Pick<Settings, "home" | "name">;
  /** Node's names of this machine. */
  readonly platform: string;
  readonly arch: string;
}

/**
 * `skipped`: the checksum is of something else than the program's file, so nobody compared it here. Undefined: the plan names no
 * program for this platform, or none is in its place. @throws what the system says
 */
export function sumReadiness({ plan, program, files, settings, platform, arch }: Compared): Readiness | undefined {
  const what = "checksum";
  const sum = sumOf(plan.info, platform, arch);
  if (!sum || files.facts(program)?.kind !== "file") return undefined;
  if (sum.kind === "unknown") {
    const known = verifiedDownload(files, program, sum.url);
    if (known === "same") {
      const detail = `${program} is what was unpacked from ${sum.url}, which had the plan's checksum`;
      return { what, state: "ready", detail, next: null };
    }
    const why = known === "changed" ? "it is not the program that was unpacked from the plan's download" : sum.why;
    return { what, state: "skipped", detail: `${program} was not compared: ${why}`, next: null };
  }
  const found = digestOf(files, program, sum.algorithm);
  if (found === sum.digest)
    return { what, state: "ready", detail: `${program} is the program that the plan names`, next: null };
  const label = sum.algorithm.replace("sha", "SHA-");
  const detail = `${program} has ${label} ${found}, and the plan names ${sum.digest}: another build, or not what was published`;
  return { what, state: "wrong", detail, next: replaceCommand(plan, settings) };
}

type Sum =
  | { readonly kind: "digest"; readonly algorithm: string; readonly digest: string }
  /** Of something else than the program's file. */
  | { readonly kind: "unknown"; readonly why: string; readonly url: string };

/** Undefined: the plan names no program for this platform. */
function sumOf(info: string, platform: string, arch: string): Sum | undefined {
  try {
    const url = selectBinary(parsePlanInfo(info), platform, arch)?.url;
    if (url === undefined) return undefined;
    const { source, checksum } = parsePlanUrl(url, { checksumRequired: false });
    const unknown = (why: string): Sum => ({ kind: "unknown", why, url });
    if (!checksum) return unknown(`the plan offers ${source} without a checksum`);
    if (checksum.kind === "file")
      return unknown(`the plan names the sums file ${checksum.url}, which is not asked for`);
    const { packing, container } = archiveOf(source).archive;
    const isPlain = packing === "none" && container === "none";
    if (isPlain) return checksum;
    return unknown(`the plan pins the archive ${source}, from which it should have been taken`);
  } catch {
    // What is wrong with a plan's info is reported where it is downloaded.
    return undefined;
  }
}
