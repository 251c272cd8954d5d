/** Opens a home in one step: what every command that reads or runs a chain begins with. */
import type { EmbeddedNode } from "../embedded/embedded-node.js";
import type { GenesisDigest } from "../home/genesis-record.js";
import type { Home } from "../home/home.js";
import { OpenHome } from "./open-home.js";
import type { OpenNodeOptions } from "./open-options.js";

export interface OpenNode {
  readonly home: Home;
  readonly node: EmbeddedNode;
  /** Of the document that the chain begins or began with. */
  readonly genesisDigest: GenesisDigest;
  close(): void;
}

/**
 * Locks a home, as `init` makes it, and opens its node. Close it: nobody else can open the home before.
 *
 * @throws Halt; UpgradeError UPG_STORE_LOCKED, UPG_INVALID_GENESIS, UPG_INVALID_CONFIG, UPG_HANDLER_*, UPG_STORE_*
 *
 * @example
 * const chain = defineChain({ name: "notesd", modules: [auth(), bank(), staking(), gov(), upgrade()] });
 * const { node, close } = openNode({ chain, home: "home", clock: logicalClock(1_000_000_000n), log: () => undefined });
 * console.log(node.nextHeight, node.lastBlock); // → 1n undefined
 * close();
 */
export function openNode(options: OpenNodeOptions): OpenNode {
  const held = OpenHome.hold(options);
  try {
    const node = held.open();
    return { home: held.home, node, genesisDigest: held.genesisDigest, close: () => held.close() };
  } catch (error) {
    held.close();
    throw error;
  }
}
