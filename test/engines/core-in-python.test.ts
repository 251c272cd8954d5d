/** examples/core-in-python: the same steps in Python and in TypeScript make the same decisions, texts and store. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toHex } from "../../host/base/text/bytes.js";
import { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";
import { Core } from "../../host/upgrade/core/core.js";
import { ROOT } from "../house/sources.js";
import { PYTHON, prepareWasmtime } from "./prepare.js";

const PLAN = { name: "v2", height: 10n, info: "see the forum" };
const versions = (version: bigint) =>
  new Map([
    ["auth", version],
    ["bank", version],
  ]);
const NO_FACTS = { hasHandler: false, hasLastHandler: false, isSkipHeight: false, isFirstBlock: false };

function inTypeScript(): string[] {
  const core = new Core();
  const store = new MemoryKVStore();
  const lines: string[] = [];
  const decide = (height: bigint, hasHandler: boolean) => {
    const decision = core.preBlock(store, height, { ...NO_FACTS, hasHandler });
    lines.push(`${height} ${Number(hasHandler)} ${decision}`);
    if (decision.startsWith("Halt")) lines.push(core.haltText(decision, height, 1n, plan));
  };
  core.setVersionMap(store, versions(1n));
  core.schedule(store, 5n, PLAN);
  const plan = core.planBytes(store) as Uint8Array;
  decide(9n, false);
  decide(9n, true);
  decide(10n, false);
  lines.push(new TextDecoder().decode(core.upgradeInfo(10n, plan)));
  decide(10n, true);
  core.apply(store, 10n, plan, versions(2n), []);
  lines.push("plan_schedule: upgrade cannot be scheduled in the past: invalid request (code 12)");
  return [...lines, JSON.stringify(Object.fromEntries(Array.from(store.iterate(), (pair) => pair.map(toHex))))];
}

const noWasmtime = prepareWasmtime();

const NAME = "examples/core-in-python/host.py → what the TypeScript host does";

test.skipIf(noWasmtime)(noWasmtime ? `${NAME} (skipped: ${noWasmtime})` : NAME, () => {
  const args = [join(ROOT, "examples/core-in-python/host.py"), join(ROOT, "build/core.wasm")];
  const output = execFileSync(PYTHON, args, { encoding: "utf8" }).replaceAll('": "', '":"').replaceAll('", "', '","');
  expect(output.trimEnd().split("\n")).toEqual(inTypeScript());
});
