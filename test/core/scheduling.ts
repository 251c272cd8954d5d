/** What a plan is refused with, in the Cosmos SDK's words and in ours. */
import { expect } from "vitest";
import type { ErrorCode } from "../../host/base/errors/errors.js";
import type { Plan } from "../../host/base/types/types.js";
import type { Core } from "../../host/upgrade/core/core.js";
import { expectRefused, refusal, storeOf, u64Hex } from "./cores.js";
import { type WirePlan, wirePlan } from "./plan-wire.js";

export const NOW = 50n;

/** A plan that may be scheduled in the block of `NOW`, but for these fields. */
export function plan(fields: Partial<Plan> = {}): Plan {
  return { name: "v2", height: 100n, info: "", ...fields };
}

export const TEXTS = {
  time: "time-based upgrades have been deprecated in the SDK: invalid request",
  clientState: "upgrade logic for IBC has been moved to the IBC module: invalid request",
  empty: "name cannot be empty: invalid request",
  nameBytes: (got: number) => `name expected at most 140 bytes, got ${got}: invalid request`,
  nameUtf8: "name is not UTF-8: invalid request",
  control: "name cannot hold control characters: invalid request",
  infoBytes: (got: number) => `info expected at most 65536 bytes, got ${got}: invalid request`,
  infoUtf8: "info is not UTF-8: invalid request",
  height: "height must be greater than 0: invalid request",
  past: "upgrade cannot be scheduled in the past: invalid request",
  done: (name: string) => `upgrade with name ${name} has already been completed: invalid request`,
};

/** Scheduling on one core: what it refuses, with the store unchanged, and what it takes. */
export class Scheduling {
  constructor(private readonly core: Core) {}

  refused(code: ErrorCode, message: string, fields: Partial<Plan>, height = NOW): void {
    const store = storeOf({ "00": "aa", "017631": u64Hex(7n) });
    expectRefused(store, () => this.core.schedule(store, height, plan(fields)), code, message);
  }

  accepted(fields: Partial<Plan>, height = NOW): void {
    const store = storeOf();
    this.core.schedule(store, height, plan(fields));
    expect(this.core.plan(store)).toEqual(plan(fields));
  }

  /** The same for bytes that no typed host would make. */
  bytesRefused(code: ErrorCode, message: string, fields: WirePlan): void {
    const store = storeOf();
    const bytes = wirePlan({ name: "v2", height: 100n, ...fields });
    expectRefused(store, () => this.core.scheduleBytes(store, NOW, bytes), code, message);
    expect(() => this.core.validatePlan(bytes)).toThrow(refusal(code, message));
  }
}
