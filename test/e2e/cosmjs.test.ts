/**
 * The whole story by stock CosmJS against real processes: coins, a proposal, a vote, the plan and its proof, the halt,
 * the new version, the height at which it was applied.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { iavlSpec, ics23, tendermintSpec, verifyMembership } from "@confio/ics23";
import { createProtobufRpcClient, GasPrice, QueryClient, SigningStargateClient } from "@cosmjs/stargate";
import { Comet38Client } from "@cosmjs/tendermint-rpc";
import { ProposalStatus, VoteOption } from "cosmjs-types/cosmos/gov/v1/gov";
import { QueryClientImpl as GovQuery } from "cosmjs-types/cosmos/gov/v1/query";
import { MsgSubmitProposalResponse } from "cosmjs-types/cosmos/gov/v1/tx";
import { QueryClientImpl as UpgradeQuery } from "cosmjs-types/cosmos/upgrade/v1beta1/query";
import { MsgSoftwareUpgrade } from "cosmjs-types/cosmos/upgrade/v1beta1/tx";
import { Plan } from "cosmjs-types/cosmos/upgrade/v1beta1/upgrade";
import { expect, test } from "vitest";
import { fromHex, utf8 } from "../../host/base/text/bytes.js";
import { encodeAddress } from "../addresses.js";
import { MNEMONIC, SIGNER, wallet } from "../unit/serve/api/test-node.js";
import { type Running, TestHome } from "./chaind.js";
import { cometbft, freePorts, heightOf, quickComet } from "./cometbft.js";
import { CommandLine } from "./command-line.js";
import { decidesBlocks, operatorGenesis, POWERFUL } from "./operator-genesis.js";

const OTHER = "cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x";
const POOR = encodeAddress(new Uint8Array(20).fill(7));
const FREE_PORTS = [
  ...["--grpc.enable=true", "--grpc.address", "127.0.0.1:0"],
  ...["--api.enable=true", "--api.address", "tcp://127.0.0.1:0"],
];
/** Blocks between the proposal and the plan: the vote must end in them. */
const BLOCKS_TO_PLAN = 80;

type Engine = "embedded" | "cometbft";

/** A home for the engine, and the flags that start it with a free port for each server. */
async function homeOf(engine: Engine, program: string | undefined): Promise<{ home: TestHome; flags: string[] }> {
  const document = operatorGenesis();
  if (engine === "embedded") {
    const flags = ["--rpc.enable=true", "--rpc.laddr", "tcp://127.0.0.1:0", ...FREE_PORTS];
    return { home: new TestHome(JSON.stringify(document)), flags };
  }
  decidesBlocks(document);
  const home = new TestHome(JSON.stringify(document));
  const [rpc = 0, p2p = 0] = await freePorts(2);
  quickComet(home.path, rpc, p2p);
  return { home, flags: ["--engine", "cometbft", "--comet.bin", program ?? "", ...FREE_PORTS] };
}

interface Servers {
  readonly rpc: string;
  readonly api: string;
}

async function serversOf(home: TestHome, running: Running): Promise<Servers> {
  await running.says("servers open");
  const { rpc, api } = JSON.parse(readFileSync(home.data("addresses.json"), "utf8"));
  const servers = { rpc: rpc.replace("tcp:", "http:"), api: api.replace("tcp:", "http:") };
  // CometBFT shows a block from when it is decided: the one before is committed.
  await until(
    () => heightOf(Number(new URL(servers.rpc).port)),
    (height) => height > (home.haltRecord ? Number(home.haltRecord.height) : 1),
  );
  return servers;
}

/** Asks again until the answer will do. */
async function until<T>(ask: () => Promise<T>, isGood: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isGood(answer)) return answer;
    await sleep(100);
  }
}

const connect = (rpc: string, price = "0ustake") =>
  SigningStargateClient.connectWithSigner(rpc, wallet, {
    gasPrice: GasPrice.fromString(price),
    broadcastPollIntervalMs: 100,
  });

