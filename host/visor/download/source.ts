/** What a plan's info offers for one platform. */
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { type PlanInfo, parsePlanInfo, selectBinary } from "../../upgrade/plan-info/plan-info.js";
import { type PlanUrl, parsePlanUrl } from "../../upgrade/plan-info/plan-url.js";
import { downloadText, type TextOptions } from "./small-text.js";

export type PlanDocumentInfo = Extract<PlanInfo, { kind: "document" }>;

export interface PlanSource extends PlanUrl {
  /** As the plan has it. */
  readonly url: string;
}

/**
 * The document of a plan: its info, or what that leads to.
 * @throws UpgradeError UPG_INVALID_PLAN_INFO, UPG_REMOTE_UNAVAILABLE
 */
export async function planDocument(
  info: string,
  isChecksumRequired: boolean,
  options: TextOptions,
): Promise<PlanDocumentInfo> {
  const read = parsePlanInfo(info);
  if (read.kind === "document") return read;
  if (read.kind === "text") throw unusable(read.reason);
  const url = named(`invalid url "${read.url}"`, () =>
    parsePlanUrl(read.url, { checksumRequired: isChecksumRequired }),
  );
  const document = parsePlanInfo(await downloadText(url, options));
  if (document.kind === "document") return document;
  throw unusable(document.kind === "text" ? document.reason : `${read.url} leads to one more reference`);
}

/** @param platform Go's, as `linux/amd64`. @throws UpgradeError UPG_INVALID_PLAN_INFO */
export function sourceFor(document: PlanDocumentInfo, platform: string, isChecksumRequired: boolean): PlanSource {
  const [os = "", arch = ""] = platform.split("/");
  const selected = selectBinary(document, os, arch);
  if (!selected) throw unusable(`cannot find binary for os/arch: neither ${platform}, nor any`);
  const { url } = selected;
  const what = `invalid url "${url}" in binaries[${selected.platform}]`;
  return { ...named(what, () => parsePlanUrl(url, { checksumRequired: isChecksumRequired })), url };
}

function named<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isUpgradeError(error)) throw new UpgradeError(error.code, `${what}: ${error.template}`);
    throw error;
  }
}

function unusable(why: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", `cannot parse upgrade info: ${why}`);
}
