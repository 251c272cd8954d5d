/** A plan that the node has and its sidecar has not read yet: no command reports such a node as ready, or without a plan. */
import { describe, expect, test } from "vitest";
import type { VisorStatus } from "../../../host/visor/decide/status.js";
import { unreadPlan, withUnseenPlan } from "../../../host/visor/decide/unseen-plan.js";
import { exitOf, lackingOf } from "../../../host/visor/run/without-sidecar/status-of.js";
import { statusLines } from "../../../host/visor/status/status-text.js";

const RUNNING: VisorStatus = {
  ...{
    v: 1,
    phase: "running",
    since: "2026-01-01T00:00:00.000Z",
    plan: null,
    eta: null,
    progress: null,
    readiness: [],
  },
  program: { name: "genesis", file: "/var/lib/chain/cosmovisor/genesis/bin/chaind", pid: 7 },
  height: { value: "900", source: "rpc" },
  ...{ upgrades: 0, restarts: 0, message: "runs", next: [] },
};
const CHAIN = { plan: { name: "v2", height: 950n, info: "{}" }, origin: "chain" } as const;
const plan = { name: "v2", height: "950", info: "{}", origin: "chain" } as const;

function expectUnseen(status: VisorStatus): void {
  const found = withUnseenPlan(status, CHAIN);
  expect(found.plan).toEqual(plan);
  expect(exitOf({ status: found })).toBe(30);
  const [lacking, ...others] = lackingOf({ status: found });
  expect(lacking).toMatchObject({ what: "plan", state: "unknown", next: "chainvisor status" });
  expect(lacking?.detail).toContain(
    'the node has scheduled "v2" at height 950, and the sidecar has not read the node\'s plan yet',
  );
  expect(others).toEqual([]);
}

describe("withUnseenPlan()", () => {
  test("the sidecar has no plan → the node's, unknown, exit 30", () => expectUnseen(RUNNING));

  test("the sidecar cannot ask the node → the reason, the address and the setting, and not to ask again", () => {
    const rpc_failure = { address: "http://10.0.0.9:26657", why: "cannot ask http://10.0.0.9:26657: fetch failed" };
    const found = withUnseenPlan({ ...RUNNING, rpc_failure }, CHAIN);
    const [lacking] = lackingOf({ status: found });
    expect(lacking).toMatchObject({ state: "unknown", next: "chainvisor config view --sources" });
    expect(lacking?.detail).toMatch(
      /the sidecar cannot read the node's plan: cannot ask .*fetch failed.*CHAINVISOR_RPC_ADDRESS is http:\/\/10\.0\.0\.9:26657/,
    );
    expect(exitOf({ status: found })).toBe(30);
  });

  test("the sidecar has another plan of the chain, one at another height, or the operator's after it → the same", () => {
    const ready = [{ what: "program", state: "ready", detail: "a file", next: null }] as const;
    expectUnseen({ ...RUNNING, phase: "ready", readiness: ready, plan: { ...plan, name: "v1", height: "900" } });
    expectUnseen({ ...RUNNING, readiness: ready, plan: { ...plan, height: "1000" } });
    expectUnseen({ ...RUNNING, readiness: ready, plan: { ...plan, name: "fix", height: "960", origin: "operator" } });
  });

  test("the sidecar has that plan, or the operator's before it; no plan is in state; it is switching → as it was", () => {
    const before = { ...RUNNING, plan: { ...plan, name: "fix", height: "940", origin: "operator" } } as const;
    for (const status of [{ ...RUNNING, plan }, before, { ...RUNNING, phase: "switching" } as const]) {
      expect(withUnseenPlan(status, CHAIN)).toBe(status);
    }
    expect(withUnseenPlan(RUNNING, undefined)).toBe(RUNNING);
  });

  test("a plan at a height that the node has made, as one that is skipped → as it was", () => {
    const status = { ...RUNNING, height: { value: "950", source: "rpc" } } as const;
    expect(withUnseenPlan(status, CHAIN)).toBe(status);
  });
});

describe("unreadPlan()", () => {
  const rpc_failure = {
    ...{ address: "http://127.0.0.1:26657", why: "fetch failed" },
    next: "export CHAINVISOR_RPC_ADDRESS=http://127.0.0.1:36657",
  };

  test.each<[name: string, change: Partial<VisorStatus>, words: string, next: string]>([
    ["nothing was read yet", {}, "has not read the node's plan yet", "chainvisor status"],
    ["the first request failed", { rpc_failure }, "CHAINVISOR_RPC_ADDRESS is http://127.0.0.1:26657", rpc_failure.next],
    [
      "a later request failed",
      { rpc_failure, is_plan_read: true },
      "cannot read the node's plan: fetch",
      rpc_failure.next,
    ],
    ["the operator's plan alone", { rpc_failure, plan: { ...plan, origin: "operator" } }, "fetch", rpc_failure.next],
  ])("%s → no upgrade is ruled out; `status` prints why and the way out", (_name, change, words, next) => {
    const status = { ...RUNNING, ...change };
    expect(unreadPlan(status)).toEqual({ detail: expect.stringContaining(words), next });
    const text = statusLines({ status, silentSeconds: undefined, time: "" }).join("\n");
    expect(text).toMatch(/^warning: +whether the chain has scheduled an upgrade is not known: the sidecar /m);
    expect(text).toContain(`next:\n  ${next}`);
  });

  test.each<[name: string, change: Partial<VisorStatus>]>([
    ["the last response has it", { is_plan_read: true }],
    ["the chain's plan is known", { plan, rpc_failure }],
    ["it is switching", { phase: "switching", rpc_failure }],
    ["no sidecar runs", { phase: "stopped" }],
  ])("%s → undefined", (_name, change) => expect(unreadPlan({ ...RUNNING, ...change })).toBeUndefined());
});