/** Two transfers whose gas and fee the client finds out by itself, by CosmJS and by the command line. */
async function sendTwiceWithAutoFee(rpc: string, line: CommandLine): Promise<void> {
  const client = await connect(rpc, "0.025ustake");
  for (let sent = 0; sent < 2; sent++) {
    const result = await client.sendTokens(SIGNER, POOR, [{ denom: "ustake", amount: "1" }], "auto");
    expect(result.code, result.rawLog).toBe(0);
    expect(result.gasUsed).toBeLessThan(result.gasWanted);
    const words = `tx bank send payer ${POOR} 1ustake --yes -b block --gas auto --gas-prices 0.001ustake --node ${rpc}`;
    expect(await line.json(...words.split(" "))).toMatchObject({ code: 0 });
  }
  client.disconnect();
}

async function propose(
  client: SigningStargateClient,
  authority: string,
  height: bigint,
  info: string,
): Promise<bigint> {
  const plan = Plan.fromPartial({ name: "v2", height, info, time: { seconds: -62_135_596_800n, nanos: 0 } });
  const upgrade = MsgSoftwareUpgrade.fromPartial({ authority, plan });
  const submit = {
    typeUrl: "/cosmos.gov.v1.MsgSubmitProposal",
    value: {
      messages: [{ typeUrl: MsgSoftwareUpgrade.typeUrl, value: MsgSoftwareUpgrade.encode(upgrade).finish() }],
      initialDeposit: [{ denom: "ustake", amount: "10" }],
      proposer: SIGNER,
      metadata: "",
      title: "v2",
      summary: "the second version",
      expedited: false,
    },
  };
  const submitted = await client.signAndBroadcast(SIGNER, [submit], "auto");
  expect(submitted.code, submitted.rawLog).toBe(0);
  const [response] = submitted.msgResponses;
  return MsgSubmitProposalResponse.decode(response?.value ?? new Uint8Array()).proposalId;
}

async function verifyPlanProof(comet: Comet38Client, plan: Uint8Array): Promise<void> {
  const answer = await comet.abciQuery({ path: "/store/upgrade/key", data: Uint8Array.of(0), prove: true });
  const [inStore, inApp] = (answer.proof?.ops ?? []).map(({ data }) => ics23.CommitmentProof.decode(data));
  if (!inStore || !inApp) throw new Error("the answer has no proof");
  const { appHash } = (await comet.block((answer.height ?? 0) + 1)).block.header;
  const root = inApp.exist?.value ?? new Uint8Array();
  expect(verifyMembership(inApp, tendermintSpec, appHash, utf8("upgrade"), root)).toBe(true);
  expect(verifyMembership(inStore, iavlSpec, root, Uint8Array.of(0), answer.value)).toBe(true);
  expect(answer.value).toEqual(plan);
}

test("stock CosmJS → proposal, vote, plan, proof, halt, new version, applied height", () => story("embedded"), 120_000);

test("the same where CometBFT decides the blocks (needs CometBFT, or Go and its module proxy)", async (context) => {
  const program = cometbft();
  if (!program) return context.skip("CometBFT is missing here, and cannot be built: Go or its module proxy is missing");
  await story("cometbft", program);
}, 300_000);

