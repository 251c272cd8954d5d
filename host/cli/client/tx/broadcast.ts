/** Sends a transaction's bytes and shows the node's response in the Cosmos SDK's form. */

import { sha256 } from "../../../base/native/sha256.js";
import { toBase64, toUpperHex } from "../../../base/text/bytes.js";
import type { RpcClient } from "../../../node/remote/client.js";
import type { Context } from "../../flags/context.js";
import { waitForTx } from "../query/blocks.js";
import { txFailure } from "./failure.js";
import type { TxFlags } from "./flags.js";

const NANOS_PER_MILLI = 1_000_000n;

interface CheckAnswer {
  readonly code?: number;
  readonly codespace?: string;
  /** Hex. */
  readonly data?: string | null;
  readonly log?: string;
  readonly hash?: string;
}

/**
 * Prints a TxResponse. With `--broadcast-mode block` it is the one of the block.
 * @throws UpgradeError UPG_REMOTE_REFUSED when the node does not take it, or it failed in its block
 */
export async function broadcast(
  rpc: RpcClient,
  bytes: Uint8Array,
  flags: Pick<TxFlags, "broadcastMode" | "timeout">,
  context: Context,
): Promise<void> {
  const { chain } = context;
  const tx = toBase64(bytes);
  const method = flags.broadcastMode === "async" ? "broadcast_tx_async" : "broadcast_tx_sync";
  const answer = (await rpc.call(method, { tx })) as CheckAnswer;
  const hash = toUpperHex(sha256(bytes));
  const checked = txResponse(answer, hash);
  if (checked.code === 0 && flags.broadcastMode === "block") {
    const millis = Number(flags.timeout / NANOS_PER_MILLI);
    const { json } = await waitForTx(chain, rpc, hash, millis);
    await context.print(json);
    refuse(json as { code: number; codespace: string; raw_log: string });
    return;
  }
  await context.print(checked);
  refuse(checked);
}

function txResponse({ code = 0, codespace = "", data, log = "" }: CheckAnswer, txhash: string) {
  return {
    ...{
      height: "0",
      txhash,
      codespace,
      code,
      data: (data ?? "").toUpperCase(),
    },
    ...{ raw_log: code === 0 ? "" : log, logs: [], info: "", gas_wanted: "0", gas_used: "0" },
    ...{ tx: null, timestamp: "", events: [] },
  };
}

/** The response is on stdout; the exit status says that it is an error. */
function refuse({ code, codespace, raw_log }: { code: number; codespace: string; raw_log: string }): void {
  if (code === 0) return;
  throw txFailure("UPG_REMOTE_REFUSED", "the transaction", { codespace, code, log: raw_log });
}
