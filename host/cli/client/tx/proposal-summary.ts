/** What a proposal will send, shown before it is signed: what a person left out is as visible as what they wrote. */

import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { yamlText } from "../../../base/terminal/output.js";
import { nearest } from "../../../base/text/text.js";
import { visibleLines } from "../../../base/text/visible.js";
import type { Plan } from "../../../base/types/types.js";
import type { Chain } from "../../../chain/app/chain.js";
import { scheduledPlan } from "../../../chain/modules/upgrade/compose.js";
import { parsePlanInfo } from "../../../upgrade/plan-info/plan-info.js";
import { messageJson } from "../message-json.js";

/** The parts of a proposal that voters see. */
interface ShownProposal {
  readonly title: string;
  /** As it was written, such as `10ustake`; empty for none. */
  readonly deposit: string;
  readonly expedited: boolean;
  readonly messages: readonly Any[];
}

/** Describes a proposal in lines for people. */
export async function proposalSummary(
  chain: Chain,
  { title, deposit, expedited, messages }: ShownProposal,
): Promise<string> {
  const kind = expedited ? "expedited proposal" : "proposal";
  const lines = [`${kind} ${JSON.stringify(title)}, deposit ${deposit === "" ? "none" : deposit}`];
  for (const [index, message] of messages.entries()) {
    lines.push(`message ${index + 1} of ${messages.length}:`);
    const yaml = await yamlText(messageJson(chain, AnySchema, message));
    for (const line of yaml.trimEnd().split("\n")) lines.push(`  ${line}`);
    const plan = scheduledPlan(message);
    if (plan) lines.push(`  ${planLine(plan)}`);
  }
  return visibleLines(lines.join("\n"));
}

function planLine({ name, height, info }: Pick<Plan, "name" | "height" | "info">): string {
  const read = parsePlanInfo(info);
  const sha256 = read.kind === "document" ? read.handler?.sha256 : undefined;
  const pin =
    sha256 === undefined
      ? "no pin: any handler file for this plan will run"
      : `pins the handler with SHA-256 ${sha256}`;
  return `plan ${JSON.stringify(name)} at height ${height}: ${pin}`;
}

/** Member names of a plan's info that look like misspelt ones: nodes ignore names that they do not know. */
export function misspeltInfo(info: string): string | undefined {
  let json: unknown;
  try {
    json = JSON.parse(info);
  } catch {
    return undefined;
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  for (const name of Object.keys(json)) {
    const near = nearest(name.toLowerCase(), ["binaries", "handler"]);
    if (name === "" || near === undefined || near === name.toLowerCase()) continue;
    return `the plan's info has no member ${JSON.stringify(name)}, so nodes would ignore it: did you mean "${near}"?`;
  }
  return undefined;
}
