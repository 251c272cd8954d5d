/** Light blocks of an RPC's own JSON, for who has no evidence. */
import { sha256 } from "@noble/hashes/sha2.js";
import type { LightBlock } from "../chain/comet-types/light-block.js";
import { JsonView } from "./json.js";
import { lightBlockOf } from "./rpc-json.js";

/**
 * A light block of what `commit` (its `signed_header`) and `validators` (all pages) of CometBFT's RPC return. It has its
 * form then; `startAt` and `advance` say whether it is true.
 *
 * @throws UpgradeError UPG_PROOF_MALFORMED
 *
 * @example
 * try {
 *   readLightBlock({ header: {}, commit: {} }, []);
 * } catch (error) {
 *   console.log(isUpgradeError(error) && error.message); // → signed_header.header.version: expected an object
 * }
 */
export function readLightBlock(signedHeader: unknown, validators: unknown): LightBlock {
  return lightBlockOf(sha256, new JsonView(signedHeader, "signed_header"), new JsonView(validators, "validators"));
}
