/** Governance v1beta1 by stock CosmJS: its gov extension reads it, its messages run, and REST shows the same. */
import { type EncodeObject, Registry } from "@cosmjs/proto-signing";
import {
  defaultRegistryTypes,
  GasPrice,
  type GovExtension,
  QueryClient,
  SigningStargateClient,
  setupGovExtension,
} from "@cosmjs/stargate";
import { Comet38Client } from "@cosmjs/tendermint-rpc";
import { ProposalStatus, TextProposal, VoteOption } from "cosmjs-types/cosmos/gov/v1beta1/gov";
import { SoftwareUpgradeProposal } from "cosmjs-types/cosmos/upgrade/v1beta1/upgrade";
import { expect, test } from "vitest";
import { decodeAddress, operators } from "../../../addresses.js";
import { fundedGenesis, SIGNER, type TestNode, useTestNode, wallet } from "./test-node.js";

/** The signer operates the only validator; a vote lasts four blocks. */
function genesis(): string {
  const document = JSON.parse(fundedGenesis());
  const operator = operators.encode(decodeAddress(SIGNER));
  const { staking } = document.app_state;
  staking.validators = [{ ...staking.validators[0], operator_address: operator }];
  staking.delegations = [{ ...staking.delegations[0], delegator_address: SIGNER, validator_address: operator }];
  const params = { voting_period: "20s", max_deposit_period: "20s", min_deposit: [{ denom: "ustake", amount: "10" }] };
  document.app_state.gov = { starting_proposal_id: "1", params, proposals: [], deposits: [], votes: [] };
  return JSON.stringify(document);
}

class Client {
  readonly gov: GovExtension["gov"];
  private constructor(
    private readonly node: TestNode,
    private readonly signing: SigningStargateClient,
    comet: Comet38Client,
  ) {
    this.gov = QueryClient.withExtensions(comet, setupGovExtension).gov;
  }

  static async of(node: TestNode): Promise<Client> {
    const options = { gasPrice: GasPrice.fromString("0ustake"), registry: new Registry(defaultRegistryTypes) };
    const signing = await SigningStargateClient.connectWithSigner(node.rpc, wallet, options);
    return new Client(node, signing, await Comet38Client.connect(node.rpc));
  }

  /** The result of one message in a block of its own. */
  async run(message: EncodeObject): Promise<{ code: number; log: string }> {
    const hash = await this.signing.signAndBroadcastSync(SIGNER, [message], {
      amount: [{ denom: "ustake", amount: "1" }],
      gas: "30000000",
    });
    this.node.makeBlocks(1);
    const tx = await this.signing.getTx(hash);
    return { code: tx?.code ?? -1, log: tx?.rawLog ?? "" };
  }

  close(): void {
    this.signing.disconnect();
  }
}

const typed = (name: string, value: unknown): EncodeObject => ({ typeUrl: `/cosmos.gov.v1beta1.${name}`, value });

const submit = (typeUrl: string, value: Uint8Array, amount: string) =>
  typed("MsgSubmitProposal", {
    content: { typeUrl, value },
    initialDeposit: [{ denom: "ustake", amount }],
    proposer: SIGNER,
  });

const text = (title: string, description = "words", amount = "4") =>
  submit("/cosmos.gov.v1beta1.TextProposal", TextProposal.encode({ title, description }).finish(), amount);

const rest = async (node: TestNode, path: string) => (await fetch(`${node.rest}/cosmos/gov/v1beta1${path}`)).json();

test("CosmJS's gov extension: parameters of the three kinds → as in genesis", async () => {
  await useTestNode(
    async (node) => {
      const client = await Client.of(node);
      const { depositParams } = await client.gov.params("deposit");
      expect(depositParams.minDeposit).toEqual([{ denom: "ustake", amount: "10" }]);
      expect(depositParams.maxDepositPeriod.seconds).toBe(20n);
      expect((await client.gov.params("voting")).votingParams.votingPeriod.seconds).toBe(20n);
      const { tallyParams } = await client.gov.params("tallying");
      expect(Buffer.from(tallyParams.quorum).toString()).toBe("334000000000000000");
      expect(await rest(node, "/params/tallying")).toEqual({
        voting_params: { voting_period: "0s" },
        deposit_params: { min_deposit: [], max_deposit_period: "0s" },
        tally_params: {
          quorum: "0.334000000000000000",
          threshold: "0.500000000000000000",
          veto_threshold: "0.334000000000000000",
        },
      });
      expect(await rest(node, "/params/nope")).toMatchObject({ code: 3, message: /not a valid parameter type/ });
      client.close();
    },
    { genesis: genesis() },
  );
});

