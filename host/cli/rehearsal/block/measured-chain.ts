/**
 * A chain whose modules are watched: how long invariants, begin and end blockers take, what they find, and what they write
 * besides the handler. The modules themselves run as they are.
 */

import { asHost } from "../../../base/errors/synchronous.js";
import type { MultiStore } from "../../../base/types/types.js";
import type { Chain } from "../../../chain/app/chain.js";
import type { ModuleContext, ProbeContext } from "../../../chain/app/context.js";
import type { Invariant, Module } from "../../../chain/app/module.js";
import { CacheKVStore } from "../../../state/branch/kv/cache-kv.js";
import type { PhaseClock } from "./phase-clock.js";

export interface InvariantResult {
  readonly module: string;
  readonly name: string;
  /** What is wrong; undefined: it holds. */
  readonly broken: string | undefined;
  readonly millis: number;
}

/** Writes of the upgrade block that are not the handler's. */
export interface OtherWrites {
  readonly module: string;
  readonly hook: "begin block" | "end block";
  readonly store: string;
  /** Calls of `set` and `delete`. */
  readonly writes: number;
}

export class BlockWatch {
  readonly invariants: InvariantResult[] = [];
  readonly otherWrites: OtherWrites[] = [];

  constructor(
    readonly clock: PhaseClock,
    private readonly now: () => number = () => asHost(() => performance.now()),
  ) {}

  watch(chain: Chain): Chain {
    const last = chain.modules.at(-1);
    return { ...chain, modules: chain.modules.map((module) => this.#watched(module, module === last)) };
  }

  #watched(module: Module, isLast: boolean): Module {
    const { name, invariants, probe } = module;
    return {
      ...module,
      ...(invariants ? { invariants: invariants.map((each) => this.#invariant(name, each)) } : {}),
      ...(probe ? { probe: (context) => this.#probe(probe, context) } : {}),
      beginBlock: (context) => this.#hook(module, "begin block", context, module.beginBlock) as undefined,
      endBlock: (context) => {
        const returned = this.#hook(module, "end block", context, module.endBlock);
        if (isLast) this.clock.enter("trees");
        return returned as undefined;
      },
    };
  }

  #invariant(module: string, { name, check }: Invariant): Invariant {
    return {
      name,
      check: (stores) => {
        this.clock.enter("invariants");
        const begun = this.now();
        const broken = check(stores);
        this.invariants.push({ module, name, broken, millis: this.now() - begun });
        return broken;
      },
    };
  }

  #probe(probe: NonNullable<Module["probe"]>, context: ProbeContext): string | undefined {
    this.clock.enter("probes");
    return probe(context);
  }

  #hook(
    { name: module }: Module,
    hook: OtherWrites["hook"],
    context: ModuleContext,
    run: ((context: ModuleContext) => unknown) | undefined,
  ): unknown {
    this.clock.enter(hook);
    if (!run) return undefined;
    const before = writesIn(context.stores);
    const returned = run(context);
    for (const [store, writes] of writesIn(context.stores)) {
      const made = writes - (before.get(store) ?? 0);
      if (made > 0) this.#wrote({ module, hook, store, writes: made });
    }
    // A promise is refused by the block, as it is without a watch.
    return returned;
  }

  /** A hook that promises no bound runs twice; its writes are those of one run. */
  #wrote(made: OtherWrites): void {
    const isSame = ({ module, hook, store }: OtherWrites) =>
      module === made.module && hook === made.hook && store === made.store;
    const at = this.otherWrites.findIndex(isSame);
    if (at < 0) this.otherWrites.push(made);
    else this.otherWrites[at] = made;
  }
}

function writesIn(stores: MultiStore): Map<string, number> {
  const counts = stores.names.map((name): [string, number] => {
    const store = stores.store(name);
    return [name, store instanceof CacheKVStore ? store.writes : 0];
  });
  return new Map(counts);
}
