/** Version 2, by plan `v2`: coins move out of the accounts into a store of their own, which also keeps the supply. */
import { AUTH_STORE } from "../modules/auth.js";
import { BANK_STORE, storeBank } from "../modules/bank.js";
import { GOV_STORE } from "../modules/gov.js";
import { STAKING_STORE } from "../modules/staking.js";
import type { ChainVersion } from "./version.js";

export const V2: ChainVersion = Object.freeze({
  number: 2n,
  plan: "v2",
  modules: new Map([
    ["auth", 2n],
    ["bank", 2n],
    ["gov", 1n],
    ["staking", 1n],
    ["upgrade", 1n],
  ]),
  stores: [AUTH_STORE, BANK_STORE, GOV_STORE, STAKING_STORE, "upgrade"],
  bank: storeBank,
});
