/** Stock CosmJS signs, without a network; the app takes it and its answers decode with CosmJS' own types. */
import { DirectSecp256k1Wallet, type EncodeObject } from "@cosmjs/proto-signing";
import { SigningStargateClient } from "@cosmjs/stargate";
import { TxMsgData } from "cosmjs-types/cosmos/base/abci/v1beta1/abci";
import { VoteOption } from "cosmjs-types/cosmos/gov/v1/gov";
import { MsgSubmitProposal, MsgSubmitProposalResponse } from "cosmjs-types/cosmos/gov/v1/tx";
import { TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { MsgSoftwareUpgrade } from "cosmjs-types/cosmos/upgrade/v1beta1/tx";
import { expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { ALICE, BOB, DAVE, Town } from "./gov-chain.js";
import { GOV_ADDRESS, type Signer } from "./wallet.js";

const NUMBERS = [ALICE, BOB, undefined, DAVE];
const fee = { amount: [{ denom: "ustake", amount: "10" }], gas: "200000" };
/** Year 1, the zero of Go: unset, as the Cosmos SDK's plans have it. */
const ZERO_TIME = { seconds: -62_135_596_800n, nanos: 0 };

async function signed(signer: Signer, sequence: number, ...messages: EncodeObject[]): Promise<Uint8Array> {
  const wallet = await DirectSecp256k1Wallet.fromKey(sha256(utf8(`scenario key ${signer.name}`)), "cosmos");
  const client = await SigningStargateClient.offline(wallet);
  const facts = { accountNumber: BigInt(NUMBERS.indexOf(signer)), sequence, chainId: "scenario-1" };
  return TxRaw.encode(await client.sign(signer.address, messages, fee, "by CosmJS", facts)).finish();
}

test("MsgSend by CosmJS → checked, run, the coins there", async () => {
  const town = new Town();
  const value = { fromAddress: ALICE.address, toAddress: BOB.address, amount: [{ denom: "ustake", amount: "25" }] };
  const tx = await signed(ALICE, 0, { typeUrl: "/cosmos.bank.v1beta1.MsgSend", value });
  expect(town.process.app.checkTx(tx)).toMatchObject({ code: 0, log: "" });
  expect(town.process.block({ txs: [tx] }).txResults[0]).toMatchObject({ code: 0 });
  expect(town.balance(BOB.addressBytes)).toBe(1_000_025n);
});

test("MsgSoftwareUpgrade, then votes by CosmJS → the plan is scheduled", async () => {
  const town = new Town();
  const plan = { name: "v9", height: 99n, info: "{}", time: ZERO_TIME };
  const upgrade = MsgSoftwareUpgrade.encode(MsgSoftwareUpgrade.fromPartial({ authority: GOV_ADDRESS, plan })).finish();
  const proposal = MsgSubmitProposal.fromPartial({
    messages: [{ typeUrl: "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade", value: upgrade }],
    initialDeposit: [{ denom: "ustake", amount: "100" }],
    proposer: DAVE.address,
    title: "t",
    summary: "s",
  });
  const submit = await signed(DAVE, 0, { typeUrl: "/cosmos.gov.v1.MsgSubmitProposal", value: proposal });
  const [result] = town.process.block({ txs: [submit] }).txResults;
  expect(result).toMatchObject({ code: 0, log: "" });
  const [response] = TxMsgData.decode(result?.data ?? new Uint8Array()).msgResponses;
  expect(response?.typeUrl).toBe("/cosmos.gov.v1.MsgSubmitProposalResponse");
  const { proposalId } = MsgSubmitProposalResponse.decode(response?.value ?? new Uint8Array());
  const vote = (signer: Signer) => {
    const value = { proposalId, voter: signer.address, option: VoteOption.VOTE_OPTION_YES, metadata: "" };
    return signed(signer, 0, { typeUrl: "/cosmos.gov.v1.MsgVote", value });
  };
  const votes = town.process.block({ txs: [await vote(ALICE), await vote(BOB)] });
  expect(votes.txResults.map(({ code }) => code)).toEqual([0, 0]);
  town.blocks(4);
  expect(town.process.plan).toEqual({ name: "v9", height: 99n, info: "{}" });
});

test("a plan whose time CosmJS leaves at 1970 → refused with the Cosmos SDK's words", async () => {
  const town = new Town();
  const message = MsgSoftwareUpgrade.fromPartial({ authority: GOV_ADDRESS, plan: { name: "v9", height: 99n } });
  const proposal = MsgSubmitProposal.fromPartial({
    messages: [
      { typeUrl: "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade", value: MsgSoftwareUpgrade.encode(message).finish() },
    ],
    initialDeposit: [{ denom: "ustake", amount: "100" }],
    proposer: DAVE.address,
    title: "t",
    summary: "s",
  });
  const tx = await signed(DAVE, 0, { typeUrl: "/cosmos.gov.v1.MsgSubmitProposal", value: proposal });
  const [result] = town.process.block({ txs: [tx] }).txResults;
  expect(result).toMatchObject({ code: 18, codespace: "sdk" });
  expect(result?.log).toContain("time-based upgrades have been deprecated in the SDK: invalid request");
});
