/** Proposals: submitted and cancelled. */
import { create } from "@bufbuild/protobuf";
import { ProposalSchema, ProposalStatus, TallyResultSchema } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import type { MsgSubmitProposal } from "../../../base/gen/cosmos/gov/v1/tx_pb.js";
import { compareTimes } from "../../../base/time/time.js";
import type { Any } from "../../../base/types/types.js";
import type { ModuleContext, ReadMessage } from "../../app/context.js";
import { moduleAddress } from "../../values/address.js";
import { GAS } from "../../values/gas.js";
import { GOV, TxError, undefinedError } from "../../values/tx-error.js";
import { chargeDeposits, noSuchProposal } from "./deposits.js";
import { addPeriod, timeMessage } from "./periods.js";
import { checkTextLengths } from "./proposal-text.js";
import { dequeueProposal, enqueue } from "./queues.js";
import {
  GOV_MODULE,
  GOV_STORE,
  readNextProposalId,
  readParams,
  readProposal,
  removeProposal,
  removeVotes,
  writeNextProposalId,
  writeProposal,
} from "./records.js";

/** Records a proposal in its deposit period and returns its id; its initial deposit is added apart. @throws TxError */
export function createProposal(context: ModuleContext, message: MsgSubmitProposal): bigint {
  const { metadata, title, summary, expedited } = message;
  checkTextLengths(message);
  for (const any of message.messages) checkProposable(context, any);
  const store = context.store(GOV_STORE);
  const id = readNextProposalId(store);
  writeNextProposalId(store, id + 1n);
  const { maxDepositPeriod } = readParams(store);
  const depositEndTime = addPeriod(context.time, maxDepositPeriod);
  const proposer = context.addresses.encode(context.addresses.decodeAny(message.proposer));
  const proposal = create(ProposalSchema, {
    id,
    messages: message.messages,
    status: ProposalStatus.DEPOSIT_PERIOD,
    finalTallyResult: create(TallyResultSchema, {
      yesCount: "0",
      abstainCount: "0",
      noCount: "0",
      noWithVetoCount: "0",
    }),
    submitTime: timeMessage(context.time),
    depositEndTime,
    metadata,
    title,
    summary,
    proposer,
    expedited,
  });
  writeProposal(store, proposal);
  enqueue(store, "deposit", depositEndTime, id);
  const types = message.messages.map(({ typeUrl }) => `,${typeUrl}`).join("");
  context.emit(
    "submit_proposal",
    ["proposal_id", String(id)],
    ["proposal_proposer", proposer],
    ["proposal_messages", types],
  );
  // The Cosmos SDK charges a proposal's storage once more.
  const size = BigInt(message.messages.reduce((sum, { value }) => sum + value.length, title.length + summary.length));
  context.consumeGas(3n * GAS.WRITE_PER_BYTE * size, "submit proposal");
  return id;
}

/** Its one signer is the gov account, it is one that proposals may run, and what it will ask for is possible. */
function checkProposable(context: ModuleContext, any: Any): void {
  const message = readProposable(context, any);
  const { encode } = context.addresses;
  const { decodeAny, failure: failureOf } = message.signerAddresses(context.addresses);
  const failure = failureOf(message.signer);
  if (failure !== undefined) throw undefinedError(failure);
  const signer = encode(decodeAny(message.signer));
  if (signer !== encode(moduleAddress(context.sha256, GOV_MODULE))) throw new TxError(GOV.INVALID_SIGNER, signer);
  if (!context.router.get(any.typeUrl)?.isForGovernance) throw new TxError(GOV.UNROUTABLE, any.typeUrl);
  message.check(context);
}

/** @throws TxError gov 10 for a message that this chain does not know (any more) */
export function readProposable({ router }: ModuleContext, { typeUrl, value }: Any): ReadMessage {
  const kind = router.get(typeUrl);
  if (!kind) throw new TxError(GOV.UNROUTABLE, typeUrl);
  return kind.read(value);
}

/** The proposer takes the proposal back; a share of the deposits is the price. @throws TxError */
export function cancelProposal(context: ModuleContext, id: bigint, proposer: string): void {
  const store = context.store(GOV_STORE);
  const proposal = readProposal(store, id);
  if (!proposal) throw noSuchProposal(id);
  if (proposal.proposer === "") {
    const what = `proposal ${id} doesn't have proposer ${proposer}, so cannot be canceled`;
    throw new TxError(GOV.INVALID_PROPOSAL, what);
  }
  if (proposal.proposer !== proposer) throw new TxError(GOV.INVALID_PROPOSER, `invalid proposer ${proposer}`);
  const { status, votingEndTime, votingStartTime } = proposal;
  if (status !== ProposalStatus.DEPOSIT_PERIOD && status !== ProposalStatus.VOTING_PERIOD) {
    throw new TxError(GOV.INVALID_PROPOSAL, "proposal should be in the deposit or voting period");
  }
  if (votingEndTime && compareTimes(votingEndTime, context.time) < 0) {
    throw new TxError(GOV.VOTING_ENDED, `voting period is already ended for this proposal ${id}`);
  }
  chargeDeposits(context, id, readParams(store));
  if (votingStartTime) removeVotes(store, id);
  dequeueProposal(store, proposal);
  removeProposal(store, id);
}
