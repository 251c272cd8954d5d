/** `chaind upgrade modules`: the table by which upgrades are judged, with the modules that the chain cannot go on without. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Chain } from "../../../chain/app/chain.js";
import { storesOf } from "../../../chain/app/module.js";
import { vitalReasons } from "../../../chain/app/vital-modules.js";
import type { Context } from "../../flags/context.js";

export function registerModules(group: Cobra, context: Context): void {
  const { chain } = context;
  group
    .command("modules")
    .summary("List the chain's modules, and why upgrades must keep some")
    .description(
      "Lists each module of this program with its version, its stores, whether it\n" +
        "has a probe, and whether it is vital: a handler removes a vital module only\n" +
        "with allows.removeModules. Reads no home.",
    )
    .example("upgrade modules", "upgrade modules -o json")
    .action(async () => {
      const modules = moduleRows(chain);
      await context.print({ modules }, modules.map(moduleText).join("\n"));
    });
}

/** In the order of the chain. */
export function moduleRows({ modules }: Pick<Chain, "modules">) {
  const reasons = vitalReasons(modules);
  return modules.map((module) => ({
    module: module.name,
    version: String(module.consensusVersion),
    stores: storesOf(module),
    has_probe: module.probe !== undefined,
    is_vital: reasons.has(module.name),
    why: reasons.get(module.name) ?? [],
  }));
}

function moduleText({ module, version, stores, has_probe, is_vital, why }: ReturnType<typeof moduleRows>[number]) {
  const facts = [
    `version ${version}`,
    stores.length === 0 ? "no store" : `store ${stores.join(", ")}`,
    ...(has_probe ? ["probe"] : []),
  ];
  const line = `${module}  ${facts.join("; ")}; ${is_vital ? "vital:" : "not vital"}`;
  return [line, ...why.map((each) => `  ${each}`)].join("\n");
}
