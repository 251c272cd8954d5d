/** What state gives the engine: who has power over blocks, and the parameters of consensus. */

import type { CacheMultiStore, Height } from "../../base/types/types.js";
import { isWritten } from "../../upgrade/module/guards.js";
import type { AppliedUpgrade } from "../../upgrade/module/hooks.js";
import {
  type ConsensusParams,
  validateConsensusParams,
  validateParamsUpdate,
} from "../comet-types/consensus-params.js";
import type { ValidatorUpdate } from "../comet-types/validator-updates.js";
import { genesisParams } from "./genesis/consensus-params.js";
import type { GenesisFacts } from "./genesis/genesis-facts.js";
import { callGiver, HookCalls } from "./hooks/hook-calls.js";
import { type Module, storesOf } from "./module.js";
import { StateValue } from "./state-value.js";
import { readValidators, updatesBetween, type Validators } from "./validators.js";
import { type GivingState, isRunning } from "./versions/running.js";

/** What a block changed of it. */
export interface GivenUpdates {
  /** The validators whose power is another since the block before; 0n: they have none. */
  readonly validatorUpdates: readonly ValidatorUpdate[];
  /** In force from the next block on; undefined: the block changed nothing of them. */
  readonly paramUpdates: ConsensusParams | undefined;
}

/** The state of a block that ran and is not committed. */
interface RanState extends GivingState {
  readonly stores: CacheMultiStore;
  readonly height: Height;
  /** An upgrade: any module may give another value now. */
  readonly applied: AppliedUpgrade | undefined;
}

/** The parameters that a state gives; those of genesis where no module of it gives any. */
export function paramsOf(modules: readonly Module[], state: GivingState, genesis: ConsensusParams): ConsensusParams {
  const giver = giverIn(modules, state, "consensusParams");
  const given =
    giver &&
    callGiver(`consensusParams() of module "${giver.name}"`, state.stores, (own) =>
      giver.consensusParams?.(own, genesis),
    );
  return given ?? genesis;
}

/** Where the chain begins, and with which parameters. */
export interface FirstParams {
  readonly initialHeight: Height;
  readonly params: ConsensusParams;
}

/**
 * In force for the block at a height: what the state after the block before it gives, which must be kept where a module gives any.
 * @param after the state as a block left it
 * @throws UpgradeError UPG_NOT_FOUND_VERSION
 */
export function paramsFor(
  modules: readonly Module[],
  { initialHeight, params }: FirstParams,
  height: Height,
  after: (height: Height) => GivingState,
): ConsensusParams {
  const areOfGenesis = height <= initialHeight || modules.every(({ consensusParams }) => consensusParams === undefined);
  return areOfGenesis ? params : paramsOf(modules, after(height - 1n), params);
}

export class GivenByState {
  readonly #validators: StateValue<Validators | undefined>;
  readonly #params: StateValue<ConsensusParams>;
  readonly genesisParams: ConsensusParams;

  constructor(
    private readonly modules: readonly Module[],
    private readonly genesis: Pick<GenesisFacts, "stakingParams" | "consensusParams" | "appVersion" | "initialHeight">,
  ) {
    this.genesisParams = genesisParams(genesis);
    this.#validators = new StateValue((state) =>
      readValidators(giverIn(modules, state, "validators"), state.stores, genesis),
    );
    this.#params = new StateValue((state) => paramsOf(modules, state, this.genesisParams));
  }

  /** Of the state that a chain begins with. */
  begin(state: GivingState): { readonly validators: Validators; readonly params: ConsensusParams } {
    return { validators: this.#validators.begin(state) ?? [], params: this.#params.begin(state) };
  }

  /** Whom the last commit gives power, the greatest first; undefined: no module gives any, so that they stay who they are. */
  validators(committed: () => GivingState): Validators | undefined {
    return this.#validators.of(committed);
  }

  /** In force for the block after the last commit. */
  params(committed: () => GivingState): ConsensusParams {
    return this.#params.of(committed);
  }

  /** In force for any block. @throws UpgradeError UPG_NOT_FOUND_VERSION where the state before it is not kept */
  paramsFor(height: Height, after: (height: Height) => GivingState): ConsensusParams {
    const { initialHeight } = this.genesis;
    return paramsFor(this.modules, { initialHeight, params: this.genesisParams }, height, after);
  }

  /** Returns what a block changed. @throws UpgradeError UPG_MIGRATION_HOOK or UPG_BUG_MODULE, which names the value that breaks a rule */
  update(ran: RanState, committed: () => GivingState): GivenUpdates {
    const hooks = new HookCalls(ran, ran.stores);
    return hooks.call("what modules give the engine", () =>
      this.#update(ran, { ...ran, stores: hooks.read }, committed),
    );
  }

  #update(ran: RanState, after: Omit<RanState, "stores"> & GivingState, committed: () => GivingState): GivenUpdates {
    const mayDiffer = (kind: "validators" | "consensusParams"): boolean => {
      const giver = giverIn(this.modules, after, kind);
      return (
        after.applied !== undefined ||
        (giver !== undefined && storesOf(giver).some((name) => isWritten(ran.stores, name)))
      );
    };
    const powers = this.#validators.after(after, committed, mayDiffer("validators"));
    const params = this.#params.after(after, committed, mayDiffer("consensusParams"));
    const isOther = params.after !== params.before && !isSame(params.after, params.before);
    if (isOther) {
      validateConsensusParams(params.after);
      validateParamsUpdate(params.before, params.after, after.height);
    }
    return {
      // A state without a module that gives power leaves everybody theirs.
      validatorUpdates: powers.after ? updatesBetween(powers.before ?? [], powers.after) : [],
      paramUpdates: isOther ? params.after : undefined,
    };
  }

  commit(): void {
    this.#validators.commit();
    this.#params.commit();
  }

  drop(): void {
    this.#validators.drop();
    this.#params.drop();
  }

  /** The last commit is another one, which nothing ran. */
  forget(): void {
    this.#validators.forget();
    this.#params.forget();
  }
}

function giverIn(
  modules: readonly Module[],
  state: GivingState,
  kind: "validators" | "consensusParams",
): Module | undefined {
  return modules.find((module) => module[kind] && isRunning(module, state));
}

function isSame(a: ConsensusParams, b: ConsensusParams): boolean {
  return (
    a.block.maxBytes === b.block.maxBytes &&
    a.block.maxGas === b.block.maxGas &&
    a.evidence.maxAgeBlocks === b.evidence.maxAgeBlocks &&
    a.evidence.maxAgeNanos === b.evidence.maxAgeNanos &&
    a.evidence.maxBytes === b.evidence.maxBytes &&
    a.validator.publicKeyTypes.join() === b.validator.publicKeyTypes.join() &&
    a.version.app === b.version.app &&
    a.abci.voteExtensionsHeight === b.abci.voteExtensionsHeight
  );
}
