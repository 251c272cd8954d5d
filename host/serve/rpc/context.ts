/** What every method of the RPC is given, and how it asks for a height. */

import { UpgradeError } from "../../base/errors/errors.js";
import type { Height, LeftSignal } from "../../base/types/types.js";
import type { LocalNode, NodeBlock } from "../../chain/app/query/node-port.js";
import type { Query } from "../query/query.js";
import type { GenesisAnswers } from "./genesis-document.js";
import type { Params } from "./params.js";

export interface RpcContext {
  readonly query: Query<LocalNode>;
  readonly genesis: GenesisAnswers;
  /** Where this server listens, as `tcp://host:port`. */
  readonly address: string;
  /** Logs an error with exit status 70. */
  onBug(error: unknown): void;
  /** Aborted when the client leaves. */
  readonly signal?: LeftSignal;
}

/** @throws UpgradeError UPG_REMOTE_NOT_READY */
export function latestBlock(node: LocalNode): NodeBlock {
  const latest = node.latest();
  if (!latest) throw new UpgradeError("UPG_REMOTE_NOT_READY", "the chain is not ready; please wait for first block");
  return latest;
}

/** The height that is asked for; without one the last. @throws UpgradeError UPG_INVALID_HEIGHT, UPG_NOT_FOUND_BLOCK */
export function askedBlock({ query: { node } }: RpcContext, params: Params): NodeBlock {
  const height = params.integer("height");
  const last = latestBlock(node);
  return height === undefined ? last : blockAt(node, height, last.header.height);
}

function blockAt(node: LocalNode, height: Height, last: Height): NodeBlock {
  requireHeight(height, last);
  return node.at(height);
}

/** @throws UpgradeError UPG_INVALID_HEIGHT */
function requireHeight(height: Height, last: Height): void {
  if (height <= 0n) {
    throw new UpgradeError("UPG_INVALID_HEIGHT", `height must be greater than 0, but got ${height}`);
  }
  if (height > last) {
    throw new UpgradeError(
      "UPG_INVALID_HEIGHT",
      `height ${height} must be less than or equal to the current blockchain height ${last}`,
    );
  }
}

/** As CometBFT: set and parameters of the block after the last one are known, and those that are shown without a height. */
export function askedSetHeight({ query: { node } }: RpcContext, params: Params): Height {
  const last = latestBlock(node).header.height;
  const height = params.integer("height") ?? last + 1n;
  requireHeight(height, last + 1n);
  // Sets may be known below the lowest block; CometBFT serves none of them.
  if (height <= last) node.at(height);
  return height;
}

const PER_PAGE_DEFAULT = 30n;
const PER_PAGE_MAX = 100n;

/** `per_page`, bounded. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function pageSize(params: Params): number {
  const asked = params.integer("per_page") ?? PER_PAGE_DEFAULT;
  return Number(asked < 1n ? PER_PAGE_DEFAULT : asked > PER_PAGE_MAX ? PER_PAGE_MAX : asked);
}

/** `page` and `per_page` over a list of `total`. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function pageOf(params: Params, total: number): { readonly first: number; readonly size: number } {
  const size = pageSize(params);
  const page = params.integer("page") ?? 1n;
  const pages = BigInt(Math.max(1, Math.ceil(total / size)));
  if (page < 1n || page > pages) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `page should be within [1, ${pages}] range, given ${page}`);
  }
  return { first: (Number(page) - 1) * size, size };
}
