/** A plan that is only in the state of a home, without a sidecar or a node that runs: every command finds it. */
import { expect, test } from "vitest";
import { TestHome } from "../../e2e/chaind.js";
import { program, visor } from "./state-home.js";

test("no program for it → status, plan and doctor name it and the command, exit 30; with its program → ready", async () => {
  const home = new TestHome().schedule({ name: "v2", height: 40n }, 3n);
  program(home, "genesis", "this binary can go on until then, not beyond: no handler");
  const status = await visor(home, "status");
  expect(status.json).toMatchObject({ phase: "stopped", plan: { name: "v2", height: "40", origin: "chain" } });
  expect(status.json.next[0]).toMatch(/add-upgrade v2/);
  const plan = await visor(home, "plan");
  expect(plan.json.plans).toMatchObject([
    { name: "v2", is_ready: false, next: expect.stringContaining("add-upgrade v2") },
  ]);
  const doctor = await visor(home, "doctor");
  expect(JSON.stringify(doctor.json.findings)).toContain("plan v2");
  expect([status.status, plan.status, doctor.status]).toEqual([30, 30, 30]);
  program(home, "upgrades/v2", "this binary can take over at the height");
  expect(await visor(home, "status")).toMatchObject({ status: 3, json: { plan: { name: "v2" } } });
  expect(await visor(home, "plan")).toMatchObject({ status: 0, json: { plans: [{ name: "v2", is_ready: true }] } });
});
