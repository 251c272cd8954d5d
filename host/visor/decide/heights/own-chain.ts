/**
 * Another chain's node may answer at the address, as on a machine with several: what it says of heights and plans is none of this
 * home's. So it is asked for its chain first.
 */
import { join } from "node:path";
import type { Machine } from "../machine.js";
import { genesisChainId } from "./genesis-chain.js";
import type { AskRpc } from "./node-status.js";

export interface OwnChainOptions {
  readonly machine: Pick<Machine, "files" | "clock">;
  readonly home: string;
  readonly log: (level: "warn", message: string) => void;
}

/** Rejects for a node of another chain than the home's genesis; where there is no genesis all are taken. */
export function ofOwnChain(ask: AskRpc, { machine, home, log }: OwnChainOptions): AskRpc {
  const genesis = join(home, "config", "genesis.json");
  const pause = () => machine.clock.sleep(0);
  let said = "";
  let known: { readonly print: string; readonly id: Promise<string | undefined> } | undefined;
  const own = () => {
    const print = machine.files.facts(genesis)?.print ?? "";
    if (known?.print !== print) known = { print, id: genesisChainId(machine.files, genesis, pause) };
    return known.id;
  };
  return async (url, signal) => {
    const chain = await own().catch(() => undefined);
    if (chain === undefined) return ask(url, signal);
    const { href } = new URL("status", url);
    const status = await ask(href, signal);
    const theirs = networkIn(status);
    if (theirs !== chain) {
      const line = `the node at ${href} is of chain ${theirs ?? "it does not say which"}, and this home of ${chain}: it is not asked for heights and plans (CHAINVISOR_RPC_ADDRESS)`;
      if (said !== line) log("warn", line);
      said = line;
      throw new Error(line);
    }
    return url === href ? status : ask(url, signal);
  };
}

/** Of CometBFT's `/status`. */
function networkIn(json: unknown): string | undefined {
  const { result } = (json ?? {}) as { result?: { node_info?: { network?: unknown } } };
  const network = result?.node_info?.network;
  return typeof network === "string" ? network : undefined;
}
