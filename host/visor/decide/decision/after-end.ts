/** What the end of the application means, where no plan is due. Pure. */
import { ERROR_KINDS, type ErrorCause } from "../../../base/errors/errors.js";
import { shellWord } from "../../../base/text/shell-word.js";
import type { ProcessEnd } from "../machine.js";
import { type ProgramEnd, programEnd } from "../program-end.js";
import type { Settings } from "../settings.js";

export type AfterEnd =
  /** Nothing is left to do; `exit` is the sidecar's. */
  | { readonly kind: "finished"; readonly exit: number; readonly why: string }
  /** The same program again, at once. */
  | { readonly kind: "again"; readonly why: string }
  | { readonly kind: "crashed"; readonly exit: number; readonly why: string }
  /** The new version does not apply the upgrade: the operator's policy decides. */
  | { readonly kind: "refused"; readonly exit: number; readonly why: string; readonly cause: ErrorCause }
  /** A start again would end the same way. */
  | { readonly kind: "failed"; readonly exit: number; readonly why: string };

const ANY_FAILURE = 1;

/** A genesis document with an app version that the program does not know: another program has it. */
export const isOfOtherVersion = (message: string): boolean => /\bapp version \d+, this program knows\b/.test(message);

export interface EndContext {
  readonly isOurs: boolean;
  /** The height that it has come to is the operator's own `--halt-height`; false: the sidecar's. */
  readonly isOwnHeight: boolean;
  /** The error that it has left, in its record or in the file for its last error. */
  readonly said?: { readonly code: string; readonly message: string } | undefined;
  /** The program's name and its home, for commands. */
  readonly settings: Pick<Settings, "name" | "home">;
  /** The end in words. */
  readonly text: string;
}

export function afterEnd({ exit, error }: ProcessEnd, context: EndContext): AfterEnd {
  const { isOurs, isOwnHeight, said, text } = context;
  if (error) return { kind: "failed", exit: ANY_FAILURE, why: text };
  if (exit === 0) return { kind: "finished", exit, why: "the application has ended with 0" };
  const program = isOurs && exit !== null ? programEnd(exit, said?.code) : undefined;
  if (exit === null || !program) return { kind: "crashed", exit: exit ?? ANY_FAILURE, why: text };
  const { remedy, isRefusal, cause } = program;
  if (remedy === "again") return { kind: "again", why: `it asks to be started again (${exit})` };
  if (remedy === "done" && !isOwnHeight)
    return { kind: "again", why: `the height that it was to stop at is no plan's any more (${exit})` };
  if (remedy === "done") return { kind: "finished", exit, why: `the height of --halt-height is reached (${exit})` };
  const reason = said ? `: ${said.message.replace(/\.$/, "")} [${said.code}]` : "";
  const why = `${text}${reason}: ${needs(program, context)}`;
  if (remedy === "retry") return { kind: "crashed", exit, why };
  return isRefusal ? { kind: "refused", exit, why, cause } : { kind: "failed", exit, why };
}

/** What the end needs, by its cause. */
function needs({ cause, code }: ProgramEnd, { settings, said }: EndContext): string {
  const { name, home } = settings;
  const means = code === undefined ? "" : ` ${ERROR_KINDS[code].means}`;
  switch (cause) {
    case "state":
      // Another node may start: this home may lack the genesis document of its chain.
      if (code === "UPG_INVALID_GENESIS") {
        const isOfVersion = isOfOtherVersion(said?.message ?? "");
        return isOfVersion
          ? "the chain needs a program for its app version"
          : `the genesis document needs a change.${means}`;
      }
      return `every node with this state and these files fails alike, so it is not started again unchanged.${means}`;
    case "local":
      return `this machine's settings, files, programs or disk need a change`;
    case "bug":
      return (
        `a defect of the program.${means} Please report it where you got the program, with the archive that ` +
        `\`${shellWord(name)} rescue --home ${shellWord(home)}\` writes.`
      );
  }
}
