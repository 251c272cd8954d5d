/** The demonstration begins with the oldest version of a chain: a document that was exported after an upgrade is beyond it. */

import { UpgradeError } from "../../base/errors/errors.js";
import { inGenesisFile, openFileSource } from "../../base/files/file-source.js";
import { shellWord } from "../../base/text/shell-word.js";
import type { Chain } from "../../chain/app/chain.js";
import { openGenesis } from "../../chain/app/genesis/genesis.js";

/**
 * @param plain the document, or an inflated copy of it
 * @param file the one that was named
 * @throws UpgradeError UPG_INVALID_GENESIS
 */
export function requireOldDocument(chain: Chain, plain: string, file: string): void {
  const source = openFileSource(plain);
  if (!source) return;
  try {
    const { name, versions } = chain;
    const [oldest] = versions;
    const begun = inGenesisFile(file, () => openGenesis(chain, source).appVersion);
    if (begun === 0n || oldest === undefined || begun <= oldest.number) return;
    throw new UpgradeError(
      "UPG_INVALID_GENESIS",
      `${file}: names app version ${begun}, and the demonstration begins with version ${oldest.number}: export a height before ` +
        `the upgrade (\`${name} export --height H\`), or begin a chain with this document as it is: ` +
        `\`npx ${name} init my-node --genesis ${shellWord(file)} --home my-chain\``,
    );
  } finally {
    source.close();
  }
}
