/** The chain that this command line serves. A process has one, named before any command runs. */

import { assert } from "../../base/errors/errors.js";
import { nameProgram } from "../../base/text/program-name.js";
import type { Chain } from "../../chain/app/chain.js";

let served: Chain | undefined;

export function serveChain(chain: Chain): void {
  served = chain;
  nameProgram(chain.name);
}

export function programChain(): Chain {
  assert(served, "a command runs before its program has named its chain");
  return served;
}
