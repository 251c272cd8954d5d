/** Random histories of a chain on the core and on a model of it: decisions, refusals and the raw store after each step. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Decision, Plan } from "../../host/base/types/types.js";
import type { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";
import type { Core } from "../../host/upgrade/core/core.js";
import { codeOf, describeCores, dump, storeOf } from "./cores.js";
import { Model, type Process } from "./model.js";

const PLAN_NAMES = ["v1", "v2", "v3", "v", "é", "n".repeat(140)];
const MODULES = ["auth", "bank", "ba", "gov", "é", "m".repeat(140)];

type Step =
  | { readonly op: "schedule"; readonly plan: Plan; readonly ahead: bigint }
  | { readonly op: "cancel" }
  | { readonly op: "block"; readonly by: bigint; readonly change: Change }
  | { readonly op: "restart"; readonly handlers: readonly string[]; readonly skips: readonly bigint[] };

/** What a handler makes of the version map. */
interface Change {
  readonly bumps: readonly (readonly [module: string, by: bigint])[];
  readonly drops: readonly string[];
  readonly removes: readonly string[];
}

const small = (min: bigint, max: bigint) => fc.bigInt(min, max);
const rarely = <T>(common: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: common, weight: 12 }, { arbitrary: odd, weight: 1 });
const plan: fc.Arbitrary<Plan> = fc
  .record({
    name: rarely(fc.constantFrom(...PLAN_NAMES), fc.constantFrom("", "n".repeat(141), "a\n", "\ud800")),
    info: rarely(fc.constantFrom("", "info", '{"binaries":{}}'), fc.constantFrom("x".repeat(65_537), "\udc00")),
    flaw: rarely(
      fc.constant({}),
      fc.constantFrom(
        { time: { seconds: 0n, nanos: 0 } },
        { upgradedClientState: { typeUrl: "/a", value: new Uint8Array() } },
      ),
    ),
  })
  .map(({ flaw, ...rest }) => ({ ...rest, ...flaw, height: 0n }));
const change: fc.Arbitrary<Change> = fc.record({
  bumps: fc.array(fc.tuple(fc.constantFrom(...MODULES), rarely(small(0n, 3n), small(-2n, -1n))), { maxLength: 4 }),
  drops: rarely(fc.constant<string[]>([]), fc.subarray(MODULES, { maxLength: 2 })),
  removes: rarely(fc.constant<string[]>([]), fc.subarray(MODULES, { maxLength: 2 })),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ op: fc.constant("schedule" as const), plan, ahead: small(-2n, 5n) }), weight: 4 },
  { arbitrary: fc.record({ op: fc.constant("cancel" as const) }), weight: 1 },
  {
    arbitrary: fc.record({ op: fc.constant("block" as const), by: rarely(fc.constant(1n), small(2n, 4n)), change }),
    weight: 10,
  },
  {
    arbitrary: fc.record({
      op: fc.constant("restart" as const),
      handlers: fc.subarray(PLAN_NAMES),
      skips: fc.array(small(1n, 60n), { maxLength: 12 }),
    }),
    weight: 4,
  },
);

/** One chain, played on the core and on the model at once. */
class History {
  readonly store: MemoryKVStore = storeOf();
  readonly model = new Model();
  #height = 0n;
  #process: Process = { handlers: new Set(), skipHeights: new Set(), isFirstBlock: true };
  #isHalted = false;

  constructor(
    private readonly core: Core,
    private readonly seen: Set<string>,
  ) {}

  run(step: Step): void {
    if (step.op === "restart") {
      this.#process = { handlers: new Set(step.handlers), skipHeights: new Set(step.skips), isFirstBlock: true };
      this.#isHalted = false;
    } else if (!this.#isHalted) {
      if (step.op === "schedule") this.#schedule({ ...step.plan, height: this.#height + step.ahead });
      else if (step.op === "cancel") this.#cancel();
      else this.#block(this.#height + step.by, step.change);
    }
    expect(dump(this.store)).toEqual(this.model.dump());
  }

  #schedule(plan: Plan): void {
    const code = codeOf(() => this.core.schedule(this.store, this.#height, plan));
    expect(code).toBe(this.model.schedule(this.#height, plan));
    this.seen.add(code ?? "scheduled");
  }

  #cancel(): void {
    this.core.clear(this.store);
    this.model.plan = undefined;
  }

  #block(height: bigint, change: Change): void {
    const { handlers, skipHeights, isFirstBlock } = this.#process;
    const name = this.core.plan(this.store)?.name;
    const last = this.core.lastDone(this.store)?.name;
    const decision = this.core.preBlock(this.store, height, {
      hasHandler: name !== undefined && handlers.has(name),
      hasLastHandler: last !== undefined && handlers.has(last),
      isSkipHeight: skipHeights.has(height),
      isFirstBlock,
    });
    expect(decision).toBe(this.model.decide(height, this.#process));
    this.seen.add(decision);
    this.#isHalted = decision.startsWith("Halt") || !this.#carryOut(decision, height, change);
    if (this.#isHalted) return;
    this.#height = height;
    this.#process.isFirstBlock = false;
  }

  /** False when the handler's result was refused: the process ends. */
  #carryOut(decision: Decision, height: bigint, change: Change): boolean {
    if (decision === "Skip") this.#cancel();
    if (decision !== "Apply") return true;
    const versions = new Map(this.model.versions);
    for (const [module, by] of change.bumps) {
      const version = (versions.get(module) ?? 1n) + by;
      versions.set(module, version < 0n ? 0n : version);
    }
    for (const module of change.drops) versions.delete(module);
    const bytes = this.core.planBytes(this.store) ?? new Uint8Array();
    const code = codeOf(() => this.core.apply(this.store, height, bytes, versions, change.removes));
    expect(code).toBe(this.model.apply(height, versions, change.removes));
    this.seen.add(code ?? "applied");
    return code === undefined;
  }
}

describeCores((core) => {
  test("any history → the model's decisions, refusals and records", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60, size: "max" }), (steps) => {
        const history = new History(core, seen);
        for (const one of steps) history.run(one);
        const { done, last } = history.model;
        expect(core.lastDone(history.store)?.name).toBe(last);
        for (const name of PLAN_NAMES) expect(core.doneHeight(history.store, name)).toBe(done.get(name) ?? 0n);
        expect(core.versionMap(history.store)).toEqual(history.model.versions);
        expect(core.protocolVersion(history.store)).toBe(history.model.protocol);
      }),
      { numRuns: 1_000 },
    );
    // The histories went everywhere.
    expect([...seen].sort()).toEqual([
      "Apply",
      "HaltBinaryTooEarly",
      "HaltHandlerMissing",
      "HaltUpgradeNeeded",
      "Idle",
      "Pending",
      "Skip",
      "UPG_INVALID_PLAN_DEPRECATED",
      "UPG_INVALID_PLAN_DONE",
      "UPG_INVALID_PLAN_HEIGHT",
      "UPG_INVALID_PLAN_INFO",
      "UPG_INVALID_PLAN_IN_PAST",
      "UPG_INVALID_PLAN_NAME",
      "UPG_MIGRATION_VERSION_MAP",
      "applied",
      "scheduled",
    ]);
  });
});
