/** What is checked of a plan before it is proposed: the rules of plans, and its info, offline or with its downloads. */

import { isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import type { Height, Plan } from "../../../base/types/types.js";
import type { RpcClient } from "../../../node/remote/client.js";
import { Core } from "../../../upgrade/core/core.js";
import { checkPlanInfo, type PlanInfo } from "../../../upgrade/plan-info/plan-info.js";
import { type PlanUrlRules, parsePlanUrl } from "../../../upgrade/plan-info/plan-url.js";
import { Downloads } from "../../../visor/download/verify-download.js";
import { lastHeightOf } from "../query/estimate.js";
import { misspeltInfo } from "./proposal-summary.js";

export interface PlanCheckFlags {
  /** False with `--no-validate`. */
  readonly validate: boolean;
  /** False with `--no-checksum-required`. */
  readonly checksumRequired: boolean;
  readonly allowWeakChecksum?: boolean;
  readonly download?: boolean;
}

/** @throws UpgradeError UPG_INVALID_PLAN_*, UPG_REMOTE_* for what cannot be downloaded */
export async function checkPlan(plan: Plan, flags: PlanCheckFlags, say: (line: string) => void): Promise<void> {
  const core = new Core();
  core.validatePlan(core.encodePlan(plan));
  if (!flags.validate) return;
  const wrong = misspeltInfo(plan.info);
  if (wrong !== undefined) throw refusedInfo(wrong);
  const rules = { checksumRequired: flags.checksumRequired, allowWeakChecksum: flags.allowWeakChecksum === true };
  const info = checkedInfo(plan.info, rules);
  if (!flags.download) return;
  const downloads = new Downloads(rules.allowWeakChecksum);
  try {
    await checkDownloads(info, { rules, say, downloads });
  } finally {
    await downloads.close();
  }
}

/** Before anything is signed: no vote can end before a height that is reached. @throws UpgradeError UPG_INVALID_PLAN_IN_PAST, UPG_REMOTE_* */
export async function requireAhead(rpc: RpcClient, height: Height): Promise<void> {
  const last = await lastHeightOf(rpc);
  if (height > last) return;
  throw new UpgradeError(
    "UPG_INVALID_PLAN_IN_PAST",
    `--upgrade-height ${height} is in the past: the chain is at height ${last}. Choose a height that a vote can end before`,
  );
}

function checkedInfo(text: string, rules: PlanUrlRules): PlanInfo {
  const { ok, errors, info } = checkPlanInfo(text, rules);
  if (ok && info) return info;
  throw refusedInfo(errors.join("; "));
}

const refusedInfo = (what: string) =>
  new UpgradeError("UPG_INVALID_PLAN_INFO", `${what} (--no-validate sends it all the same)`);

interface DownloadCheck {
  readonly rules: PlanUrlRules;
  readonly say: (line: string) => void;
  readonly downloads: Downloads;
}

async function checkDownloads(info: PlanInfo, check: DownloadCheck): Promise<void> {
  const { rules, say, downloads } = check;
  if (info.kind === "text") return;
  if (info.kind === "reference") {
    say(`downloading ${info.url}`);
    const document = checkedInfo(await downloads.text(parsePlanUrl(info.url, rules)), rules);
    if (document.kind === "reference") {
      throw new UpgradeError("UPG_INVALID_PLAN_INFO", `${info.url} leads to one more reference`);
    }
    await checkDownloads(document, check);
    return;
  }
  for (const [platform, url] of info.binaries) {
    say(`downloading ${platform}: ${url}`);
    await named(platform, () => downloads.verify(parsePlanUrl(url, rules)));
  }
  const { url, sha256: digest } = info.handler ?? {};
  if (url === undefined || digest === undefined) return;
  say(`downloading handler: ${url}`);
  const { scheme, source } = parsePlanUrl(url, { ...rules, checksumRequired: false });
  await downloads.verify({ scheme, source, checksum: { kind: "digest", algorithm: "sha256", digest } });
}

async function named(platform: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    throw new UpgradeError(error.code, `error downloading binary for os/arch ${platform}: ${error.message}`);
  }
}
