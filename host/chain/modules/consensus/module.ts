/** Module consensus: the parameters of consensus in state, where governance and handlers change them. */

import { rethrowEngineLimit } from "../../../base/errors/engine-limit.js";
import { messageOf } from "../../../base/errors/errors.js";
import type { Module } from "../../app/module.js";
import { CONSENSUS_MESSAGES } from "./messages.js";
import { CONSENSUS_STORE, readParams, requireUsable } from "./params.js";

/**
 * Module consensus: block size, gas of a block, age and size of evidence, kept in state. Until something writes them, those of
 * the genesis document hold. A chain that exists takes it in by an upgrade that adds the store `consensus`.
 *
 * @example
 * console.log(consensus().stores, consensus().messages?.[0]?.typeUrl); // → [ 'consensus' ] /cosmos.consensus.v1.MsgUpdateParams
 */
export function consensus(): Module {
  return {
    name: "consensus",
    consensusVersion: 1n,
    isBounded: true,
    stores: [CONSENSUS_STORE],
    messages: CONSENSUS_MESSAGES,
    consensusParams: (stores, genesis) => readParams(stores.store(CONSENSUS_STORE), genesis.version.app) ?? genesis,
    invariants: [
      {
        name: "parameters",
        check(stores) {
          try {
            const params = readParams(stores.store(CONSENSUS_STORE), 0n);
            if (params) requireUsable(params);
            return undefined;
          } catch (error) {
            rethrowEngineLimit(error);
            return messageOf(error);
          }
        },
      },
    ],
  };
}
