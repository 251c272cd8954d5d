/** `genesis` and `genesis_chunked`. */

import { UpgradeError } from "../../base/errors/errors.js";
import type { RpcContext } from "./context.js";
import { JsonText } from "./json.js";
import type { Params } from "./params.js";

/** Bytes of a chunk, and of the largest document that is one answer. */
const CHUNK_BYTES = 16_777_216;

export async function genesis({ genesis }: RpcContext) {
  const document = await genesis.document();
  if (document.length > CHUNK_BYTES) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      "genesis response is large, please use the genesis_chunked API instead",
    );
  }
  return new JsonText([`{"genesis":`, await document.whole(), "}"]);
}

export async function genesisChunked({ genesis }: RpcContext, params: Params) {
  const document = await genesis.document();
  const total = Math.max(1, Math.ceil(document.length / CHUNK_BYTES));
  const chunk = Number(params.integer("chunk") ?? 0n);
  if (chunk < 0 || chunk >= total) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `there are ${total} chunks, counted from 0, got ${chunk}`);
  }
  const data = await genesis.base64(document, chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
  return new JsonText([`{"chunk":"${chunk}","total":"${total}","data":"`, data, `"}`]);
}
