/** The handlers of examples/ on their scenes, and cut short at many points. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toHex } from "../../../host/base/text/bytes.js";
import { HandlerProject } from "../../../host/cli/author/project.js";
import { openHandler, type Scene, type WasmHandler } from "../../../host/upgrade/test-kit/index.js";
import { DEFAULT_HEIGHT, DEFAULT_TIME, seedStores, seedVersions } from "../../../host/upgrade/test-kit/scene.js";
import { canonicalPlan } from "../../core/plan-wire.js";
import { ROOT } from "../../house/sources.js";
import type { Collection } from "./collection.js";
import { addCut } from "./guest-runs.js";
import type { CaseInput, HexPair } from "./shapes.js";

const EXAMPLES = ["backfill-index", "module-genesis", "prefix-delete", "re-key", "split-balances"];
const CUTS = 200;
/** Where a batch ends must make no difference to what is written. */
const BATCHES = [1, 100, 4_096];

export function addExamples(to: Collection): void {
  for (const name of EXAMPLES) {
    const bytes = new Uint8Array(readFileSync(join(ROOT, "build/examples", `${name}.wasm`)));
    const handler = openHandler(bytes);
    const guest = to.handler(name, bytes);
    for (const { name: scene, fixture } of new HandlerProject(join(ROOT, "examples", name)).fixtures()) {
      const input = inputOf(`${name} ${scene}`, handler, fixture);
      const given = { label: `${name} on ${scene}`, guest, input: to.input(input) };
      addCut(to, given, CUTS);
      for (const batch of BATCHES)
        to.run({ ...given, label: `${given.label}, batches of ${batch}`, batch_bytes: batch });
      addLayouts(to, guest, input);
    }
  }
}

/** Versions and stores that do not fit. */
function addLayouts(to: Collection, guest: string, input: CaseInput): void {
  const changed = (what: string, change: Partial<CaseInput>) => {
    const label = `${input.name}: ${what}`;
    to.run({ label, guest, input: to.input({ ...input, ...change, name: label }) });
  };
  for (const module of Object.keys(input.versions)) {
    const { [module]: version, ...others } = input.versions;
    changed(`${module} is absent`, { versions: others });
    changed(`another version of ${module}`, { versions: { ...others, [module]: String(BigInt(version ?? 0) + 7n) } });
  }
  for (const store of Object.keys(input.stores)) {
    const { [store]: _, ...others } = input.stores;
    changed(`no store ${store}`, { stores: others });
    changed(`store ${store} is empty`, { stores: { ...others, [store]: [] } });
  }
  changed("a module more", { versions: { ...input.versions, zeta: "9" } });
}

function inputOf(name: string, handler: WasmHandler, scene: Scene): CaseInput {
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
