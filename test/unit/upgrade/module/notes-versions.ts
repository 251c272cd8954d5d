/** Two versions of a chain with the module notes, by public names of the library alone. */
import { type AppVersion, Core } from "../../../../host/index.js";

export const V1: AppVersion = {
  ...{ number: 1n, plan: undefined, modules: new Map([["notes", 1n]]), stores: ["notes", "upgrade"] },
};
export const V2: AppVersion = {
  ...{ number: 2n, plan: "v2", modules: new Map([["notes", 2n]]), stores: ["likes", "notes", "upgrade"] },
};
export const core = new Core();
export const AUTHORITY = "gov";

/** What hooks are given of a block. */
export const blockFacts = (height: bigint) => ({
  chainId: "c-1",
  height,
  time: { seconds: 0n, nanos: 0 },
  appVersion: 0n,
});
