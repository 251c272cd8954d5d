/** MsgAttest and MsgWithdrawAttestation: what a validator's operator says of a plan before its height. */

import {
  type MsgAttest,
  MsgAttestResponseSchema,
  MsgAttestSchema,
  type MsgWithdrawAttestation,
  MsgWithdrawAttestationResponseSchema,
  MsgWithdrawAttestationSchema,
} from "../../../base/gen/chain/upgrade/v1/tx_pb.js";
import { visible } from "../../../base/text/visible.js";
import { UPGRADE_STORE } from "../../../upgrade/module/keeper.js";
import type { MessageKind, ModuleContext } from "../../app/context.js";
import { messageKind } from "../../app/tx/message-kind.js";
import { readAddress } from "../../app/tx/read-address.js";
import { SDK, STAKING, TxError } from "../../values/tx-error.js";
import { decidesBlocks } from "../staking/power.js";
import { readValidator, STAKING_STORE } from "../staking/records.js";
import { readAttestation, removeAttestation, writeAttestation } from "./attestations.js";

const HASH_BYTES = 32;
const invalid = (what: string) => new TxError(SDK.INVALID_REQUEST, what);

/** The messages, known to the chain from this app version on. */
export function attestationMessages(since: bigint): MessageKind[] {
  return [
    messageKind({
      isBounded: true,
      schema: MsgAttestSchema,
      response: MsgAttestResponseSchema,
      since,
      run: attest,
    }),
    messageKind({
      isBounded: true,
      schema: MsgWithdrawAttestationSchema,
      response: MsgWithdrawAttestationResponseSchema,
      since,
      run: withdraw,
    }),
  ];
}

/** @throws TxError; UpgradeError UPG_INVALID_PLAN_* */
function attest(context: ModuleContext, message: MsgAttest): undefined {
  const { validatorAddress, plan, artifactSha256, appHash, rehearsedHeight } = message;
  const operator = operatorOf(context, validatorAddress);
  requireForm(message);
  requireOpenPlan(context, plan);
  if (rehearsedHeight >= context.height) {
    throw invalid(`rehearsed_height ${rehearsedHeight} has no state yet: this is block ${context.height}`);
  }
  requireBonded(context, operator, validatorAddress);
  writeAttestation(context.store(UPGRADE_STORE), operator, {
    ...{ plan, artifactSha256, appHash, rehearsedHeight, height: context.height },
  });
  context.emit("attest", ["plan", plan], ["validator", validatorAddress]);
}

/** Also by one that is no longer bonded. @throws TxError sdk 7, sdk 18 */
function withdraw(context: ModuleContext, { validatorAddress, plan }: MsgWithdrawAttestation): undefined {
  const operator = operatorOf(context, validatorAddress);
  const store = context.store(UPGRADE_STORE);
  if (readAttestation(store, operator)?.plan !== plan)
    throw invalid(`validator ${validatorAddress} has attested nothing of the plan "${visible(plan)}"`);
  removeAttestation(store, operator);
  context.emit("withdraw_attestation", ["plan", plan], ["validator", validatorAddress]);
}

const operatorOf = ({ addresses }: ModuleContext, text: string) =>
  readAddress(addresses.operators, text, "invalid validator address");

function requireForm({ artifactSha256, appHash, rehearsedHeight }: MsgAttest): void {
  if (artifactSha256.length !== HASH_BYTES)
    throw invalid(`artifact_sha256 must have ${HASH_BYTES} bytes, got ${artifactSha256.length}`);
  if (appHash.length !== 0 && appHash.length !== HASH_BYTES)
    throw invalid(`app_hash must have ${HASH_BYTES} bytes or none, got ${appHash.length}`);
  if (rehearsedHeight < 0n) throw invalid(`rehearsed_height must not be negative, got ${rehearsedHeight}`);
  if (appHash.length > 0 !== rehearsedHeight > 0n)
    throw invalid("app_hash and rehearsed_height belong together: a rehearsal gives both");
}

/**
 * Any plan that may still be applied: one that a proposal names can be rehearsed before the vote ends, and a name that is
 * never scheduled counts nowhere.
 */
function requireOpenPlan({ keeper, stores, height }: ModuleContext, name: string): void {
  keeper.core.validatePlan(keeper.core.encodePlan({ name, height, info: "" }));
  const done = keeper.doneHeight(stores.store(UPGRADE_STORE), name);
  if (done > 0n) throw invalid(`the plan "${visible(name)}" was applied in block ${done}`);
}

/** @throws TxError staking 3, sdk 4 */
function requireBonded({ stores }: ModuleContext, operator: Uint8Array, address: string): void {
  const validator = stores.names.includes(STAKING_STORE)
    ? readValidator(stores.store(STAKING_STORE), operator)
    : undefined;
  if (!validator) throw new TxError(STAKING.NO_VALIDATOR, address);
  if (decidesBlocks(validator)) return;
  throw new TxError(SDK.UNAUTHORIZED, `validator ${address} is not bonded: only those who decide blocks attest`);
}
