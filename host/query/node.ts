/** Queries about the node and its blocks: `cosmos.base.tendermint.v1beta1.Service`. */

import type { NodeCall } from "../chain/query/call.js";
import type { NodeBlock } from "../chain/query/node-port.js";
import { paginateList } from "../chain/query/paginate.js";
import { implementOfNode, type QueryService } from "../chain/query/service.js";
import { UpgradeError } from "../errors.js";
import type { PageRequest } from "../gen/cosmos/base/query/v1beta1/pagination_pb.js";
import { Service } from "../gen/cosmos/base/tendermint/v1beta1/query_pb.js";
import { PubKeySchema } from "../gen/cosmos/crypto/ed25519/keys_pb.js";
import type { Height } from "../types.js";
import { packAny } from "../values/any.js";
import { VERSION } from "../version.js";
import { abciQuery } from "./abci.js";
import { blockIdMessage, blockMessages } from "./blocks.js";

/** What stock clients take for the protocol of this node: they choose their decoders by it. */
export const ENGINE_VERSION = "0.38.25";
/** Protocol of blocks, as headers carry it; that of peers counts for nothing here. */
export const P2P_PROTOCOL = 8n;
export const BLOCK_PROTOCOL = 11n;

function latestBlock({ node }: NodeCall): NodeBlock {
  const latest = node.latest();
  if (!latest) throw new UpgradeError("UPG_REMOTE_NOT_READY", "the chain is not ready; please wait for first block");
  return latest;
}

function blockAt(call: NodeCall, height: Height) {
  const { node } = call;
  const last = latestBlock(call).header.height;
  if (height > last) {
    throw new UpgradeError("UPG_INVALID_HEIGHT", "requested block height is bigger then the chain length");
  }
  return {
    blockId: blockIdMessage(node.at(height).blockId),
    ...blockMessages(node.block(height), call.chain.addresses),
  };
}

function validatorSet(call: NodeCall, height: Height, request: PageRequest | undefined) {
  const list = call.node.validatorsAt(height).validators.map(({ address, publicKey, power, priority }) => ({
    address: call.chain.addresses.consensus.encode(address),
    pubKey: packAny(PubKeySchema, { key: publicKey.bytes }),
    votingPower: power,
    proposerPriority: priority,
  }));
  const page = paginateList(list, request, ({ address }) => address);
  return { blockHeight: height, validators: page.items, pagination: page.pagination };
}

export const nodeService: QueryService = implementOfNode(Service, {
  getNodeInfo(_request, call) {
    const { identity } = call.node;
    return {
      defaultNodeInfo: {
        protocolVersion: { p2p: P2P_PROTOCOL, block: BLOCK_PROTOCOL, app: call.node.consensusParams.version.app },
        defaultNodeId: identity.nodeId,
        listenAddr: "",
        network: identity.chainId,
        version: ENGINE_VERSION,
        channels: new Uint8Array(),
        moniker: identity.moniker,
        other: { txIndex: call.node.settings.isIndexed ? "on" : "off", rpcAddress: "" },
      },
      applicationVersion: { name: "chain-upgrade", appName: call.chain.name, version: VERSION },
    };
  },

  getSyncing: () => ({ syncing: false }),

  getLatestBlock: (_request, call) => blockAt(call, latestBlock(call).header.height),

  getBlockByHeight: ({ height }, call) => blockAt(call, height),

  getLatestValidatorSet: ({ pagination }, call) => validatorSet(call, latestBlock(call).header.height + 1n, pagination),

  getValidatorSetByHeight({ height, pagination }, call) {
    if (height > latestBlock(call).header.height) {
      throw new UpgradeError("UPG_INVALID_HEIGHT", "requested block height is bigger then the chain length");
    }
    if (height <= 0n) throw new UpgradeError("UPG_INVALID_HEIGHT", `height must be greater than 0, but got ${height}`);
    return validatorSet(call, height, pagination);
  },

  aBCIQuery({ path, data, height, prove }, call) {
    if (!path.startsWith("/store/")) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", "only paths of the form /store/<name>/key are asked here");
    }
    const answer = abciQuery(call.app, { path, data, height, prove });
    const proofOps = answer.proofOps ? { proofOps: { ops: [...answer.proofOps] } } : {};
    return { key: answer.key, value: answer.value, height: answer.height, ...proofOps };
  },
});
