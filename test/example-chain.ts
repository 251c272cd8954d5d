/** The example chain and its two versions, as the tests use them. */
import { exampleChain } from "../examples/chain/chain.js";
import type { ChainVersion } from "../host/chain/app/versions/version.js";

export { exampleChain };

const [first, second] = exampleChain.versions;

export const V1 = first as ChainVersion;
export const V2 = second as ChainVersion;
