/** A home of our own chain with CometBFT, whose genesis document has the plan: what is measured begins at its height. */
import { cometbft, freePorts, quickComet, votedGenesis } from "../../e2e/cometbft.js";
import { makeHome } from "../../e2e/prepared-home.js";
import { ChainHome } from "./chain-home.js";

/** From the start: in these the next version is fetched, asked and started ahead. */
const UPGRADE = 14;

export class ChaindHome extends ChainHome {
  #start: readonly string[] = [];

  get start(): readonly string[] {
    return this.#start;
  }

  committed(height: number): RegExp {
    return new RegExp(`block committed height=${height}\\b`);
  }

  async init(commit: string): Promise<this> {
    if (!cometbft()) throw new Error("CometBFT is missing here, and cannot be built");
    makeHome(this.path, votedGenesis({ name: "v2", height: UPGRADE }));
    const [rpc = 0, p2p = 0, grpc = 0, rest = 0] = await freePorts(4);
    this.port = rpc;
    quickComet(this.path, rpc, p2p, commit);
    const servers = ["--grpc.address", `127.0.0.1:${grpc}`, "--api.address", `tcp://127.0.0.1:${rest}`];
    this.#start = ["--engine", "cometbft", ...servers];
    return this;
  }

  propose(): Promise<number> {
    return Promise.resolve(UPGRADE);
  }
}
