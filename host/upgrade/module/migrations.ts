/**
 * RunMigrations for handlers in TypeScript: each module declares a consensus version and one migration for each step
 * n → n+1; modules that are new begin with their genesis. The order is fixed.
 */

import { rethrowEngineLimit } from "../../base/errors/engine-limit.js";
import { BUG_NOTE, isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { callModule, synchronous } from "../../base/errors/synchronous.js";
import { compareText } from "../../base/text/bytes.js";
import { briefMessageOf } from "../../base/text/text.js";
import { UINT64_MAX } from "../../base/types/limits.js";
import type { VersionMap } from "../../base/types/types.js";
import { requireNoData } from "./guards.js";
import type { UpgradeContext } from "./upgrade-handler.js";

export type Migration = (context: UpgradeContext) => void;

export interface MigratableModule {
  readonly name: string;
  /** Version of its state in this binary; at least 1. */
  readonly consensusVersion: bigint;
  /** Names of its stores. Default: one, named like the module. */
  readonly stores?: readonly string[];
  /** Writes its default state when it is new. */
  initGenesis?(context: UpgradeContext): void;
}

/** What runMigrations reached in a run: the handler must return it. */
const REACHED = new WeakMap<UpgradeContext, Map<string, bigint>>();

export function reachedVersions(context: UpgradeContext): VersionMap {
  return REACHED.get(context) ?? new Map();
}

/**
 * The modules of an app and their migrations: each module has a consensus version and a migration for each step n → n + 1.
 *
 * @example
 * const modules = new ModuleManager({ name: "notes", consensusVersion: 2n });
 * modules.registerMigration("notes", 1n, (context) => context.log("info", "notes 1 → 2"));
 * console.log(modules.versionMap); // → Map(1) { 'notes' => 2n }
 */
export class ModuleManager {
  readonly #modules = new Map<string, MigratableModule>();
  readonly #migrations = new Map<string, Map<bigint, Migration>>();
  #order: readonly string[] | undefined;

  /** @throws UpgradeError UPG_INVALID_ARGUMENT for a module without a name or version, or that is there twice */
  constructor(...modules: readonly MigratableModule[]) {
    for (const module of modules) {
      const { name, consensusVersion: version } = module;
      if (typeof name !== "string" || name === "") throw invalid(`a module has a name, got ${JSON.stringify(name)}`);
      if (typeof version !== "bigint" || version < 1n || version > UINT64_MAX) {
        throw invalid(
          `module ${name} has consensus version ${String(version)}; it is a bigint from 1 to ${UINT64_MAX}`,
        );
      }
      if (this.#modules.has(name)) throw invalid(`module ${name} is there twice`);
      this.#modules.set(name, module);
    }
  }

  /** Versions of this binary's modules. */
  get versionMap(): Map<string, bigint> {
    return new Map([...this.#modules.values()].map(({ name, consensusVersion }) => [name, consensusVersion]));
  }

  /**
   * Registers the step `fromVersion` → `fromVersion` + 1.
   * @throws UpgradeError UPG_INVALID_ARGUMENT
   */
  registerMigration(module: string, fromVersion: bigint, migration: Migration): void {
    if (fromVersion < 1n) throw invalid("module migration versions should start at 1: invalid version");
    if (typeof fromVersion !== "bigint" || typeof migration !== "function") {
      throw invalid(`a migration of module ${module} is from a version, a bigint, and a function`);
    }
    if (!this.#modules.has(module)) throw invalid(`there is no module ${module} to migrate`);
    const steps = this.#migrations.get(module) ?? new Map<bigint, Migration>();
    if (steps.has(fromVersion)) {
      throw invalid(
        `another migration for module ${module} and version ${fromVersion} already exists: internal logic error`,
      );
    }
    steps.set(fromVersion, migration);
    this.#migrations.set(module, steps);
  }

  /** Without it: by name, `auth` last. @throws UpgradeError UPG_INVALID_ARGUMENT unless it names each module once */
  setOrderMigrations(...names: readonly string[]): void {
    const isComplete = names.length === this.#modules.size && new Set(names).size === names.length;
    if (!isComplete || !names.every((name) => this.#modules.has(name))) {
      throw invalid("the order of migrations must name every module exactly once");
    }
    this.#order = names;
  }

  /**
   * Brings every module from its version in `from` to its own, and returns the new version map.
   * @throws UpgradeError UPG_MIGRATION_STUCK when a step is missing, UPG_MIGRATION_VERSION_MAP when a version would go down
   */
  runMigrations(context: UpgradeContext, from: VersionMap): Map<string, bigint> {
    for (const name of this.#order ?? defaultOrder([...this.#modules.keys()])) {
      const module = this.#modules.get(name) as MigratableModule;
      const version = from.get(name);
      if (version === undefined) {
        requireNoData(context.stores, name, module.stores ?? [name], "runMigrations");
        context.log("info", `adding a new module: ${name}`);
        named(`module ${name}, its genesis`, `genesis of module ${name}`, () => module.initGenesis?.(context));
      } else this.#migrate(context, module, version);
    }
    REACHED.set(context, new Map([...reachedVersions(context), ...this.versionMap]));
    return this.versionMap;
  }

  #migrate(context: UpgradeContext, { name, consensusVersion }: MigratableModule, from: bigint): void {
    if (from > consensusVersion) {
      throw new UpgradeError(
        "UPG_MIGRATION_VERSION_MAP",
        `module ${name} would go down from version ${from} to ${consensusVersion}`,
      );
    }
    const steps = this.#migrations.get(name);
    if (from < consensusVersion && !steps) {
      throw new UpgradeError("UPG_MIGRATION_STUCK", `no migrations found for module ${name}: not found`);
    }
    for (let version = from; version < consensusVersion; version++) {
      const step = steps?.get(version);
      if (!step) {
        throw new UpgradeError(
          "UPG_MIGRATION_STUCK",
          `no migration found for module ${name} from version ${version} to version ${version + 1n}: not found`,
        );
      }
      context.log("info", `migrating module ${name} from version ${version} to version ${version + 1n}`);
      const range = `from version ${version} to version ${version + 1n}`;
      named(`module ${name}, ${range}`, `the migration of module ${name} ${range}`, () => step(context));
    }
  }
}

/** Does an error of a handler or a step end the block with its own code? A failed assertion of theirs is a failure like any other. */
export const keepsCode = (cause: unknown): cause is UpgradeError =>
  isUpgradeError(cause) && /^UPG_(?:MIGRATION|HANDLER|STORE|BUG(?!_ASSERT))_/.test(cause.code);

/** The message of what a handler or a step threw. */
export const thrownText = (cause: unknown): string => briefMessageOf(cause).replace(BUG_NOTE, "");

/**
 * What a step ends with says which step it was. As a handler does, a step may return an Error to fail.
 * @param what the function, as the messages of `callModule` name it
 */
function named(which: string, what: string, run: () => unknown): void {
  try {
    const returned = callModule(what, () => synchronous("the step", run()));
    if (returned instanceof Error) throw returned;
  } catch (cause) {
    rethrowEngineLimit(cause);
    const message = `${which}: ${thrownText(cause)}`;
    if (!keepsCode(cause)) throw new UpgradeError("UPG_MIGRATION_FAILED", message, { cause });
    throw new UpgradeError(cause.code, message, { cause, details: cause.details });
  }
}

function invalid(message: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", message);
}

function defaultOrder(names: readonly string[]): string[] {
  const sorted = names.filter((name) => name !== "auth").sort(compareText);
  return names.includes("auth") ? [...sorted, "auth"] : sorted;
}