async function story(engine: Engine, program?: string): Promise<void> {
  const { home, flags } = await homeOf(engine, program);
  const old = home.startSlowly("--app-version", "1", ...flags);
  const first = await serversOf(home, old);
  const client = await connect(first.rpc);
  const comet = await Comet38Client.connect(first.rpc);
  const rpc = createProtobufRpcClient(QueryClient.withExtensions(comet));
  const [gov, upgrade] = [new GovQuery(rpc), new UpgradeQuery(rpc)];

  const sent = await client.sendTokens(SIGNER, OTHER, [{ denom: "ustake", amount: "5" }], "auto");
  expect(sent.code, sent.rawLog).toBe(0);
  const line = new CommandLine();
  await line.run(["keys", "add", "payer", "--recover"], `${MNEMONIC}\n`);
  await sendTwiceWithAutoFee(first.rpc, line);

  const { address: authority } = await upgrade.Authority({});
  const planHeight = BigInt((await client.getHeight()) + BLOCKS_TO_PLAN);
  const info = '{"binaries":{}} <&>';
  const proposalId = await propose(client, authority, planHeight, info);
  const vote = {
    typeUrl: "/cosmos.gov.v1.MsgVote",
    value: { proposalId, voter: SIGNER, option: VoteOption.VOTE_OPTION_YES, metadata: "" },
  };
  const voted = await client.signAndBroadcast(SIGNER, [vote], "auto");
  expect(voted.code, voted.rawLog).toBe(0);
  expect((await gov.TallyResult({ proposalId })).tally?.yesCount).toBe(engine === "embedded" ? "100" : POWERFUL);

  const passed = await until(
    () => gov.Proposal({ proposalId }),
    ({ proposal }) => proposal?.status !== ProposalStatus.PROPOSAL_STATUS_VOTING_PERIOD,
  );
  expect(passed.proposal?.status, passed.proposal?.failedReason).toBe(ProposalStatus.PROPOSAL_STATUS_PASSED);
  const { plan } = await upgrade.CurrentPlan({});
  expect(plan).toMatchObject({ name: "v2", height: planHeight, info });
  const rest = await fetch(`${first.api}/chain/upgrade/v1beta1/current_plan`);
  expect(await rest.json()).toMatchObject({ plan: { name: "v2", height: String(planHeight), info } });
  // The state that a proof speaks of is that of the block before.
  await until(
    () => comet.abciQuery({ path: "/store/upgrade/key", data: Uint8Array.of(0) }),
    ({ value }) => value.length > 0,
  );
  await verifyPlanProof(comet, Plan.encode(plan ?? Plan.fromPartial({})).finish());
  client.disconnect();
  comet.disconnect();

  const end = await old.end;
  expect(end.exit, end.stderr).toBe(10);
  expect(home.haltRecord).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", height: String(planHeight) });

  const renewed = home.startSlowly(...flags);
  const second = await serversOf(home, renewed);
  const newClient = await connect(second.rpc);
  const newComet = await Comet38Client.connect(second.rpc);
  const newUpgrade = new UpgradeQuery(createProtobufRpcClient(QueryClient.withExtensions(newComet)));
  // It serves before it has made the block.
  await until(
    () => newUpgrade.AppliedPlan({ name: "v2" }),
    ({ height }) => height === planHeight,
  );
  expect((await newUpgrade.CurrentPlan({})).plan).toBeUndefined();
  expect(await newClient.getBalance(OTHER, "ustake")).toEqual({ denom: "ustake", amount: "5" });
  for (const name of ["chain", "cosmos"]) {
    const applied = await fetch(`${second.api}/${name}/upgrade/v1beta1/applied_plan/v2`);
    expect(await applied.text()).toBe(`{"height":"${planHeight}"}`);
  }
  const { receipt } = (await (await fetch(`${second.api}/chain/upgrade/v1beta1/receipt/v2`)).json()) as {
    receipt: object;
  };
  expect(receipt).toMatchObject({ plan: "v2", height: String(planHeight), stores: expect.any(Array) });
  // What the old version served is still there, by hash and by height.
  expect((await newComet.tx({ hash: fromHex(sent.transactionHash) })).height).toBe(sent.height);
  expect((await newComet.blockResults(sent.height)).results[0]?.code).toBe(0);
  const after = await newClient.sendTokens(SIGNER, OTHER, [{ denom: "ustake", amount: "2" }], "auto");
  expect(after.code, after.rawLog).toBe(0);
  expect(await newClient.getBalance(OTHER, "ustake")).toEqual({ denom: "ustake", amount: "7" });
  await sendTwiceWithAutoFee(second.rpc, line);
  newClient.disconnect();
  newComet.disconnect();
  renewed.child.kill("SIGTERM");
  expect((await renewed.end).exit).toBe(0);
}
