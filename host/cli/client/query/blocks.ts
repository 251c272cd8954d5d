/** Questions about transactions and blocks. */

import { setTimeout as sleep } from "node:timers/promises";
import { isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import { Service } from "../../../base/gen/cosmos/tx/v1beta1/service_pb.js";
import { parseHeight } from "../../../base/terminal/options.js";
import { usage } from "../../../base/terminal/usage.js";
import { fromHex, toBase64 } from "../../../base/text/bytes.js";
import type { Chain } from "../../../chain/app/chain.js";
import type { RpcClient } from "../../../node/remote/client.js";
import { named } from "../../../node/remote/refusals.js";
import { ask } from "../../wallet/ask.js";
import { type QueryFlags, rpcClient } from "../flags.js";
import { messageJson } from "../message-json.js";
import type { Answer, Question } from "./question.js";

const POLL_MILLIS = 200;
const NANOS_PER_MILLI = 1_000_000n;

function checkedHash(hash = ""): string {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(hash))
    throw usage(`"${hash.slice(0, 80)}" is no hash of a transaction: 64 hex digits`);
  return hash.replace(/^0x/, "").toUpperCase();
}

/** The transaction as the Cosmos SDK's tools show it: the TxResponse alone. @throws UpgradeError UPG_NOT_FOUND_RECORD */
export async function findTx(chain: Chain, rpc: RpcClient, hash: string): Promise<Answer> {
  const { getTx } = Service.method;
  const found = await ask(rpc, getTx, { hash });
  return { json: (messageJson(chain, getTx.output, found)["tx_response"] ?? {}) as object };
}

export const tx: Question = ([hash], flags, chain) => findTx(chain, rpcClient(flags), checkedHash(hash));

export const waitTx: Question = async ([hash], flags, chain) =>
  waitForTx(chain, rpcClient(flags), checkedHash(hash), Number(flags.timeout / NANOS_PER_MILLI));

/** @throws UpgradeError UPG_REMOTE_UNAVAILABLE when it is in no block in time */
export async function waitForTx(chain: Chain, rpc: RpcClient, hash: string, millis: number): Promise<Answer> {
  for (const until = Date.now() + millis; ; ) {
    try {
      return await findTx(chain, rpc, hash);
    } catch (error) {
      if (!isUpgradeError(error) || !error.code.startsWith("UPG_NOT_FOUND_")) throw error;
    }
    if (Date.now() >= until) {
      throw new UpgradeError(
        "UPG_REMOTE_UNAVAILABLE",
        `transaction ${hash} is in no block yet; --timeout waits longer`,
      );
    }
    await sleep(POLL_MILLIS);
  }
}

interface TxsFlags extends QueryFlags {
  readonly query?: string;
  readonly page: number;
  readonly limit: number;
}

export const txs: Question<TxsFlags> = async (_, flags, chain) => {
  const { getTxsEvent } = Service.method;
  const { query = "", page, limit } = flags;
  if (query === "") throw usage('required flag(s) "query" not set');
  const request = { query, page: BigInt(page), limit: BigInt(limit) };
  const found = messageJson(chain, getTxsEvent.output, await ask(rpcClient(flags), getTxsEvent, request));
  const list = (found["tx_responses"] ?? []) as unknown[];
  return {
    json: {
      total_count: found["total"],
      count: String(list.length),
      page_number: String(page),
      limit: String(limit),
      txs: list,
    },
  };
};

interface BlockFlags extends QueryFlags {
  readonly type?: string;
}

export const block: Question<BlockFlags> = async ([given], flags) => {
  const rpc = rpcClient(flags);
  const isHash = flags.type === "hash" || (flags.type === undefined && /^[0-9a-fA-F]{64}$/.test(given ?? ""));
  if (isHash) {
    const hash = toBase64(fromHex(checkedHash(given)));
    return { json: blockOf(await rpc.call("block_by_hash", { hash })) };
  }
  return { json: blockOf(await ofHeight(rpc, "block", heightParams(given, flags))) };
};

/**
 * Reports a height that the node does not have as UPG_NOT_FOUND_BLOCK. A node of this program returns UPG_INVALID_HEIGHT for a height
 * after its last block; the heights sent here are well-formed. CometBFT returns a message without a code.
 */
async function ofHeight(rpc: RpcClient, method: string, params: Record<string, string>): Promise<unknown> {
  try {
    return await rpc.call(method, params);
  } catch (cause) {
    const error = named(cause);
    if (!isUpgradeError(error) || error.code !== "UPG_INVALID_HEIGHT") throw error;
    throw new UpgradeError("UPG_NOT_FOUND_BLOCK", error.message, { cause: error });
  }
}

function blockOf(result: unknown): object {
  const { block: found } = result as { block?: object | null };
  if (!found) throw new UpgradeError("UPG_NOT_FOUND_BLOCK", "the node has no such block");
  return result as object;
}

export const blockResults: Question = async ([given], flags) => ({
  json: (await ofHeight(rpcClient(flags), "block_results", heightParams(given, flags))) as object,
});

function heightParams(given: string | undefined, { height }: QueryFlags): Record<string, string> {
  const asked = given === undefined ? height : parsedHeight(given);
  return asked === 0n ? {} : { height: String(asked) };
}

function parsedHeight(text: string): bigint {
  try {
    return parseHeight(text);
  } catch {
    throw usage(`"${text.slice(0, 40)}" is no height of a block`);
  }
}