test("a TextProposal by CosmJS, deposited on and voted on in v1beta1 → passed; every query reads it", async () => {
  await useTestNode(
    async (node) => {
      const client = await Client.of(node);
      const { gov } = client;
      expect(await client.run(text("a title"))).toEqual({ code: 0, log: "" });
      const waiting = (await rest(node, "/proposals/1")).proposal;
      expect(waiting).toMatchObject({
        proposal_id: "1",
        content: { "@type": "/cosmos.gov.v1beta1.TextProposal", title: "a title", description: "words" },
        status: "PROPOSAL_STATUS_DEPOSIT_PERIOD",
        final_tally_result: { yes: "0", abstain: "0", no: "0", no_with_veto: "0" },
        voting_start_time: "0001-01-01T00:00:00Z",
      });
      const deposit = { proposalId: 1n, depositor: SIGNER, amount: [{ denom: "ustake", amount: "6" }] };
      expect(await client.run(typed("MsgDeposit", deposit))).toEqual({ code: 0, log: "" });
      expect((await gov.deposits(1)).deposits).toEqual([{ ...deposit, amount: [{ denom: "ustake", amount: "10" }] }]);
      expect((await gov.deposit(1, SIGNER)).deposit.amount).toEqual([{ denom: "ustake", amount: "10" }]);
      const vote = (option: VoteOption) => typed("MsgVote", { proposalId: 1n, voter: SIGNER, option });
      expect(await client.run(vote(VoteOption.VOTE_OPTION_NO))).toEqual({ code: 0, log: "" });
      expect((await gov.vote(1, SIGNER)).vote.options).toEqual([
        { option: VoteOption.VOTE_OPTION_NO, weight: "1000000000000000000" },
      ]);
      const options = [
        { option: VoteOption.VOTE_OPTION_YES, weight: "750000000000000000" },
        { option: VoteOption.VOTE_OPTION_ABSTAIN, weight: "250000000000000000" },
      ];
      const weighted = typed("MsgVoteWeighted", { proposalId: 1n, voter: SIGNER, options });
      expect(await client.run(weighted)).toEqual({ code: 0, log: "" });
      expect((await gov.votes(1)).votes).toMatchObject([{ proposalId: 1n, voter: SIGNER, options }]);
      expect((await rest(node, `/proposals/1/votes/${SIGNER}`)).vote).toEqual({
        proposal_id: "1",
        voter: SIGNER,
        option: "VOTE_OPTION_UNSPECIFIED",
        options: [
          { option: "VOTE_OPTION_YES", weight: "0.750000000000000000" },
          { option: "VOTE_OPTION_ABSTAIN", weight: "0.250000000000000000" },
        ],
      });
      expect((await gov.tally(1)).tally).toEqual({ yes: "75", abstain: "25", no: "0", noWithVeto: "0" });
      const listed = await gov.proposals(ProposalStatus.PROPOSAL_STATUS_VOTING_PERIOD, SIGNER, SIGNER);
      expect(listed.proposals.map(({ proposalId }) => proposalId)).toEqual([1n]);
      node.makeBlocks(5);
      const { proposal } = await gov.proposal(1);
      expect(proposal.status).toBe(ProposalStatus.PROPOSAL_STATUS_PASSED);
      expect(TextProposal.decode(proposal.content?.value ?? new Uint8Array()).title).toBe("a title");
      expect(proposal.finalTallyResult.yes).toBe("75");
      client.close();
    },
    { genesis: genesis() },
  );
});

test("contents that nothing handles, texts out of bounds, a weight that is no number → the Cosmos SDK's refusals", async () => {
  await useTestNode(
    async (node) => {
      const client = await Client.of(node);
      const plan = { name: "v9", height: 99n, info: "", time: { seconds: -62_135_596_800n, nanos: 0 } };
      const upgrade = SoftwareUpgradeProposal.encode(
        SoftwareUpgradeProposal.fromPartial({ title: "t", description: "d", plan }),
      ).finish();
      const cases: readonly (readonly [EncodeObject, number, string])[] = [
        [
          submit("/cosmos.upgrade.v1beta1.SoftwareUpgradeProposal", upgrade, "10"),
          9,
          "upgrade: no handler exists for proposal type",
        ],
        [text(" "), 5, "proposal title cannot be blank: invalid proposal content"],
        [text("x".repeat(141)), 5, "proposal title is longer than max length of 140: invalid proposal content"],
        [text("t", ""), 5, "proposal description cannot be blank: invalid proposal content"],
        [
          text("t", "x".repeat(10_001)),
          5,
          "proposal description is longer than max length of 10000: invalid proposal content",
        ],
        [
          typed("MsgSubmitProposal", { initialDeposit: [], proposer: SIGNER }),
          5,
          "missing content: invalid proposal content",
        ],
        [typed("MsgVote", { proposalId: 9n, voter: SIGNER, option: 1 }), 3, "9: inactive proposal"],
      ];
      for (const [message, code, log] of cases) {
        const result = await client.run(message);
        expect(result.code, result.log).toBe(code);
        expect(result.log).toContain(log);
      }
      expect((await client.run(text("x".repeat(140), "x".repeat(10_000)))).code).toBe(0);
      const options = [{ option: 1, weight: "0.5" }];
      await expect(client.run(typed("MsgVoteWeighted", { proposalId: 1n, voter: SIGNER, options }))).rejects.toThrow(
        "tx parse error",
      );
      await expect(client.run(submit("/cosmos.bank.v1beta1.MsgSend", new Uint8Array(), "10"))).rejects.toThrow(
        "against interface *v1beta1.Content",
      );
      client.close();
    },
    { genesis: genesis() },
  );
});
