/** Queries about the node and its blocks: `cosmos.base.tendermint.v1beta1.Service`. */

import { UpgradeError } from "../../base/errors/errors.js";
import type { PageRequest } from "../../base/gen/cosmos/base/query/v1beta1/pagination_pb.js";
import { Service } from "../../base/gen/cosmos/base/tendermint/v1beta1/query_pb.js";
import { PubKeySchema } from "../../base/gen/cosmos/crypto/ed25519/keys_pb.js";
import { VERSION } from "../../base/terminal/version.js";
import type { Height } from "../../base/types/types.js";
import type { NodeCall } from "../../chain/app/query/call.js";
import type { NodeHead } from "../../chain/app/query/node-port.js";
import { implementOfNode, type QueryService } from "../../chain/app/query/service.js";
import { packAny } from "../../chain/values/any.js";
import { paginateList } from "../../chain/values/paginate.js";
import { abciQuery } from "./abci.js";
import { blockIdMessage, blockMessages } from "./blocks.js";

async function latestBlock({ node }: NodeCall): Promise<NodeHead> {
  const latest = await node.latest();
  if (!latest) throw new UpgradeError("UPG_REMOTE_NOT_READY", "the chain is not ready; please wait for first block");
  return latest;
}

async function blockAt(call: NodeCall, height: Height) {
  const { node } = call;
  const last = (await latestBlock(call)).header.height;
  if (height > last) {
    throw new UpgradeError("UPG_INVALID_HEIGHT", "requested block height is bigger then the chain length");
  }
  const block = await node.block(height);
  const { blockId } = await node.at(height);
  return { blockId: blockIdMessage(blockId), ...blockMessages(block, call.chain.addresses) };
}

async function validatorSet(call: NodeCall, height: Height, request: PageRequest | undefined) {
  const { validators } = await call.node.validatorsAt(height);
  const list = validators.map(({ address, publicKey, power, priority }) => ({
    address: call.chain.addresses.consensus.encode(address),
    pubKey: packAny(PubKeySchema, { key: publicKey.bytes }),
    votingPower: power,
    proposerPriority: priority,
  }));
  const page = paginateList(list, request, ({ address }) => address);
  return { blockHeight: height, validators: page.items, pagination: page.pagination };
}

export const nodeService: QueryService = implementOfNode(Service, {
  async getNodeInfo(_request, call) {
    const { protocol, nodeId, listenAddress, chainId, version, ...rest } = await call.node.info();
    const { channels, moniker, txIndex, rpcAddress } = rest;
    return {
      defaultNodeInfo: {
        ...{ protocolVersion: protocol, defaultNodeId: nodeId, listenAddr: listenAddress, network: chainId },
        ...{ version, channels, moniker, other: { txIndex, rpcAddress } },
      },
      applicationVersion: { name: "chain-upgrade", appName: call.chain.name, version: VERSION },
    };
  },

  async getSyncing(_request, { node }) {
    const { isSyncing } = await node.info();
    return { syncing: isSyncing };
  },

  getLatestBlock: async (_request, call) => blockAt(call, (await latestBlock(call)).header.height),

  getBlockByHeight: ({ height }, call) => blockAt(call, height),

  async getLatestValidatorSet({ pagination }, call) {
    return validatorSet(call, (await latestBlock(call)).header.height + 1n, pagination);
  },

  async getValidatorSetByHeight({ height, pagination }, call) {
    if (height > (await latestBlock(call)).header.height) {
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
