/** The chain that both engines run: its people, and its genesis document. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { decidesBlocks, operatorGenesis } from "../e2e/operator-genesis.js";
import { makeHome } from "../e2e/prepared-home.js";
import { Signer } from "../scenario/wallet.js";

export const CHAIN_ID = "scenario-1";
/** Operates the only validator. */
export const OPERATOR = new Signer("same answers, operator");
export const ALICE = new Signer("same answers, alice");
export const BOB = new Signer("same answers, bob");
/** Has no account. */
export const STRANGER = new Signer("same answers, stranger");
export const PEOPLE = [OPERATOR, ALICE, BOB];
const FIRST_NUMBER = 200;
export const VOTING_MILLIS = 2_000;

export const accountNumber = (signer: Signer): bigint => BigInt(FIRST_NUMBER + PEOPLE.indexOf(signer));

export const HANDLERS = join(import.meta.dirname, "../../dist/handlers");

/** A home of the chain, with the handler of its upgrade where a program finds it that goes through the upgrade by itself. */
export function makeChainHome(home: string): void {
  makeHome(home, genesis());
  cpSync(HANDLERS, join(home, "handlers/staged"), { recursive: true });
}

export function genesis(): string {
  const document = operatorGenesis(`${VOTING_MILLIS / 1_000}s`, OPERATOR.address);
  decidesBlocks(document);
  const { auth, bank } = document.app_state;
  for (const signer of PEOPLE) {
    const base = { address: signer.address, account_number: String(accountNumber(signer)), sequence: "0" };
    auth.accounts.push({ "@type": "/cosmos.auth.v1beta1.BaseAccount", ...base });
    bank.balances.push({ address: signer.address, coins: [{ denom: "ustake", amount: "1000000000" }] });
  }
  return JSON.stringify(document);
}
