/** `config/config.toml`, CometBFT's own settings: what is left out of it has CometBFT's default. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { utf8 } from "../bytes.js";
import { writeFileAtomically } from "../engine/home/atomic-file.js";
import { writeSettingOf } from "../shell/config-file.js";

const FILE_MODE = 0o644;

export const cometConfigFile = (home: string): string => join(home, "config", "config.toml");

/** Puts the nodes that this one always connects to into its settings. @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO */
export function writePeers(home: string, peers: readonly string[]): void {
  const file = cometConfigFile(home);
  const text = peers.join(",");
  if (existsSync(file)) writeSettingOf(file, "p2p.persistent_peers", text);
  else writeFileAtomically(file, utf8(`[p2p]\npersistent_peers = ${JSON.stringify(text)}\n`), FILE_MODE);
}
