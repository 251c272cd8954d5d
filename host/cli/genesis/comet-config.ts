/** `config/config.toml`, CometBFT's own settings: what is left out of it has CometBFT's default. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { withSetting } from "../../base/terminal/config-edit.js";
import { tomlText } from "../../base/terminal/config-file.js";
import { utf8 } from "../../base/text/bytes.js";

const FILE_MODE = 0o644;

export const cometConfigFile = (home: string): string => join(home, "config", "config.toml");

/** Of a home whose settings of CometBFT were all left out. */
const HEADER = "# Settings of CometBFT. What is left out has CometBFT's default.\n\n";

/**
 * The file with the nodes that this one always connects to; nothing is written before `write` is called.
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO
 */
export function withPeers(home: string, peers: readonly string[]): { readonly write: () => void } {
  const file = cometConfigFile(home);
  const text = peers.join(",");
  const after = existsSync(file)
    ? withSetting(file, "p2p.persistent_peers", text)
    : `${HEADER}[p2p]\n# Nodes that this one always connects to: node-id@host:port, with commas between them.\npersistent_peers = ${tomlText(text)}\n`;
  return { write: () => writeFileAtomically(file, utf8(after), FILE_MODE) };
}
