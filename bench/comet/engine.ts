/** An engine that asks an application for empty blocks as CometBFT does, and takes down how long each call took. */
import { create, toBinary } from "@bufbuild/protobuf";
import { RequestSchema, type Response } from "../../host/base/gen/tendermint/abci/messages_pb.js";
import { BlockIDFlag } from "../../host/base/gen/tendermint/types/types_pb.js";
import type { Timestamp } from "../../host/base/types/types.js";
import { frame } from "../../host/node/comet/frames.js";
import { AbciClient, type RequestInit } from "../../test/unit/node/comet/client.js";

/** The calls of a block that this node proposes itself. */
export const CALLS = ["prepareProposal", "processProposal", "finalizeBlock", "commit"] as const;
export type CallName = (typeof CALLS)[number];

export interface ChainStart {
  readonly chainId: string;
  /** Of genesis. */
  readonly time: Timestamp;
  /** Who votes for each block. */
  readonly votes: readonly { readonly address: Uint8Array; readonly power: bigint }[];
}

const MAX_TX_BYTES = 21_000_000n;

export class Engine {
  #height = 0n;

  private constructor(
    private readonly client: AbciClient,
    private readonly chain: ChainStart,
  ) {}

  /** Connects to an application whose chain has no block yet. */
  static async begin(address: string, chain: ChainStart): Promise<Engine> {
    const engine = new Engine(await AbciClient.connect(address), chain);
    const { chainId, time } = chain;
    await engine.#call({ case: "initChain", value: { chainId, time, initialHeight: 1n } });
    return engine;
  }

  get height(): bigint {
    return this.#height;
  }

  /** Milliseconds of each call of the next block. @throws Error when the application refuses one */
  async emptyBlock(): Promise<Readonly<Record<CallName, number>>> {
    const height = ++this.#height;
    const time = { ...this.chain.time, seconds: this.chain.time.seconds + height };
    const votes = this.chain.votes.map((validator) => ({ validator, blockIdFlag: BlockIDFlag.BLOCK_ID_FLAG_COMMIT }));
    const commit = { round: 0, votes };
    const of = { height, time, proposerAddress: this.chain.votes[0]?.address ?? new Uint8Array(20) };
    return {
      prepareProposal: await this.#timed({ case: "prepareProposal", value: { ...of, maxTxBytes: MAX_TX_BYTES } }),
      processProposal: await this.#timed({ case: "processProposal", value: { ...of, proposedLastCommit: commit } }),
      finalizeBlock: await this.#timed({ case: "finalizeBlock", value: { ...of, decidedLastCommit: commit } }),
      commit: await this.#timed({ case: "commit", value: {} }),
    };
  }

  end(): void {
    this.client.end();
  }

  async #timed(request: RequestInit): Promise<number> {
    const begun = performance.now();
    await this.#call(request);
    return performance.now() - begun;
  }

  /** CometBFT sends Flush after each request, and goes on with its response. */
  async #call(request: RequestInit): Promise<void> {
    const answers = Promise.all([this.client.next(), this.client.next()]);
    this.client.write(...messageOf(request), ...FLUSH);
    const [answer] = await answers;
    if (answer.case !== request.case) throw new Error(`${request.case}: ${reasonOf(answer)}`);
  }
}

const messageOf = (value: RequestInit) => frame(toBinary(RequestSchema, create(RequestSchema, { value })));
const FLUSH = messageOf({ case: "flush", value: {} });

function reasonOf(answer: Response["value"]): string {
  return answer.case === "exception" ? answer.value.error : `the answer is ${answer.case}`;
}
