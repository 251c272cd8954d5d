/** Homes whose blocks are made as CometBFT has them made, without CometBFT. */
import { join } from "node:path";
import { toUpperHex } from "../../../../host/base/text/bytes.js";
import { AppPort } from "../../../../host/chain/app/app-port.js";
import { OpenHome } from "../../../../host/node/open/open-home.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisText } from "../../../scenario/genesis-text.js";
import { newPath } from "../../../test-folder.js";

export function newHome(): string {
  const home = newPath("home");
  makeHome(home, genesisText());
  return home;
}

/** Makes the blocks that are missing up to a height. @returns the app hash, as upper-case hex */
export function blocks(home: string, upTo: bigint): string {
  const held = OpenHome.holdForComet({ chain: exampleChain, home, handlers: join(home, "none"), log: () => undefined });
  try {
    const { app, genesis, alongsideFirst } = held.openApp();
    const port = new AppPort({ app, genesis, ...(alongsideFirst ? { alongsideFirst } : {}) });
    while (app.lastCommitID.version < upTo) {
      const height = app.nextHeight;
      const { seconds } = genesis.time;
      port.finalizeBlock({ height, time: { seconds: seconds + 5n * (height - 1n), nanos: 0 } });
      port.commit();
    }
    return toUpperHex(app.lastCommitID.hash);
  } finally {
    held.close();
  }
}
