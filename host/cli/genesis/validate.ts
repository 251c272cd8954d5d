/** `chaind genesis validate`: makes the checks of `start` before the first block, and prints what is in the document. */

import { formatTime } from "../../base/time/time.js";
import type { Chain } from "../../chain/app/chain.js";
import { genesisCounts } from "../../chain/app/genesis/genesis.js";
import { genesisVersion } from "../../chain/app/start.js";
import { checkAll } from "../../node/home/begun-genesis.js";
import { Home } from "../../node/home/home.js";
import { checkDocument } from "./take-document.js";

/** @throws UpgradeError UPG_INVALID_GENESIS naming the path of what is wrong */
export function validateGenesis(chain: Chain, path: string, file?: string) {
  const name = file ?? new Home(path).genesisFile;
  const genesis = checkDocument(chain, name, name, (document) =>
    checkAll(chain, name, document, () => undefined, path),
  );
  const version = genesisVersion(genesis, chain.versions);
  const counts = genesisCounts(chain, genesis);
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
