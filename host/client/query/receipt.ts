/** A receipt with its proof, verified before it is shown. */
import { setTimeout as sleep } from "node:timers/promises";
import { equalBytes, fromHex, toBase64, toHex, toUpperHex } from "../../bytes.js";
import type { RpcClient } from "../../comet-rpc/client.js";
import { verifyStoreProof } from "../../commitment/verify-existence.js";
import { isUpgradeError, UpgradeError } from "../../errors.js";
import { decodeReceipt } from "../../handler/receipt.js";
import { sha256 } from "../../native/sha256.js";
import { type AbciAnswer, type AbciQuestion, abciQuery } from "../../wallet/ask.js";

const STORE = "upgrade";
const POLL_MILLIS = 250;
const POLLS = 40;

/** The record of a block: id, size, header, number of transactions (specification 6.7). Undefined: the node does not have it. */
export async function blockMeta(rpc: RpcClient, height: bigint): Promise<object | undefined> {
  const range = { minHeight: String(height), maxHeight: String(height) };
  try {
    const answer = (await rpc.call("blockchain", range)) as { block_metas?: readonly object[] | null };
    return answer.block_metas?.[0];
  } catch (error) {
    // CometBFT's words for a height below its lowest block.
    const isBelow = isUpgradeError(error) && /min height \d+ can't be greater than max height/.test(error.message);
    if (!isBelow) throw error;
    return undefined;
  }
}

/** @throws UpgradeError UPG_NOT_FOUND_RECEIPT, UPG_PROOF_*, UPG_REMOTE_* */
export async function provenReceipt(rpc: RpcClient, key: Uint8Array, name: string): Promise<object> {
  const question = { path: `/store/${STORE}/key`, data: toHex(key), prove: false };
  const { value, height } = await newestAnswer(rpc, question);
  if (value.length === 0) {
    throw new UpgradeError("UPG_NOT_FOUND_RECEIPT", `no receipt: "${name}" was not applied, or not by a Wasm handler`);
  }
  const proven = await abciQuery(rpc, { ...question, height, prove: true });
  const appHash = await appHashAfter(rpc, height);
  if (!equalBytes(proven.value, value)) {
    throw new UpgradeError("UPG_PROOF_VALUE", "the node's proof is for another value than the one it returned");
  }
  verifyStoreProof(sha256, { store: STORE, key, value, appHash, proofs: proven.proofOps.map(({ data }) => data) });
  const ops = proven.proofOps.map((op) => ({
    ...{ type: op.type, key: toBase64(op.key), data: toBase64(op.data) },
  }));
  return {
    receipt: receiptJson(value),
    proof: {
      height: String(height),
      app_hash: toUpperHex(appHash),
      key: toUpperHex(key),
      value: toUpperHex(value),
      ops,
    },
  };
}

/** Without a height a node reads the last state that can be proven; the block of the upgrade may be the one after it. */
async function newestAnswer(rpc: RpcClient, question: Omit<AbciQuestion, "height">): Promise<AbciAnswer> {
  const provable = await abciQuery(rpc, { ...question, height: 0n });
  if (provable.value.length > 0) return provable;
  const { response } = (await rpc.call("abci_info")) as { response: { last_block_height: string } };
  const height = BigInt(response.last_block_height);
  return height > provable.height ? abciQuery(rpc, { ...question, height }) : provable;
}

/** The header of the next block carries the app hash; it may still have to be made. */
async function appHashAfter(rpc: RpcClient, height: bigint): Promise<Uint8Array> {
  for (let poll = 0; ; poll++) {
    try {
      const answer = (await rpc.call("commit", { height: String(height + 1n) })) as {
        signed_header: { header: { app_hash: string } };
      };
      return fromHex(answer.signed_header.header.app_hash);
    } catch (error) {
      if (poll >= POLLS) throw error;
      await sleep(POLL_MILLIS);
    }
  }
}

function receiptJson(bytes: Uint8Array) {
  const { plan, height, handlerSha256, abi, gasSchedule, gas, stores, checks } = decodeReceipt(bytes);
  return {
    ...{ plan, height: String(height), handler_sha256: toHex(handlerSha256), abi },
    ...{ gas_schedule: gasSchedule, gas: String(gas) },
    stores: stores.map(({ name, written, deleted, bytes: size, ...digests }) => ({
      ...{ name, written: String(written), deleted: String(deleted), bytes: String(size) },
      ...{ root_before: toUpperHex(digests.rootBefore), root_after: toUpperHex(digests.rootAfter) },
      writes_sha256: toHex(digests.writesSha256),
    })),
    checks,
  };
}
