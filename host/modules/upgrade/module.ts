/** Module upgrade: its messages and queries. What it does in a block is the application's own part (host/upgrade). */
import type { Module } from "../../chain/module.js";
import { UPGRADE_STORE } from "../../upgrade/keeper.js";
import { UPGRADE_MESSAGES } from "./messages.js";
import { chainUpgradeQuery, cosmosUpgradeQuery } from "./query.js";

/**
 * Module upgrade: MsgSoftwareUpgrade, MsgCancelUpgrade and the queries about plans, applied upgrades and module versions.
 * Every chain has it.
 *
 * @example
 * console.log(upgrade().stores, upgrade().consensusVersion); // → [ 'upgrade' ] 1n
 */
export function upgrade(): Module {
  return {
    name: "upgrade",
    consensusVersion: 1n,
    stores: [UPGRADE_STORE],
    messages: UPGRADE_MESSAGES,
    queries: [chainUpgradeQuery, cosmosUpgradeQuery],
  };
}
