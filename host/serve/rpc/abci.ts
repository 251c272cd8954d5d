/** The chain's application: `abci_info`, and `abci_query` on stores and on the query service's methods. */

import { VERSION } from "../../base/terminal/version.js";
import { toBase64 } from "../../base/text/bytes.js";
import { answerAppQuery } from "../query/app-query.js";
import { latestBlock, type RpcContext } from "./context.js";
import type { Params } from "./params.js";

export function abciInfo({ query: { app, chain, node } }: RpcContext) {
  const latest = latestBlock(node);
  const { version } = app.at();
  return {
    response: {
      data: chain.name,
      version: VERSION,
      app_version: String(version.number),
      last_block_height: String(latest.header.height),
      last_block_app_hash: toBase64(latest.appHash),
    },
  };
}

/** An error of a query is in its response; the call itself has succeeded. */
export async function abciQueryMethod({ query, onBug }: RpcContext, params: Params) {
  const asked = {
    path: params.text("path"),
    data: params.hexBytes("data"),
    height: params.integer("height") ?? 0n,
    // Of a method it means nothing, whatever it is.
    get prove() {
      return params.flag("prove");
    },
  };
  const isKey = query.method(asked.path) === undefined;
  const { code, codespace, log, info, key, value, proof, height } = await answerAppQuery(query, asked, onBug);
  const isFound = isKey && code === 0;
  const response = {
    ...{ code, log, info, index: "0" },
    key: isFound ? toBase64(key) : null,
    value: isFound && value.length === 0 ? null : code === 0 ? toBase64(value) : null,
    proofOps: proof
      ? { ops: proof.map((op) => ({ type: op.type, key: toBase64(op.key), data: toBase64(op.data) })) }
      : null,
    height: String(height),
    codespace,
  };
  return { response };
}
