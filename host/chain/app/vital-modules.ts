/**
 * The modules that a chain cannot go on without. Its roots are what every block and every upgrade needs: who checks
 * transactions and takes fees, who says which validators there are, who may schedule an upgrade, and the upgrade module. To these
 * come all that they depend on, and all that those depend on.
 */
import { compareText } from "../../base/text/bytes.js";
import { UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import { type Module, storesOf } from "./module.js";

/** The module whose account may schedule upgrades. */
export const AUTHORITY_MODULE = "gov";

const ROOTS: readonly (readonly [why: string, isRoot: (module: Module) => boolean])[] = [
  ["it checks transactions and takes fees", ({ ante }) => ante !== undefined],
  ["it gives validators their power", ({ validators }) => validators !== undefined],
  ["its account schedules upgrades", ({ name }) => name === AUTHORITY_MODULE],
  ["it keeps plans and module versions", (module) => storesOf(module).includes(UPGRADE_STORE)],
];

/** Ascending. */
export function vitalModules(modules: readonly Module[]): string[] {
  return [...vitalReasons(modules).keys()].sort(compareText);
}

/** The vital modules, each with what needs it. */
export function vitalReasons(modules: readonly Module[]): ReadonlyMap<string, readonly string[]> {
  const reasons = new Map<string, string[]>();
  const add = ({ name, dependsOn = [] }: Module, why: string): void => {
    const known = reasons.get(name);
    reasons.set(name, [...(known ?? []), why]);
    if (known) return;
    for (const each of modules) if (dependsOn.includes(each.name)) add(each, `${name} depends on it`);
  };
  for (const [why, isRoot] of ROOTS) for (const module of modules.filter(isRoot)) add(module, why);
  return reasons;
}
