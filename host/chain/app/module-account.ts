/** A module's own account, as queries and exports show it. */

/** A module as far as its account goes. */
export interface ModuleAccount {
  readonly name: string;
  readonly account?: { readonly permissions: readonly string[] };
}

/** Permissions of a module's account over coins; empty when the chain has no such module. */
export function permissionsOf(modules: readonly ModuleAccount[], name: string): string[] {
  return [...(modules.find((module) => module.name === name)?.account?.permissions ?? [])];
}
