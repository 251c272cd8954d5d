/** Version 1: accounts hold their own coins, bank has no store. */
import { AUTH_STORE } from "../modules/auth.js";
import { accountBank } from "../modules/bank.js";
import { GOV_STORE } from "../modules/gov.js";
import { STAKING_STORE } from "../modules/staking.js";
import type { ChainVersion } from "./version.js";

export const V1: ChainVersion = Object.freeze({
  number: 1n,
  plan: undefined,
  modules: new Map([
    ["auth", 1n],
    ["bank", 1n],
    ["gov", 1n],
    ["staking", 1n],
    ["upgrade", 1n],
  ]),
  stores: [AUTH_STORE, GOV_STORE, STAKING_STORE, "upgrade"],
  bank: accountBank,
});
