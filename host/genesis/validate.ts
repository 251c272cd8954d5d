/** `chaind genesis validate`: reads a document as `start` would, and says what is in it. */

import { genesisVersion } from "../chain/start.js";
import { Home } from "../engine/home/home.js";
import { programChain } from "../shell/program-chain.js";
import { formatTime } from "../time.js";
import { checkDocument } from "./take-document.js";

/** @throws UpgradeError UPG_INVALID_GENESIS naming the path of what is wrong */
export function validateGenesis(path: string, file?: string) {
  const name = file ?? new Home(path).genesisFile;
  const genesis = checkDocument(name);
  const version = genesisVersion(genesis, programChain().versions);
  const counts = programChain().modules.flatMap((module) =>
    Object.entries(module.genesis?.counts?.(genesis.sections.get(module.name)) ?? {}),
  );
  return {
    valid: true,
    file: name,
    chain_id: genesis.chainId,
    genesis_time: formatTime(genesis.time),
    initial_height: String(genesis.initialHeight),
    app_version: String(version.number),
    ...Object.fromEntries(counts.map(([what, count]) => [what, String(count)])),
  };
}
