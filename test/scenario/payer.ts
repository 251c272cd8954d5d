/** An account with coins and a known key in a genesis document, for tests that send transactions. */
import { genesisDocument } from "./genesis-text.js";
import { Signer, send } from "./wallet.js";

const ACCOUNT_NUMBER = 500;
const CHAIN_ID = "scenario-1";

export class Payer {
  readonly #signer: Signer;

  /** @param name which key it is: the same one each time */
  constructor(name: string) {
    this.#signer = new Signer(name);
  }

  /** The small document with this account in it. */
  genesis(): string {
    const document = genesisDocument();
    const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
    const { address } = this.#signer;
    const numbers = { account_number: String(ACCOUNT_NUMBER), sequence: "0" };
    state["auth"]?.["accounts"]?.push({ "@type": "/cosmos.auth.v1beta1.BaseAccount", address, ...numbers });
    state["bank"]?.["balances"]?.push({ address, coins: [{ denom: "ustake", amount: "1000000" }] });
    return JSON.stringify(document);
  }

  /** A transfer to itself, signed. */
  transfer(sequence: number, memo = "", fee = ""): Uint8Array {
    return this.#signer.sign([send(this.#signer, this.#signer.address, 1)], {
      ...{ chainId: CHAIN_ID, accountNumber: BigInt(ACCOUNT_NUMBER), sequence: BigInt(sequence), memo, fee },
    });
  }
}
