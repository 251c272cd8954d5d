/**
 * What a process brings: the app versions of its program, and the handlers of its program and of its home. Which of them
 * matter, and what they lead to, is for state to say.
 */
import { resolve } from "node:path";
import { sha256 } from "../../base/native/sha256.js";
import type { Chain } from "../../chain/app/chain.js";
import { knownVersions } from "../../chain/app/versions/known-versions.js";
import type { ChainVersion } from "../../chain/app/versions/version.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import { type HandlerFile, loadHandlersFolders } from "./handlers-folder.js";
import type { Home } from "./home.js";
import { StagedHandlers } from "./staged-handlers.js";

interface ProcessHandler extends HandlerFile {
  /** It lies in `<home>/handlers`: its plan need not be one of the program's. */
  readonly isOfHome: boolean;
}

export interface VersionsAndHandlers {
  /** The program's, oldest first. */
  readonly versions: readonly ChainVersion[];
  readonly handlers: readonly ProcessHandler[];
}

/**
 * @param folder the program's handlers; undefined: it has none
 * @param newest know nothing newer than this version: of the plans that lead beyond it, handlers in the home are
 *   passed over as well, as their code is absent
 * @throws UpgradeError UPG_HANDLER_*, UPG_STORE_IO, UPG_INVALID_ARGUMENT for a version that nobody knows
 */
export function versionsAndHandlers(
  chain: Chain,
  { handlersFolder }: Home,
  folder: string | undefined,
  newest: bigint | undefined,
): VersionsAndHandlers {
  const versions = knownVersions(chain, newest);
  const isOther = folder !== undefined && resolve(folder) !== resolve(handlersFolder);
  const folders = isOther ? [handlersFolder, folder] : [handlersFolder];
  const [ofHome = [], ofProgram = []] = loadHandlersFolders(folders, sha256);
  return {
    versions,
    handlers: [
      ...ofProgram.map((each) => ({ ...each, isOfHome: false })),
      ...ofHome.filter((each) => !isBeyond(each, chain, versions)).map((each) => ({ ...each, isOfHome: true })),
    ],
  };
}

/** Handlers of a home that wait for their height, and those of one more folder. */
export function stagedHandlers({ chain, home, folder, versions, log }: StagedFacts): StagedHandlers {
  const folders = [home.stagedFolder, ...(folder === undefined ? [] : [folder])];
  return new StagedHandlers({ folders, sha256, log, isIgnored: (file) => isBeyond(file, chain, versions) });
}

interface StagedFacts {
  readonly chain: Chain;
  readonly home: Home;
  readonly folder: string | undefined;
  readonly versions: readonly ChainVersion[];
  readonly log: (level: LogLevel, message: string) => void;
}

/** Does a version of the program carry the handler's plan that this process is to know nothing of? */
function isBeyond({ handler }: HandlerFile, chain: Chain, versions: readonly ChainVersion[]): boolean {
  const leadsTo = chain.versions.find(({ plan }) => plan === handler.manifest.name);
  return leadsTo !== undefined && !versions.includes(leadsTo);
}
