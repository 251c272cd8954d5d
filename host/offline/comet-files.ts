/** Where CometBFT has its files in a home, as its own settings say. */
import { resolve } from "node:path";
import type { CometFiles } from "../abci/comet/home-files.js";
import type { Home } from "../engine/home/home.js";
import { configValue, readConfig } from "../shell/config-file.js";

/** @throws UpgradeError UPG_INVALID_CONFIG */
export function cometFiles(home: Home): CometFiles {
  const settings = readConfig(home.path, "config");
  const at = (setting: string, file: string) => resolve(home.path, configValue(settings, setting, "text") || file);
  return {
    nodeKey: at("node_key_file", "config/node_key.json"),
    validatorKey: at("priv_validator_key_file", "config/priv_validator_key.json"),
    lastSigned: at("priv_validator_state_file", "data/priv_validator_state.json"),
    databases: at("db_dir", "data"),
  };
}
