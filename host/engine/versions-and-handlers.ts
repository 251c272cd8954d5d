/** What a process knows: the app versions of its program and of the handlers in its home. */
import { join, resolve } from "node:path";
import { knownVersions } from "../chain/versions/known.js";
import { type ChainVersion, versionAfter } from "../chain/versions/version.js";
import type { WasmHandler } from "../handler/handler.js";
import { loadHandlersFolders } from "./handlers-folder.js";
import type { Home } from "./home.js";
import { sha256 } from "./node-crypto.js";

export interface VersionsAndHandlers {
  /** Oldest first. */
  readonly versions: readonly ChainVersion[];
  readonly handlers: readonly WasmHandler[];
}

/**
 * A handler in `<home>/handlers` whose plan no known version carries leads from the newest version to one more; in the
 * program's own folder such a one leads nowhere.
 *
 * @param folder the program's handlers
 * @param newest know nothing newer than this version
 * @throws UpgradeError UPG_HANDLER_*, UPG_INVALID_ARGUMENT for a version that nobody knows
 */
export function versionsAndHandlers(home: Home, folder: string, newest: bigint | undefined): VersionsAndHandlers {
  const versions: ChainVersion[] = [...knownVersions(newest)];
  const ofHome = join(home.path, "handlers");
  const folders = resolve(folder) === resolve(ofHome) ? [ofHome] : [ofHome, folder];
  const [added = [], ofProgram = []] = loadHandlersFolders(folders, sha256);
  if (newest === undefined) {
    for (const { manifest } of added) {
      if (!versions.some(({ plan }) => plan === manifest.name)) {
        versions.push(versionAfter(versions.at(-1) as ChainVersion, manifest));
      }
    }
  }
  return { versions, handlers: [...ofProgram, ...added] };
}
