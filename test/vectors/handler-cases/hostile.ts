/** The guests of test/guest/hostile: stopped while they run, or refused before. */
import { build, guest } from "../../guest/build.js";
import { REFUSED_MANIFESTS } from "../../guest/hostile/refused-manifests.js";
import { REFUSED_MODULES } from "../../guest/hostile/refused-modules.js";
import { STOPPED_GUESTS } from "../../guest/hostile/stopped-guests.js";
import { type Scene, STORES } from "../../guest/running.js";
import type { Collection } from "./collection.js";
import type { HexPair } from "./shapes.js";

/** Enough for all that is no bomb, and soon gone. */
const GAS_LIMIT = "30000000";
/** Larger files show nothing that smaller ones do not. */
const REFUSED_BYTES_MAX = 40_000;

export function addHostile(to: Collection): void {
  for (const { what, parts, scene = {} } of STOPPED_GUESTS) {
    const name = to.handler(what, build(guest(parts), scene.manifest ?? { stores: STORES }));
    to.run({ label: what, guest: name, input: sceneInput(to, what, scene), gas_limit: GAS_LIMIT });
  }
  for (const { what, bytes } of [...REFUSED_MODULES, ...REFUSED_MANIFESTS]) {
    const file = bytes();
    if (file.length <= REFUSED_BYTES_MAX) to.refused(what, file);
  }
}

/** A scene of test/guest as an input. Returns its name. */
export function sceneInput(to: Collection, name: string, { stores = {} }: Scene): string {
  const listed: Readonly<Record<string, readonly HexPair[]>> = stores;
  const names = [...STORES.map((store) => store.name), ...Object.keys(listed)];
  return to.input({
    name,
    chain_id: "test-1",
    height: "7",
    time: { seconds: "1", nanos: 0 },
    plan: "",
    versions: {},
    stores: Object.fromEntries(names.map((store) => [store, listed[store] ?? []])),
  });
}
