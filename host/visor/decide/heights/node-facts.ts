/** What the files of a home say of its node, for commands that look at a home beside its sidecar or without one. */
import type { Files } from "../../../base/files/files.js";
import type { PassedFacts, Reached } from "../decision/decide.js";
import { placesOf } from "../decision/paths.js";
import type { Settings } from "../settings.js";
import { type StoreHeight, storeHeight } from "./store-height.js";
import { WalHeight } from "./wal.js";

export type NodeFacts = Pick<PassedFacts, "isOurs" | "reached">;

interface NodeFactsOptions {
  readonly files: Files;
  readonly settings: Settings;
  /** A sidecar runs on the home. The height that it reports counts; a sidecar that cannot reach its node reports none. */
  readonly sidecar: { readonly reached: Reached | undefined } | undefined;
  readonly storeHeight?: StoreHeight;
}

export async function nodeFacts(options: NodeFactsOptions): Promise<NodeFacts> {
  const { files, settings, sidecar } = options;
  const places = placesOf(settings);
  const isOurs = files.facts(places.database) !== undefined;
  if (sidecar?.reached) return { isOurs, reached: sidecar.reached };
  const committed = isOurs ? await (options.storeHeight ?? storeHeight)(settings.home) : undefined;
  return {
    isOurs,
    reached: committed === undefined ? ofLog(files, places.wal) : { height: committed, source: "store" },
  };
}

/** One that cannot be read says nothing. */
function ofLog(files: Files, path: string): Reached | undefined {
  try {
    const height = new WalHeight(files, path).read();
    return height === undefined ? undefined : { height, source: "wal" };
  } catch {
    return undefined;
  }
}
