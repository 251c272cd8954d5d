/** The module as behaviour says it is, in plain Maps: an oracle that shares no code with the core. */
import { toHex, utf8 } from "../../host/base/text/bytes.js";
import type { Decision, Plan, VersionMap } from "../../host/base/types/types.js";
import { canonicalPlan } from "./plan-wire.js";

export interface Process {
  readonly handlers: ReadonlySet<string>;
  readonly skipHeights: ReadonlySet<bigint>;
  isFirstBlock: boolean;
}

interface Scheduled {
  readonly name: string;
  readonly height: bigint;
  readonly info: string;
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

export class Model {
  plan: Scheduled | undefined;
  readonly done = new Map<string, bigint>();
  versions = new Map<string, bigint>();
  protocol = 0n;

  /** The code with which the plan is refused, or undefined: it is scheduled now. */
  schedule(height: bigint, plan: Plan): string | undefined {
    const code = this.#refusalOf(height, plan);
    if (!code) this.plan = { name: plan.name, height: plan.height, info: plan.info };
    return code;
  }

  #refusalOf(height: bigint, plan: Plan): string | undefined {
    if (plan.time || plan.upgradedClientState) return "UPG_INVALID_PLAN_DEPRECATED";
    const isName = plan.name.length > 0 && utf8(plan.name).length <= 140 && plan.name.isWellFormed();
    if (!isName || CONTROL.test(plan.name)) return "UPG_INVALID_PLAN_NAME";
    if (utf8(plan.info).length > 65_536 || !plan.info.isWellFormed()) return "UPG_INVALID_PLAN_INFO";
    if (plan.height <= 0n) return "UPG_INVALID_PLAN_HEIGHT";
    if (plan.height < height) return "UPG_INVALID_PLAN_IN_PAST";
    return this.done.has(plan.name) ? "UPG_INVALID_PLAN_DONE" : undefined;
  }

  /** Name of the upgrade applied at the greatest height; of two the one that sorts last. */
  get last(): string | undefined {
    let last: { name: string; height: bigint } | undefined;
    for (const name of [...this.done.keys()].sort()) {
      const height = this.done.get(name) ?? 0n;
      if (!last || height >= last.height) last = { name, height };
    }
    return last?.name;
  }

  decide(height: bigint, process: Process): Decision {
    const { plan, last } = this;
    const isDue = plan !== undefined && plan.height <= height;
    const isSkipped = process.skipHeights.has(height);
    const isDowngrade = last !== undefined && !process.handlers.has(last);
    if (process.isFirstBlock && isDowngrade && !(isDue && !isSkipped)) return "HaltHandlerMissing";
    if (!plan) return "Idle";
    const hasHandler = process.handlers.has(plan.name);
    if (!isDue) return hasHandler ? "HaltBinaryTooEarly" : "Pending";
    if (isSkipped) return "Skip";
    return hasHandler ? "Apply" : "HaltUpgradeNeeded";
  }

  /** The code with which the handler's result is refused, or undefined: the plan is applied now. */
  apply(height: bigint, returned: VersionMap, removes: readonly string[]): string | undefined {
    if (!this.plan) throw new Error("nothing to apply");
    if ([...returned.keys()].some((name) => name === "" || utf8(name).length > 140)) return "UPG_INVALID_VERSION_MAP";
    const isLost = [...this.versions.keys()].some((name) => !returned.has(name) && !removes.includes(name));
    const isContradicted = removes.some((name) => returned.has(name));
    const isLowered = [...this.versions].some(([name, version]) => (returned.get(name) ?? version) < version);
    if (isLost || isContradicted || isLowered) return "UPG_MIGRATION_VERSION_MAP";
    this.versions = new Map(returned);
    this.protocol += 1n;
    this.done.set(this.plan.name, height);
    this.plan = undefined;
    return undefined;
  }

  /** The raw store, as hex. */
  dump(): Record<string, string> {
    const u64 = (value: bigint) => value.toString(16).padStart(16, "0");
    const { plan } = this;
    return {
      ...(plan && { "00": toHex(canonicalPlan(plan.name, plan.height, plan.info)) }),
      ...Object.fromEntries([...this.done].map(([name, height]) => [`01${toHex(utf8(name))}`, u64(height)])),
      ...Object.fromEntries([...this.versions].map(([name, version]) => [`02${toHex(utf8(name))}`, u64(version)])),
      ...(this.protocol > 0n && { "03": u64(this.protocol) }),
    };
  }
}
