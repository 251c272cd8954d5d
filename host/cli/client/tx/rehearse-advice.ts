/** Advice of `tx upgrade attest`: the `upgrade rehearse` command that makes a report which can be attested. */
import { PROGRAM } from "../../../base/text/program-text.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { visible } from "../../../base/text/visible.js";
import type { NamedPlans, RehearsedPlan } from "./rehearsed-chain.js";

interface Wanted {
  readonly home: string;
  /** `undefined` if the command sent no request to a node. */
  readonly plans: NamedPlans | undefined;
  /** A file that the home does not have. */
  readonly handler?: string | undefined;
  /** Last block of the state. */
  readonly at?: bigint | undefined;
  /** Names of checks, with commas between. */
  readonly accept?: string | undefined;
}

/**
 * Returns the command in backquotes, then `result`. State does not have a plan that is only proposed, so the command names a file with
 * the plan's height and info.
 *
 * @param result what the command does, such as "makes one"
 */
export function rehearseAdvice({ home, plans, handler, at, accept }: Wanted, result: string): string {
  const proposed = plans && !plans.isScheduled ? plans.plans : undefined;
  const flags = [
    accept === undefined ? "" : ` --accept ${accept}`,
    proposed ? " --plan FILE" : "",
    handler === undefined ? "" : ` --handler ${shellWord(handler)}`,
    at === undefined ? "" : ` --at ${at}`,
  ].join("");
  const command = `\`${PROGRAM} upgrade rehearse --home ${shellWord(home)}${flags}\``;
  if (proposed) return `${command}, with the file ${[...new Set(proposed.map(fileOf))].join(" or ")}, ${result}`;
  if (plans) return `${command} ${result}`;
  return `${command} ${result}. If the plan is only proposed, add --plan with a file that has its name, height and info`;
}

const fileOf = ({ name, height, info }: RehearsedPlan): string =>
  visible(JSON.stringify({ name, height: String(height), info }));
