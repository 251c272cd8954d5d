/** The genesis document of a new chain, before anybody has an account. */

import { randomBytes } from "node:crypto";
import { toHex } from "../../base/text/bytes.js";
import { formatTime } from "../../base/time/time.js";
import type { Chain } from "../../chain/app/chain.js";
import { wallClock } from "../../node/embedded/clock.js";

export function emptyGenesis(chain: Chain): Record<string, unknown> {
  const suffix = toHex(randomBytes(3));
  return {
    genesis_time: formatTime(wallClock.after({ seconds: 0n, nanos: 0 })),
    chain_id: `test-chain-${suffix}`,
    initial_height: "1",
    app_hash: null,
    app_state: Object.fromEntries(
      chain.modules.flatMap(({ name, genesis: own }) => (own?.default ? [[name, own.default(BOND_DENOM)]] : [])),
    ),
    consensus: { params: { block: { max_bytes: "22020096", max_gas: "-1" }, version: {} } },
  };
}

/** What staking counts power in on a new chain. */
const BOND_DENOM = "ustake";
