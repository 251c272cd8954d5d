/** What a chain's author promises of the depth of its functions: code without a promise is tried on less stack (`stack-trial.ts`). */

interface Promising {
  readonly isBounded?: boolean;
  readonly messages?: readonly { readonly isBounded: boolean; readonly runsMessages: boolean }[];
  readonly beginBlock?: unknown;
  readonly endBlock?: unknown;
  readonly migrations?: unknown;
  readonly genesis?: unknown;
}

interface PromisingUpgrade {
  readonly isBounded?: boolean;
  readonly handler?: unknown;
}

/** Is there code whose depth a user or state may choose? @param migrate the handler that runs the modules' migrations alone */
export function mayRecurse(
  { modules, upgrades }: { readonly modules: readonly Promising[]; readonly upgrades: readonly PromisingUpgrade[] },
  migrate: unknown,
): boolean {
  return (
    modules.some(({ messages = [] }) => messages.some((kind) => !kind.isBounded && !kind.runsMessages)) ||
    modules.some(({ isBounded, beginBlock, endBlock }) => !isBounded && (beginBlock ?? endBlock) !== undefined) ||
    upgrades.some((upgrade) => upgrade.handler && !isBoundedUpgrade(upgrade, modules, migrate))
  );
}

/** Where the handler is `migrate`, the promises of the modules are its own. */
export function isBoundedUpgrade(
  { isBounded, handler }: PromisingUpgrade,
  modules: readonly Promising[],
  migrate: unknown,
): boolean {
  const runsNothing = ({ migrations, genesis }: Promising) => migrations === undefined && genesis === undefined;
  return isBounded ?? (handler === migrate && modules.every((module) => module.isBounded || runsNothing(module)));
}
