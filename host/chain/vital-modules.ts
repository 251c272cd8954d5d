/**
 * The modules that a chain cannot go on without. Its roots are what every block and every upgrade needs: who checks
 * transactions and takes fees, who says which validators there are, who may schedule an upgrade, and the upgrade module. To these
 * come all that they depend on, and all that those depend on.
 */
import { compareText } from "../bytes.js";
import { UPGRADE_STORE } from "../upgrade/keeper.js";
import { type Module, storesOf } from "./module.js";

/** The module whose account may schedule upgrades. */
export const AUTHORITY_MODULE = "gov";

/** Ascending. */
export function vitalModules(modules: readonly Module[]): string[] {
  const roots = modules.filter(
    (module) =>
      module.ante || module.validators || module.name === AUTHORITY_MODULE || storesOf(module).includes(UPGRADE_STORE),
  );
  const vital = new Set<string>();
  const add = ({ name, dependsOn = [] }: Module): void => {
    if (vital.has(name)) return;
    vital.add(name);
    for (const module of modules) if (dependsOn.includes(module.name)) add(module);
  };
  for (const module of roots) add(module);
  return [...vital].sort(compareText);
}
