/** The handlers of examples/ on their scenes, and cut short at many points. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HandlerProject } from "../../../host/author/project.js";
import { toHex } from "../../../host/bytes.js";
import { limitsBeforeHostCalls, seededLimits } from "../../../host/harness/gas-points.js";
import { openHandler, type Scene, type WasmHandler } from "../../../host/harness/index.js";
import { SceneRunner } from "../../../host/harness/run.js";
import { DEFAULT_HEIGHT, DEFAULT_TIME, seedStores, seedVersions } from "../../../host/harness/scene.js";
import { canonicalPlan } from "../../core/plan-wire.js";
import { ROOT } from "../../house/sources.js";
import type { Collection } from "./collection.js";
import type { CaseInput, HexPair } from "./shapes.js";

const EXAMPLES = ["backfill-index", "module-genesis", "prefix-delete", "re-key", "split-balances"];
const RANDOM_CUTS = 12;
/** Where a batch ends must make no difference to what is written. */
const BATCHES = [1, 100, 4_096];

export function addExamples(to: Collection): void {
  for (const name of EXAMPLES) {
    const bytes = new Uint8Array(readFileSync(join(ROOT, "build/examples", `${name}.wasm`)));
    const handler = openHandler(bytes);
    const guest = to.handler(name, bytes);
    for (const { name: scene, fixture } of new HandlerProject(join(ROOT, "examples", name)).fixtures()) {
      const input = to.input(inputOf(`${name} ${scene}`, handler, fixture));
      addWithCuts(to, { label: `${name} on ${scene}`, guest, input }, new SceneRunner(handler, fixture));
    }
  }
}

function addWithCuts(
  to: Collection,
  given: { label: string; guest: string; input: string },
  runner: SceneRunner,
): void {
  const { gas } = to.run(given);
  if (gas === undefined) return;
  const used = BigInt(gas);
  for (const batch of BATCHES) to.run({ ...given, label: `${given.label}, batches of ${batch}`, batch_bytes: batch });
  const before = limitsBeforeHostCalls(runner, used);
  const limits = [
    0n,
    1n,
    ...before,
    ...before.map((limit) => limit + 1n),
    ...seededLimits(11, RANDOM_CUTS, used),
    used - 1n,
    used,
  ];
  for (const limit of [...new Set(limits)]) {
    to.run({ ...given, label: `${given.label}, gas ${limit}`, gas_limit: String(limit) });
  }
}

export function inputOf(name: string, handler: WasmHandler, scene: Scene): CaseInput {
  const stores = seedStores(handler, scene);
  const height = BigInt(scene.height ?? DEFAULT_HEIGHT);
  const pairs = (store: string): HexPair[] =>
    [...stores.store(store).iterate()].map(([key, value]) => [toHex(key), toHex(value)]);
  return {
    name,
    chain_id: scene.chainId ?? "test-1",
    height: String(height),
    time: { seconds: String(scene.time ?? DEFAULT_TIME), nanos: 0 },
    plan: toHex(canonicalPlan(handler.manifest.name, height, scene.info ?? "")),
    versions: Object.fromEntries([...seedVersions(handler.manifest, scene)].map(([module, n]) => [module, String(n)])),
    stores: Object.fromEntries(stores.names.map((store) => [store, pairs(store)])),
  };
}
