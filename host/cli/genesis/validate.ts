/** `chaind genesis validate`: reads a document as `start` would, and says what is in it. */

import { genesisVersion } from "../../chain/start.js";
import { knownVersions } from "../../chain/versions/known.js";
import { formatTime } from "../../commitment/block/time.js";
import { Home } from "../../engine/home.js";
import { checkDocument } from "./take-document.js";

/** @throws UpgradeError UPG_INVALID_GENESIS naming the path of what is wrong */
export function validateGenesis(path: string, file?: string) {
  const name = file ?? new Home(path).genesisFile;
  const genesis = checkDocument(name);
  const version = genesisVersion(genesis, knownVersions());
  return {
    valid: true,
    file: name,
    chain_id: genesis.chainId,
    genesis_time: formatTime(genesis.time),
    initial_height: String(genesis.initialHeight),
    app_version: String(version.number),
    accounts: String(genesis.accounts.length),
    balances: String(genesis.balances.length),
    validators: String(genesis.validators.length),
    delegations: String(genesis.delegations.length),
    proposals: String(genesis.gov.proposals.length),
  };
}
