/** Who this node is, and whether it is well. */
import { utf8 } from "../../bytes.js";
import { formatTime } from "../../commitment/block/time.js";
import { UpgradeError } from "../../errors.js";
import type { NodeBlock, NodePort } from "../node-port.js";
import { BLOCK_PROTOCOL, ENGINE_VERSION, P2P_PROTOCOL } from "../query/node.js";
import type { RpcContext } from "./context.js";
import { base64Json, consensusParamsJson, hexJson, keyJson } from "./json.js";
import type { Params } from "./params.js";

const CHUNK_BYTES = 16_777_216;

export const health = () => ({});

export function status({ query: { node }, address }: RpcContext) {
  const { identity, consensusParams, validators } = node;
  const [latest, earliest] = [node.latest(), node.earliest()];
  return {
    node_info: {
      protocol_version: {
        p2p: String(P2P_PROTOCOL),
        block: String(BLOCK_PROTOCOL),
        app: String(consensusParams.version.app),
      },
      id: identity.nodeId,
      listen_addr: address,
      network: identity.chainId,
      version: ENGINE_VERSION,
      channels: "",
      moniker: identity.moniker,
      other: { tx_index: "on", rpc_address: address },
    },
    sync_info: { ...edge("latest", latest), ...edge("earliest", earliest), catching_up: false },
    validator_info: {
      address: hexJson(identity.address),
      pub_key: keyJson({ type: "ed25519", bytes: identity.publicKey }),
      voting_power: String(validators.totalPower),
    },
  };
}

/** Before the first block the field's clients read empty hashes and year 1. */
function edge(name: "latest" | "earliest", block: NodeBlock | undefined) {
  return {
    [`${name}_block_hash`]: block ? hexJson(block.blockId.hash) : "",
    [`${name}_app_hash`]: block ? hexJson(block.header.appHash) : "",
    [`${name}_block_height`]: String(block?.header.height ?? 0n),
    [`${name}_block_time`]: block ? formatTime(block.header.time) : "0001-01-01T00:00:00Z",
  };
}

/** The engine has no peers. */
export const netInfo = ({ address }: RpcContext) => ({
  listening: true,
  listeners: [address],
  n_peers: "0",
  peers: [],
});

/** The document as an engine holds it: consensus parameters in full, at the top. */
function genesisDocument(node: NodePort): object {
  const { consensus, app_state, app_hash, ...rest } = JSON.parse(node.genesis()) as Readonly<Record<string, unknown>>;
  const { validators = [] } = (consensus ?? {}) as { readonly validators?: unknown };
  return {
    ...rest,
    consensus_params: consensusParamsJson(node.consensusParams),
    validators,
    app_hash: app_hash ?? "",
    app_state,
  };
}

export function genesis({ query: { node } }: RpcContext) {
  const document = genesisDocument(node);
  if (JSON.stringify(document).length > CHUNK_BYTES) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      "genesis response is large, please use the genesis_chunked API instead",
    );
  }
  return { genesis: document };
}

export function genesisChunked({ query: { node } }: RpcContext, params: Params) {
  const bytes = utf8(JSON.stringify(genesisDocument(node)));
  const total = Math.max(1, Math.ceil(bytes.length / CHUNK_BYTES));
  const chunk = Number(params.integer("chunk") ?? 0n);
  if (chunk < 0 || chunk >= total) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `there are ${total} chunks, counted from 0, got ${chunk}`);
  }
  const data = base64Json(bytes.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES));
  return { chunk: String(chunk), total: String(total), data };
}
