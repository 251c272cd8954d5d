/** What a start at the plan's height would open: the handler, its layouts, and the stores before and after in words. */

import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import type { Plan, StoreUpgrades } from "../../base/types/types.js";
import type { App } from "../../chain/app/app.js";
import type { Home } from "../../node/home/home.js";
import { type Program, problemOf } from "../../node/programs/layout.js";
import { stageCommand } from "../../upgrade/module/stage-command.js";
import type { RegisteredHandler } from "../../upgrade/module/upgrade-handler.js";
import { rehearseUpgrade } from "../offline/rehearsal.js";
import { readOnly } from "./program-rows.js";
import type { Row } from "./row.js";

export interface AtPlan {
  readonly app: App;
  readonly plan: Plan;
  readonly home: Home;
  /** Names of the stores of the last commit. */
  readonly stored: readonly string[];
  readonly program: Program | undefined;
  /** The plan pins a handler's file. */
  readonly isPinned: boolean;
}

export function handlerRows(at: AtPlan): Row[] {
  const { app, plan, program, home, isPinned } = at;
  const { state, handler, problem, others, isStaged } = app.keeper.findHandler(plan);
  if (state !== "ready" || !handler) {
    const words = state === "absent" ? `this binary has no handler for the plan "${plan.name}"${others}` : problem;
    const isElsewhere = program !== undefined && problemOf(program, readOnly) === undefined;
    if (isElsewhere) return [{ check: "handler", state: "warning", words: `${words}; ${program.file} takes over` }];
    // The row of the program has what is missing, once.
    if (program && !isPinned && state === "absent")
      return [
        {
          check: "handler",
          state: "warning",
          words: `${words}: the plan's program has it, or a handler file that is staged`,
        },
      ];
    const next = stageCommand(home.stagedFolder);
    return [{ check: "handler", state: "missing", words, next }];
  }
  return [handlerRow(at, handler, isStaged), storesRow(at, handler)];
}

function handlerRow({ app, plan, isPinned }: AtPlan, handler: RegisteredHandler, isStaged: boolean): Row {
  const { wasm } = handler;
  const what = wasm ? `sha256 ${wasm.hash}` : "carried by this binary, in TypeScript";
  try {
    rehearseUpgrade(app, plan, handler);
    const words = `${what}${isStaged ? ", staged" : ""}; its layouts are those of the state`;
    if (!isStaged || isPinned) return { check: "handler", state: "ok", words };
    // Validators with different files would compute different app hashes.
    const unpinned = `${words}; the plan pins no handler, so any file is accepted: compare its SHA-256 with the other validators`;
    return { check: "handler", state: "warning", words: unpinned };
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return { check: "handler", state: "missing", words: `${what}: ${messageOf(error)}` };
  }
}

/** The stores of the new version beside those of the last commit, and beside what the handler says of them. */
function storesRow({ app, stored }: AtPlan, { storeUpgrades }: RegisteredHandler): Row {
  const after = app.multiStore.loaded().names;
  const forgotten = after.filter((name) => !stored.includes(name) && !comes(storeUpgrades, name));
  if (forgotten.length > 0) {
    const words = `the new version has the stores ${forgotten.join(", ")}, and the upgrade does not add them: name them in "added"`;
    return { check: "stores", state: "missing", words };
  }
  const kept = stored.filter((name) => after.includes(name)).length;
  return { check: "stores", state: "ok", words: `${[...changesText(storeUpgrades), `${kept} stay`].join(", ")}` };
}

const comes = ({ added, renamed }: StoreUpgrades, name: string) =>
  added.includes(name) || renamed.some(({ newKey }) => newKey === name);

function changesText({ added, renamed, deleted }: StoreUpgrades): string[] {
  return [
    ...(added.length > 0 ? [`adds ${added.join(", ")}`] : []),
    ...renamed.map(({ oldKey, newKey }) => `renames ${oldKey} to ${newKey}`),
    ...(deleted.length > 0 ? [`deletes ${deleted.join(", ")}`] : []),
  ];
}
