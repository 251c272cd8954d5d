/**
 * The handlers that a process has, by plan: those it runs with, and those that are staged for a height to come. A plan
 * that pins a hash has no other handler than the one with that hash.
 */
import { type ErrorDetails, UpgradeError } from "../../base/errors/errors.js";
import type { Plan } from "../../base/types/types.js";
import type { WasmHandler } from "../handler/handler.js";
import { pinnedHash } from "../plan-info/plan-info.js";
import type { RegisteredHandler } from "./upgrade-handler.js";

/**
 * Is the handler of a plan here, and is it the one that the plan pins? "ambiguous": several staged files serve the
 * plan, which pins none of them. "unfit": it is the right one and the upgrade's block would refuse it on the state of now, or its last
 * rehearsal here failed.
 */
export type HandlerState = (typeof HANDLER_STATES)[number];

export const HANDLER_STATES = ["absent", "ready", "mismatch", "ambiguous", "unfit"] as const;

export interface FoundHandler {
  readonly state: HandlerState;
  /** The one that is meant; of several that do not fit, the first. */
  readonly handler: RegisteredHandler | undefined;
  /** It is a file that waits for the height. */
  readonly isStaged: boolean;
  /** Before its height the process counts as one without this handler: it is staged, or the program carries it so. */
  readonly waits: boolean;
  /** Where it is absent: the staged files that are for other plans, as a clause that begins with "; ". Empty: there are none. */
  readonly others: string;
  /** Why it is not ready, one message without a full stop; empty when it is. */
  readonly problem: string;
  /** The same for machines. */
  readonly details: ErrorDetails;
}

export class HandlerSet {
  readonly #running = new Map<string, RegisteredHandler>();
  #staged: readonly RegisteredHandler[] = [];

  /** @throws UpgradeError UPG_HANDLER_DUPLICATE when the plan has a handler already */
  add(handler: RegisteredHandler): void {
    const { planName } = handler;
    const other = this.#running.get(planName);
    if (other) throw duplicate(planName, [other.wasm, handler.wasm]);
    this.#running.set(planName, handler);
  }

  /** Takes the place of all that were staged before. */
  stage(handlers: readonly RegisteredHandler[]): void {
    this.#staged = handlers;
  }

  get(planName: string): RegisteredHandler | undefined {
    return this.#running.get(planName);
  }

  find({ name, info }: Plan): FoundHandler {
    const own = this.#running.get(name);
    const staged = this.#staged.filter(({ planName }) => planName === name);
    const all = own ? [own, ...staged] : staged;
    const [first] = all;
    const pinned = pinnedHash(info);
    if (!first) {
      const others = this.#others(pinned);
      const problem = `there is no handler for the plan "${name}" here${others}`;
      const details = {
        ...(pinned === undefined ? {} : { pinned_sha256: pinned }),
        ...(others === "" ? {} : { other_handlers: others.slice("; ".length) }),
      };
      return { state: "absent", handler: first, isStaged: false, waits: false, others, problem, details };
    }
    if (pinned !== undefined) {
      const match = all.find(({ wasm }) => wasm?.hash === pinned);
      if (match) return ready(match, match !== own, staged);
      const problem = mismatch(name, pinned, first);
      return {
        ...{ state: "mismatch", handler: first, isStaged: first !== own, waits: first !== own || first.waits },
        ...{ others: "", problem },
        details: { pinned_sha256: pinned },
      };
    }
    const isOne = first === own || new Set(staged.map(({ wasm }) => wasm?.hash)).size === 1;
    if (isOne) return ready(first, first !== own, staged);
    const { message: problem, details } = duplicate(
      name,
      staged.map(({ wasm }) => wasm),
    );
    return { state: "ambiguous", handler: first, isStaged: true, waits: true, others: "", problem, details };
  }

  /** A file is for the plan that its manifest names, whatever the file is called. */
  #others(pinned: string | undefined): string {
    if (this.#staged.length === 0) return "";
    const files = this.#staged.map(
      ({ planName, wasm }) =>
        `the staged file ${wasm?.file ?? ""} is for the plan "${planName}" (sha256 ${wasm?.hash ?? ""})`,
    );
    return `; ${[...files, ...(pinned === undefined ? [] : [`this plan pins sha256 ${pinned}`])].join("; ")}`;
  }
}

/** The program's own waits as well where the same file is staged: so the operator says that the program begins as the old version. */
function ready(handler: RegisteredHandler, isStaged: boolean, staged: readonly RegisteredHandler[]): FoundHandler {
  const isStagedToo = staged.some(({ wasm }) => wasm !== undefined && wasm.hash === handler.wasm?.hash);
  return {
    state: "ready",
    handler,
    isStaged,
    waits: isStagedToo || handler.waits,
    others: "",
    problem: "",
    details: {},
  };
}

function mismatch(name: string, pinned: string, { wasm }: RegisteredHandler): string {
  const here = wasm ? `sha256 ${wasm.hash}` : "a function of this program";
  return `the plan "${name}" pins sha256 ${pinned}, the handler here${wasm?.file === undefined ? "" : ` (${wasm.file})`} is ${here}`;
}

/** Two handlers for one plan: which to remove is the operator's to say, the message names both. */
export function duplicate(
  planName: string,
  handlers: readonly (Pick<WasmHandler, "file" | "hash"> | undefined)[],
): UpgradeError {
  const names = handlers.map((wasm) =>
    wasm ? `${wasm.file ?? "a handler"} (sha256 ${wasm.hash})` : "a function of this program",
  );
  const [file, other] = handlers.map((wasm) => wasm?.file);
  return new UpgradeError(
    "UPG_HANDLER_DUPLICATE",
    `two handlers for the plan "${planName}": ${names.join(" and ")}; keep the one that the plan pins and remove the other`,
    { details: { ...(file === undefined ? {} : { file }), ...(other === undefined ? {} : { other }) } },
  );
}
