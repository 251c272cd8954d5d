/** Module upgrade: its messages and queries. What it does in a block is the application's own part (host/upgrade/module). */

import { UPGRADE_STORE } from "../../../upgrade/module/keeper.js";
import type { Module } from "../../app/module.js";
import { attestationMessages } from "./attest.js";
import { UPGRADE_MESSAGES } from "./messages.js";
import { chainUpgradeQuery, cosmosUpgradeQuery } from "./query.js";

export interface UpgradeModuleOptions {
  /**
   * The app version from which validators may attest plans (`tx upgrade attest`): `1n` for a chain that begins with it, for one that
   * exists the version that its next upgrade leads to. Undefined: they may not. Programs of before refuse the messages,
   * so a chain whose validators run some of those would come apart at the first of them.
   */
  readonly attestations?: bigint;
}

/**
 * Module upgrade: MsgSoftwareUpgrade, MsgCancelUpgrade and the queries about plans, applied upgrades, module versions and
 * readiness; with `attestations` also MsgAttest and MsgWithdrawAttestation. Every chain has it. Records keep their layout
 * with the messages, so the module's version stays.
 *
 * @example
 * console.log(upgrade().stores, upgrade().consensusVersion); // → [ 'upgrade' ] 1n
 * console.log(upgrade({ attestations: 1n }).messages?.at(-1)?.typeUrl); // → /chain.upgrade.v1.MsgWithdrawAttestation
 */
export function upgrade({ attestations }: UpgradeModuleOptions = {}): Module {
  return {
    name: "upgrade",
    consensusVersion: 1n,
    isBounded: true,
    stores: [UPGRADE_STORE],
    messages:
      attestations === undefined ? UPGRADE_MESSAGES : [...UPGRADE_MESSAGES, ...attestationMessages(attestations)],
    queries: [chainUpgradeQuery, cosmosUpgradeQuery],
  };
}
