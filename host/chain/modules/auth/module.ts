/** Module auth: accounts, and what is checked and taken before a transaction's messages run. */

import { file_cosmos_vesting_v1beta1_vesting } from "../../../base/gen/cosmos/vesting/v1beta1/vesting_pb.js";
import type { Module } from "../../app/module.js";
import { soundAccounts } from "./account-invariant.js";
import { AUTH_STORE } from "./accounts.js";
import { runAnte } from "./ante.js";
import { authGenesis } from "./genesis.js";
import { authQuery } from "./query.js";

/**
 * Module auth: accounts, signatures and fees. In version 1 accounts hold their own coins. Fees are paid through module bank.
 *
 * @example
 * console.log(auth().name, auth().stores); // → auth [ 'auth' ]
 */
export function auth(): Module {
  return {
    name: "auth",
    consensusVersion: 2n,
    isBounded: true,
    stores: [AUTH_STORE],
    dependsOn: ["bank"],
    queries: [authQuery],
    files: [file_cosmos_vesting_v1beta1_vesting],
    genesis: authGenesis,
    ante: runAnte,
    invariants: [soundAccounts],
  };
}
