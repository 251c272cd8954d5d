/** The validators that a chain's state gives power to, and what a block changed of them. */
import { toHex } from "../bytes.js";
import { TOTAL_POWER_MAX } from "../comet/validator-set.js";
import type { ValidatorUpdate } from "../comet/validator-updates.js";
import { UpgradeError } from "../errors.js";
import type { CacheMultiStore } from "../types.js";
import { isWritten } from "../upgrade/guards.js";
import { hasStores } from "./block.js";
import type { GenesisFacts } from "./genesis/genesis.js";
import { type Module, type ReadableStores, storesOf } from "./module.js";

const giverIn = (modules: readonly Module[], stores: Pick<ReadableStores, "names">): Module | undefined =>
  modules.find((module) => module.validators && hasStores(module, stores));

/** Those of a chain's state, as its blocks go on. */
export class StateValidators {
  /** Of the last block that ran; undefined: not read yet. */
  #last: readonly ValidatorUpdate[] | undefined;

  constructor(
    private readonly modules: readonly Module[],
    private readonly genesis: Pick<GenesisFacts, "stakingParams">,
  ) {}

  /** Reads those that a chain begins with. */
  begin(stores: ReadableStores): void {
    this.#last = this.#read(stores) ?? [];
  }

  /** Whom the state gives power, the greatest first; undefined: no module of it gives any, so that they stay who they are. */
  of(committed: () => ReadableStores): readonly ValidatorUpdate[] | undefined {
    this.#last ??= this.#read(committed());
    return this.#last;
  }

  /** What a block changed that wrote to `branch`. It is read only where it may differ. */
  update(branch: CacheMultiStore, committed: () => ReadableStores, isApplied: boolean): ValidatorUpdate[] {
    const before = this.of(committed) ?? [];
    const giver = giverIn(this.modules, branch);
    const mayDiffer = isApplied || (giver && storesOf(giver).some((name) => isWritten(branch, name)));
    const after = (mayDiffer ? this.#read(branch) : undefined) ?? before;
    this.#last = after;
    return updatesBetween(before, after);
  }

  #read(stores: ReadableStores): readonly ValidatorUpdate[] | undefined {
    const giver = giverIn(this.modules, stores);
    const given = giver?.validators?.(stores, this.genesis);
    if (giver && given) requireValid(giver.name, given);
    return given;
  }
}

/**
 * What breaks the rules of `Module.validators` would be one thing in updates and another where the whole list is read, so
 * that a node which was stopped would go on with other validators.
 * @throws UpgradeError UPG_INVALID_ARGUMENT naming the module
 */
function requireValid(module: string, given: readonly ValidatorUpdate[]): void {
  const seen = new Set<string>();
  for (const each of given) {
    const key = keyOf(each);
    const { power } = each;
    if (typeof power !== "bigint" || power < 1n || power > TOTAL_POWER_MAX) {
      throw wrong(module, `gives ${key} the power ${power}: one has a bigint from 1 to ${TOTAL_POWER_MAX}`);
    }
    if (seen.has(key)) throw wrong(module, `gives power to ${key} twice`);
    seen.add(key);
  }
}

function wrong(module: string, what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `validators() of module "${module}" ${what}`);
}

/** In the Cosmos SDK's order: new powers, greatest first, then those who have none left (0n). */
function updatesBetween(before: readonly ValidatorUpdate[], after: readonly ValidatorUpdate[]): ValidatorUpdate[] {
  if (before === after) return [];
  const powers = new Map(before.map((each) => [keyOf(each), each.power]));
  const changed = after.filter((each) => powers.get(keyOf(each)) !== each.power);
  const staying = new Set(after.map(keyOf));
  const gone = before.filter((each) => !staying.has(keyOf(each))).map(({ publicKey }) => ({ publicKey, power: 0n }));
  return [...changed, ...gone];
}

const keyOf = ({ publicKey: { type, bytes } }: ValidatorUpdate): string => `${type} ${toHex(bytes)}`;
