/** The chain of test/recursion/chain.ts in this process, over a database in memory. */

import { VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { App } from "../../host/chain/app/app.js";
import { AppPort } from "../../host/chain/app/app-port.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { FIRST_PROPOSAL, GOVERNOR, governedGenesis } from "../readiness/governor.js";
import { recursionChain, recursionMessage, votedRecursion } from "../recursion/chain.js";
import { failureOf } from "./chain.js";
import { type Packed, propose, softwareUpgrade, vote } from "./wallet.js";

const genesis = parseGenesis(recursionChain, governedGenesis("2026-01-01T00:00:00Z"));
/** After those of the document. */
const ACCOUNT_NUMBER = 12n;
/** Longer than a vote. */
const BLOCK_SECONDS = 5n;

/** Where a chain's code runs besides the messages of transactions. */
export const OUTSIDE = ["begin", "end", "vote", "migrate"] as const;
type Outside = (typeof OUTSIDE)[number];

/** One process with the chain, at its first block. */
export class RecursionProgram {
  readonly app: App;
  readonly port: AppPort;
  #sequence = 0n;
  #proposals = 0n;

  constructor(chain = recursionChain) {
    this.app = new App({ chain, database: new MemoryDatabase(), genesis, sha256, core: new Core() });
    this.app.load();
    this.port = new AppPort({ app: this.app, genesis });
    this.block([]);
  }

  /** @param ahead how many transactions of the account run before it */
  tx(text: string, ahead = 0n): Uint8Array {
    return this.#sign(recursionMessage(text), ahead);
  }

  /** What a block holds and leaves: code, gas and app hash of the only transaction. */
  block(txs: readonly Uint8Array[]) {
    const height = this.app.nextHeight;
    const time = { seconds: genesis.time.seconds + BLOCK_SECONDS * height, nanos: 0 };
    const result = this.port.finalizeBlock({ height, time, txs });
    this.port.commit();
    this.#sequence += BigInt(txs.length);
    return result;
  }

  /** The block that does this at its begin or end, in its migration, or because a proposal passed. @throws what the block throws */
  outside(where: Outside, text: string) {
    if (where === "vote") return this.#pass(votedRecursion(text));
    if (where === "end") return this.#good(recursionMessage(`end=${text}`));
    this.#good(recursionMessage(`${where}=${text}`));
    if (where === "begin") return this.block([]);
    this.#pass(softwareUpgrade("v2", this.app.nextHeight + 3n));
    // The program has both versions, and needs to open the stores again.
    failureOf(() => this.block([]));
    this.app.reopen();
    return this.block([]);
  }

  /** What the recursion that ran last left in state. */
  get left(): string {
    return Buffer.from(this.app.at().stores.store("deep").get(utf8("deep")) ?? []).toString();
  }

  #pass(message: Packed) {
    this.#good(propose(GOVERNOR, [message], { amount: 1_000 }));
    this.#good(vote(GOVERNOR, FIRST_PROPOSAL + this.#proposals++, VoteOption.YES));
    return this.block([]);
  }

  #good(message: Packed) {
    const made = this.block([this.#sign(message)]);
    const [result] = made.txResults;
    if (result?.code !== 0) throw new Error(`the transaction failed: ${result?.log}`);
    return made;
  }

  #sign(message: Packed, ahead = 0n): Uint8Array {
    const options = { chainId: genesis.chainId, accountNumber: ACCOUNT_NUMBER, gas: 100_000_000_000n };
    return GOVERNOR.sign([message], { ...options, sequence: this.#sequence + ahead });
  }
}
