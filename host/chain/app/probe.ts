/**
 * The probes of an upgrade: each module uses the state that the handler left, on a branch that is dropped whatever happens, and the
 * next set of validators is computed. A state on which the chain could not go on is refused before anything is written.
 * Probes are part of consensus (docs/abi.md): nothing of them reaches state, events or gas.
 */

import { rethrowEngineLimit } from "../../base/errors/engine-limit.js";
import { UpgradeError } from "../../base/errors/errors.js";
import { callModule } from "../../base/errors/synchronous.js";
import { utf8 } from "../../base/text/bytes.js";
import { briefMessageOf } from "../../base/text/text.js";
import { PROBE_GAS_MAX } from "../../base/types/limits.js";
import type { MultiStore } from "../../base/types/types.js";
import { FaultLog, FaultyStores } from "../../state/branch/kv/store-faults.js";
import { failureOf } from "../../upgrade/module/halt.js";
import type { AppliedUpgrade, Probes } from "../../upgrade/module/hooks.js";
import { storesBefore } from "../../upgrade/module/module-table.js";
import { GasMeter, GasMultiStore } from "../values/gas.js";
import { JsonReader } from "../values/json-reader.js";
import { type ModuleFacts, moduleContext, type ProbeContext } from "./context.js";
import { type Module, storesOf } from "./module.js";
import { readValidators } from "./validators.js";
import { layoutOf } from "./versions/version.js";

const ADDRESS_BYTES = 20;

interface Probed {
  readonly modules: readonly Module[];
  readonly facts: Omit<ModuleFacts, "consumeGas">;
  /** The block's branch, with all that the upgrade wrote. */
  readonly branch: MultiStore;
  /** The stores as the store loader left them. */
  readonly base: MultiStore;
  readonly applied: AppliedUpgrade;
}

/** @throws UpgradeError UPG_MIGRATION_PROBE naming the module and why; what a store throws for this machine alone, as it is */
export function runProbes(probed: Probed): Probes {
  const { modules, applied } = probed;
  const runsBefore = runningModules(probed, applied.versionsBefore, storesBeforeUpgrade(probed));
  const runsAfter = runningModules(probed, applied.versionsAfter, probed.branch.names);
  const parts = modules.filter((module) => module.probe || module.validators);
  const passed = parts.filter((module) => isWhole(module, modules, runsAfter));
  const skipped = parts.filter((module) => !passed.includes(module) && isWhole(module, modules, runsBefore));
  for (const module of passed) probe(module, probed, runsBefore.has(module.name));
  return { passed: passed.map(({ name }) => name), skipped: skipped.map(({ name }) => name) };
}

const storesBeforeUpgrade = ({ branch, applied }: Probed): string[] =>
  storesBefore(branch.names, applied.handler.storeUpgrades);

/** Modules of a version map with code for it. One of a lower layout may have its records in stores of other names. */
function runningModules(
  { modules, facts }: Probed,
  versions: AppliedUpgrade["versionsAfter"],
  stores: readonly string[],
): Set<string> {
  const running = modules.filter((module) => {
    const { name, consensusVersion } = module;
    const layout = layoutOf(facts.version, name);
    const hasStores = storesOf(module).every((store) => stores.includes(store));
    return versions.has(name) && layout > 0n && (hasStores || layout < consensusVersion);
  });
  return new Set(running.map(({ name }) => name));
}

/** The module runs, and so do those of the chain that it depends on. */
function isWhole(
  { name, dependsOn = [] }: Module,
  modules: readonly Module[],
  running: ReadonlySet<string>,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  if (!running.has(name)) return false;
  const within = new Set([...seen, name]);
  const needed = modules.filter((each) => dependsOn.includes(each.name) && !within.has(each.name));
  return needed.every((each) => isWhole(each, modules, running, within));
}

function probe(module: Module, probed: Probed, ranBefore: boolean): void {
  const { plan, handler } = probed.applied;
  const faults = new FaultLog();
  let problem: string | undefined;
  try {
    problem = problemOf(module, probed, { faults, ranBefore });
  } catch (error) {
    rethrowEngineLimit(error);
    problem = briefMessageOf(error);
  }
  faults.rethrow();
  if (problem === undefined) return;
  const what =
    `after "${plan.name}" the probe of module ${module.name} failed: ${problem}. Nothing was written. The handler must ` +
    `leave a state on which ${module.name} works`;
  throw failureOf(new UpgradeError("UPG_MIGRATION_PROBE", what), plan, handler.wasm);
}

interface Run {
  readonly faults: FaultLog;
  readonly ranBefore: boolean;
}

function problemOf(module: Module, probed: Probed, { faults, ranBefore }: Run): string | undefined {
  const meter = new GasMeter(PROBE_GAS_MAX);
  const stores = new GasMultiStore(new FaultyStores(probed.branch, faults).branch(), meter);
  const problem = callModule(`the probe of module ${module.name}`, () =>
    module.probe?.(probeContext(probed, stores, meter)),
  );
  if (problem !== undefined || !module.validators) return problem;
  const before = new GasMultiStore(new FaultyStores(probed.base, faults), meter);
  return validatorProblem(module, probed, { stores, before: ranBefore ? before : undefined });
}

function probeContext({ facts }: Probed, stores: MultiStore, meter: GasMeter): ProbeContext {
  const { chainId, height, time, sha256 } = facts;
  const consumeGas: ModuleFacts["consumeGas"] = (amount, location) => meter.consume(amount, location);
  return {
    ...moduleContext({ ...facts, consumeGas }, stores, []),
    // The time of a block is known to nobody before it: an account of this address cannot be made in advance.
    unusedAddress: (label) =>
      sha256(utf8(`probe\0${chainId}\0${height}\0${time.seconds}.${time.nanos}\0${label}`)).slice(0, ADDRESS_BYTES),
  };
}

interface PowerStates {
  /** As the module's probe left them. */
  readonly stores: MultiStore;
  /** Undefined: the module did not run before the upgrade. */
  readonly before: MultiStore | undefined;
}

/** Somebody had power before, and nobody has it now: no block could follow. */
function validatorProblem(module: Module, { facts }: Probed, { stores, before }: PowerStates): string | undefined {
  const stakingParams = new JsonReader(facts.constants.stakingParams ?? {}, "app_state.staking.params");
  const next = readValidators(module, stores, { stakingParams });
  if (next?.length !== 0 || before === undefined || hadNobody(() => readValidators(module, before, { stakingParams })))
    return undefined;
  return "no validator would have power in the next block";
}

/** Records of a layout that the code does not read any more are somebody's. */
function hadNobody(read: () => readonly unknown[] | undefined): boolean {
  try {
    return (read() ?? []).length === 0;
  } catch (error) {
    rethrowEngineLimit(error);
    return false;
  }
}
