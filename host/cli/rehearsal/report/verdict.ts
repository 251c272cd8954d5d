/** How a block would end, in words for who runs the node, with the command that comes next. */
import { ERROR_KINDS, type UpgradeError } from "../../../base/errors/errors.js";
import { completeText, PROGRAM } from "../../../base/text/program-text.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { visible } from "../../../base/text/visible.js";
import type { Report, Verdict } from "./report.js";

type Ending = Pick<Report, "verdict" | "exit" | "code" | "message" | "next" | "commands">;

interface EndingFacts {
  /** Name of the program, in commands. */
  readonly program: string;
  readonly home: string;
  /** Name of the plan; "": not known. */
  readonly plan: string;
  readonly height: string;
  /** File of the handler; "": one of the program's. */
  readonly handler: string;
  /** Flags that choose what is rehearsed, without `--home` and `--handler`. */
  readonly flags: readonly string[];
  /** The handler is that of `--handler`. */
  readonly isGiven: boolean;
  /** The home keeps the report, so that its findings count. */
  readonly isKept: boolean;
}

const command = (...words: readonly string[]) => `\`${[PROGRAM, ...words].join(" ")}\``;

/** The command that rehearses the same, with another handler where `handler` names one. */
const rehearseAgain = ({ home, flags }: EndingFacts, handler: readonly string[], ...more: readonly string[]): string =>
  command("upgrade rehearse", "--home", shellWord(home), ...flags, ...handler, ...more);

/** The handler that was rehearsed, as it was chosen. */
const sameHandler = ({ handler, isGiven }: EndingFacts): readonly string[] =>
  isGiven ? ["--handler", shellWord(handler)] : [];

export function applies(facts: EndingFacts): Ending {
  const preUpgrade = command("pre-upgrade", "--home", shellWord(facts.home));
  const next = `The chain is as it was: nothing was written to it. Check the program that will run at the height: ${preUpgrade}.`;
  const message = `the upgrade "${visible(facts.plan)}" would apply at height ${facts.height}`;
  return ending(facts, "would apply", 0, "", message, next);
}

/** @param checks names of those with findings that nobody has accepted */
export function appliesWithFindings(facts: EndingFacts, checks: readonly string[]): Ending {
  const message = `the upgrade "${visible(facts.plan)}" would apply at height ${facts.height}, with findings of ${checks.join(", ")}`;
  const next =
    "Read the findings, and report them to the chain's developers while the plan can be cancelled. Findings that are expected are " +
    `accepted by name: ${rehearseAgain(facts, sameHandler(facts), "--accept", checks.join(","))}.` +
    (facts.isKept ? " Until then this node does not count as ready, and the rehearsal is not attested." : "");
  return ending(facts, "would apply with findings", 1, "", message, next);
}

export function endsWith(error: UpgradeError, facts: EndingFacts): Ending {
  return ending(facts, verdictOf(error), error.kind.exit, error.code, error.template, nextOf(error, facts));
}

/** The program's own code failed: a node that runs it exits with the same status at the height. */
const isOfProgram = ({ code }: UpgradeError) => code === "UPG_BUG_MODULE" || code === "UPG_BUG_ENGINE_LIMIT";

/** Exit statuses of errors.md. */
function verdictOf(error: UpgradeError): Verdict {
  const { exit } = error.kind;
  if (exit === 20 || isOfProgram(error)) return "would fail";
  if (exit === 21) return "would be refused";
  return exit >= 10 && exit <= 14 ? "would halt" : "cannot be rehearsed";
}

function nextOf(error: UpgradeError, facts: EndingFacts): string {
  const { code, kind, details } = error;
  const { home, handler, plan } = facts;
  const state = `--state ${shellWord(home)}`;
  const again = rehearseAgain(facts, handler ? ["--handler FILE"] : []);
  const safe = "This chain is as it was: nothing was written.";
  const stops = `${safe} At the height nodes would exit with ${kind.exit}, and nothing of the block would be committed. Report this to the chain's developers now.`;
  const cancel = `While there is time, the plan can be cancelled: ${command("tx upgrade cancel-software-upgrade --help")}.`;
  if (isOfProgram(error)) return `${stops} Rehearse the corrected version of the program: ${again}. ${cancel}`;
  switch (kind.exit) {
    case 20: {
      const look = handler ? ` See where it fails: ${command("handler run", shellWord(handler), state, "--gas")}.` : "";
      return `${stops}${look} Rehearse a corrected one: ${again}. ${cancel}`;
    }
    case 21: {
      const look = handler
        ? ` See all that is wrong with the file: ${command("handler check", shellWord(handler))}.`
        : "";
      return `${safe} Nodes would refuse this handler${plan === "" ? "" : ` for "${visible(plan)}"`} before it runs.${look} Get the file that the plan is for, then ${again}.`;
    }
    case 10: {
      const { other_handlers: others } = details;
      const found = others === undefined ? "" : ` (${visible(others)})`;
      return `${safe} This program has no handler for "${visible(plan)}"${found}: rehearse with the new version of the program, or give the file: ${rehearseAgain(facts, ["--handler FILE"])}.`;
    }
    case 11:
    case 12:
      return `${safe} This program is not the one for this state: rehearse with the version that the plan leads to.`;
    default:
      if (code === "UPG_BUG_NO_RESULT")
        return `${safe} Run it again, and see how it ends: ${rehearseAgain(facts, sameHandler(facts))}.`;
      if (code === "UPG_STORE_UPGRADE") return `${safe} ${storesDiffer(facts, again)}`;
      if (code === "UPG_NOT_FOUND_PLAN")
        return `See what is scheduled: ${command("query upgrade plan", "--home", shellWord(home))}.`;
      return code === "UPG_STORE_FULL"
        ? `${safe} See what fills the disk: \`df -h ${shellWord(`${home}/data`)} "\${TMPDIR:-/tmp}"\`; TMPDIR chooses where a rehearsal writes.`
        : `${safe} docs/errors.md describes ${code}.`;
  }
}

/** Nodes that start at the height refuse these stores as well. */
function storesDiffer({ plan, handler }: EndingFacts, again: string): string {
  const where = handler ? "the manifest of the handler" : `the upgrade "${visible(plan)}" of the program`;
  return (
    `At the height nodes would exit with ${ERROR_KINDS.UPG_STORE_UPGRADE.exit} and would not start again with this program. Correct the ` +
    `storeUpgrades in ${where}: each problem above names a store. Then ${again}.`
  );
}

function ending(
  { program }: EndingFacts,
  verdict: Verdict,
  exit: number,
  code: string,
  ...texts: readonly [message: string, next: string]
): Ending {
  const [message = "", next = ""] = texts.map((text) => completeText(text, program));
  const commands = Array.from(next.matchAll(/`([^`]*)`/g), ([, text = ""]) => text);
  return { verdict, exit, code, message, next, commands };
}
