/** A receipt with its proof, verified before it is shown. */
import { setTimeout as sleep } from "node:timers/promises";
import { isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import { equalBytes, toBase64, toHex, toUpperHex } from "../../../base/text/bytes.js";
import { formatTime } from "../../../base/time/time.js";
import type { RpcClient } from "../../../node/remote/client.js";
import { decodeReceipt, type Receipt } from "../../../upgrade/handler/receipt.js";
import { type AbciAnswer, type AbciQuestion, abciQuery } from "../../wallet/ask.js";
import { claimOf, type Proven, provenFrom } from "../verify/proven.js";
import { type TrustFlags, trustedBlock } from "../verify/trust.js";

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

/**
 * The receipt, proven by the header after its state; that one by signatures, from the block that the user trusts. Without such a block
 * the result says that it rests on the server alone. That there is none is proven in the same way.
 * @throws UpgradeError UPG_NOT_FOUND_RECEIPT, UPG_PROOF_*, UPG_REMOTE_*
 */
export async function provenReceipt(rpc: RpcClient, key: Uint8Array, name: string, flags: TrustFlags): Promise<object> {
  const question = { path: `/store/${STORE}/key`, data: toHex(key), prove: false };
  const { value, height } = await newestAnswer(rpc, question);
  if (value.length === 0) throw await absence(rpc, name, flags);
  await untilHeader(rpc, height + 1n);
  const proven = await provenFrom(rpc, flags, { height, plan: name });
  const claim = claimOf(proven.claims, "receipt");
  const record = proven.evidence.records.find((each) => each.key === toBase64(key));
  if (!claim?.value || !record || !equalBytes(claim.value.bytes, value)) {
    throw new UpgradeError("UPG_PROOF_VALUE", "the node's proof is for another value than the one it returned");
  }
  const { appHash } = proven.claims.trusted.lightBlock.signedHeader.header;
  return {
    receipt: receiptJson(value),
    proof: {
      height: String(height),
      app_hash: toUpperHex(appHash),
      key: toUpperHex(key),
      value: toUpperHex(value),
      ops: record.proof_ops,
    },
    verified: verifiedJson(proven, claim.restsOn),
  };
}

/** From a trusted block absence is proven; without one it is the word of a server that may hide what it likes. */
async function absence(rpc: RpcClient, name: string, flags: TrustFlags): Promise<UpgradeError> {
  const words = `no receipt: "${name}" was not applied, or not by a Wasm handler`;
  const none = (why: string) => new UpgradeError("UPG_NOT_FOUND_RECEIPT", `${words}; ${why}`);
  if (!trustedBlock(flags)) {
    return none("this rests on the server that was asked alone: --trust-height and --trust-hash have it proven");
  }
  const { claims } = await provenFrom(rpc, flags, { height: undefined, plan: name });
  const { height, time } = claims.trusted.lightBlock.signedHeader.header;
  const receipt = claimOf(claims, "receipt");
  const isUnapplied = claims.claims.some(
    ({ id, value }) => id === "done" && value?.name === name && value.height === undefined,
  );
  if (receipt?.state === "absent" || (isUnapplied && !receipt)) {
    return none(`proven from your trusted block, by header ${height} of ${formatTime(time)}`);
  }
  return new UpgradeError(
    "UPG_PROOF_VALUE",
    "the node returned no receipt, and its proofs do not show that there is none",
  );
}

function verifiedJson({ root, claims }: Proven, restsOn: readonly string[]) {
  const { height, hash, from } = root;
  const isTrusted = from === "yours";
  return {
    by: isTrusted ? "signatures from a block that you trust" : "this server alone",
    is_trusted: isTrusted,
    words: isTrusted
      ? "The validators that your trusted block leads to have signed the header that proves this receipt."
      : "This rests on the server that was asked: it has named the validators whose signatures were verified. To verify it from a block that you trust: --trust-height and --trust-hash.",
    trusted_block: { height: String(height), hash: toUpperHex(hash) },
    signatures: claims.trusted.signatures,
    rests_on: restsOn,
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
async function untilHeader(rpc: RpcClient, height: bigint): Promise<void> {
  for (let poll = 0; ; poll++) {
    try {
      await rpc.call("commit", { height: String(height) });
      return;
    } catch (error) {
      if (poll >= POLLS) throw error;
      await sleep(POLL_MILLIS);
    }
  }
}

export const receiptJson = (bytes: Uint8Array) => receiptBody(decodeReceipt(bytes));

export function receiptBody({ plan, height, handlerSha256, abi, gasSchedule, gas, stores, checks }: Receipt) {
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
