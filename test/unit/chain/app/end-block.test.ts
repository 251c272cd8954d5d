/** The end of a block in governance: what an idle one costs, and what a proposal does that cannot run any more. */
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  ProposalSchema,
  ProposalStatus,
  VoteOption,
  VoteSchema,
} from "../../../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { moduleContext } from "../../../../host/chain/app/context.js";
import { DEFAULT_CONSENSUS_PARAMS } from "../../../../host/chain/comet-types/consensus-params.js";
import { verifySignature } from "../../../../host/chain/comet-types/keys.js";
import { endGovernanceBlock } from "../../../../host/chain/modules/gov/end-block.js";
import { defaultGovParams } from "../../../../host/chain/modules/gov/params.js";
import { enqueueProposal } from "../../../../host/chain/modules/gov/queues.js";
import {
  GOV_STORE,
  proposals,
  readProposal,
  writeParams,
  writeProposal,
  writeVote,
} from "../../../../host/chain/modules/gov/records.js";
import { wholeVote } from "../../../../host/chain/modules/gov/votes.js";
import { writeDelegation, writeValidator } from "../../../../host/chain/modules/staking/records.js";
import type { ChainEvent } from "../../../../host/chain/values/events.js";
import { GasMeter, GasMultiStore } from "../../../../host/chain/values/gas.js";
import { Core } from "../../../../host/upgrade/core/core.js";
import { Keeper } from "../../../../host/upgrade/module/keeper.js";
import { exampleChain, V1 } from "../../../example-chain.js";
import { GOV_ADDRESS, Signer } from "../../../scenario/wallet.js";
import { memoryStores } from "../../../vectors/memory-stores.js";

const keeper = new Keeper({ core: new Core(), authority: GOV_ADDRESS });
const now = { seconds: 1_000n, nanos: 0 };

function chain() {
  const stores = memoryStores(["auth", GOV_STORE, "staking", "upgrade"]);
  writeParams(stores.store(GOV_STORE), defaultGovParams("ustake"));
  const end = () => {
    const meter = new GasMeter();
    const events: ChainEvent[] = [];
    const facts = {
      chainId: "c-1",
      height: 5n,
      time: now,
      sha256,
      addresses: exampleChain.addresses,
      version: V1,
      keeper,
      router: exampleChain.router,
      verifySignature,
      constants: { bondDenom: "ustake", stakingParams: undefined, params: DEFAULT_CONSENSUS_PARAMS },
      consumeGas: () => undefined,
    };
    endGovernanceBlock(moduleContext(facts, new GasMultiStore(stores, meter), events));
    return { gas: meter.used, events };
  };
  return { stores, gov: stores.store(GOV_STORE), end };
}

test("endGovernanceBlock() with 500 proposals of which none ends → as little work as with none", () => {
  const empty = chain();
  const full = chain();
  for (let id = 1n; id <= 500n; id++) {
    const status = id % 2n === 0n ? ProposalStatus.PASSED : ProposalStatus.VOTING_PERIOD;
    const votingEndTime = { seconds: 1_001n + id, nanos: 0 };
    const proposal = create(ProposalSchema, { id, status, votingEndTime });
    writeProposal(full.gov, proposal);
    enqueueProposal(full.gov, proposal);
  }
  expect(full.end()).toEqual(empty.end());
  expect(full.end().gas).toBe(0n);
});

test("a passed proposal with a message that is unknown, or malformed → FAILED with the reason, the block goes on", () => {
  const { stores, gov, end } = chain();
  const voter = new Signer("voter");
  const shares = "100.000000000000000000";
  writeValidator(stores.store("staking"), {
    operator: voter.addressBytes,
    consensusKey: new Uint8Array(32),
    moniker: "",
    tokens: 100n,
    shares,
    jailed: false,
    status: "BOND_STATUS_BONDED",
  });
  writeDelegation(stores.store("staking"), { delegator: voter.addressBytes, operator: voter.addressBytes, shares });
  const messages = [
    { typeUrl: "/gone.v1.Msg", value: new Uint8Array() },
    { typeUrl: "/cosmos.upgrade.v1beta1.MsgCancelUpgrade", value: Uint8Array.of(0x0a, 0xff) },
  ];
  messages.forEach((message, index) => {
    const proposal = create(ProposalSchema, {
      id: BigInt(index + 1),
      messages: [message],
      status: ProposalStatus.VOTING_PERIOD,
      votingEndTime: now,
    });
    writeProposal(gov, proposal);
    enqueueProposal(gov, proposal);
    const vote = { proposalId: proposal.id, voter: voter.address, options: wholeVote(VoteOption.YES) };
    writeVote(gov, create(VoteSchema, vote));
  });
  const { events } = end();
  expect(events.filter(({ type }) => type === "active_proposal")).toHaveLength(2);
  expect([...proposals(gov)].map(({ status }) => status)).toEqual([ProposalStatus.FAILED, ProposalStatus.FAILED]);
  expect(readProposal(gov, 1n)?.failedReason).toBe("/gone.v1.Msg: proposal message not recognized by router");
  expect(readProposal(gov, 2n)?.failedReason).not.toBe("");
  expect(end().events).toEqual([]);
});
