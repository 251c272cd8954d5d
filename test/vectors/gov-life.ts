/** Kind `life`: messages and ends of blocks, one after another, with errors, events and state after each. */

import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Proposal, ProposalStatusSchema } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import * as tx from "../../host/base/gen/cosmos/gov/v1/tx_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import { formatTime, parseTime } from "../../host/base/time/time.js";
import type { Timestamp } from "../../host/base/types/types.js";
import { type ModuleContext, moduleContext } from "../../host/chain/app/context.js";
import type { ChainVersion } from "../../host/chain/app/versions/version.js";
import { DEFAULT_CONSENSUS_PARAMS } from "../../host/chain/comet-types/consensus-params.js";
import { verifySignature } from "../../host/chain/comet-types/keys.js";
import { type Bank, bankOf } from "../../host/chain/modules/bank/bank.js";
import { endGovernanceBlock } from "../../host/chain/modules/gov/end-block.js";
import { deposits, proposals, votes, writeParams } from "../../host/chain/modules/gov/records.js";
import { writeDelegation, writeValidator } from "../../host/chain/modules/staking/records.js";
import { moduleAddress } from "../../host/chain/values/address.js";
import { formatCoins, parseCoins } from "../../host/chain/values/coins.js";
import type { ChainEvent } from "../../host/chain/values/events.js";
import { describeError, type ErrorDescription } from "../../host/chain/values/tx-error.js";
import { Core } from "../../host/upgrade/core/core.js";
import { Keeper, UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { decodeAddress, encodeAddress, operators } from "../addresses.js";
import { exampleChain, V1, V2 } from "../example-chain.js";
import { govParams, weightedOption } from "./gov-count.js";
import { expectEqual, expectText, type VectorCase } from "./harness.js";
import { memoryStores } from "./memory-stores.js";
import { type ExpectedText, hexBytes, textOf } from "./short-forms.js";

const GOV = moduleAddress(sha256, "gov");
const POOL = moduleAddress(sha256, "distribution");
const core = new Core();
const keeper = new Keeper({ core, authority: encodeAddress(GOV) });

/** Every life is lived twice: with coins in the accounts, and with coins in the bank's store. */
export function runGovLife(vector: VectorCase): readonly string[] {
  const tags = new Set([...new Life(vector, V1).run(), ...new Life(vector, V2).run()]);
  return [...tags];
}

class Life {
  readonly #stores = memoryStores(["auth", "bank", "gov", "staking", UPGRADE_STORE]);
  readonly #given: number;
  /** Proto-JSON of every message that was submitted, by its bytes. */
  readonly #messageJson = new Map<string, string>();
  #state: VectorCase = {};

  constructor(
    private readonly vector: VectorCase,
    private readonly version: ChainVersion,
  ) {
    const staking = this.#stores.store("staking");
    for (const { operator, tokens, shares } of vector["staking"].validators) {
      writeValidator(staking, {
        operator: operators.decode(operator),
        consensusKey: new Uint8Array(32),
        moniker: "",
        tokens: BigInt(tokens),
        shares,
        jailed: false,
        status: "BOND_STATUS_BONDED",
      });
    }
    for (const { delegator, validator, shares } of vector["staking"].delegations) {
      const operator = operators.decode(validator);
      writeDelegation(staking, { delegator: decodeAddress(delegator), operator, shares });
    }
    writeParams(this.#stores.store("gov"), govParams(vector["params"]));
    const first = vector["steps"].find(({ state }: VectorCase) => state)?.state.balances ?? {};
    const accounts = Object.keys(first).filter((name) => name.startsWith("cosmos1") && name !== encodeAddress(GOV));
    for (const address of accounts)
      this.bank.mint(this.#stores, decodeAddress(address), parseCoins("1000000stake,500atom"));
    this.#given = accounts.length;
  }

  get bank(): Bank {
    return bankOf(this.version);
  }

  run(): readonly string[] {
    for (const [index, step] of this.vector["steps"].entries()) {
      try {
        const apart = this.#step(step);
        if (apart) return [apart];
      } catch (error) {
        throw new Error(`step ${index} ${step["op"]} at ${step["height"]}: ${(error as Error).message}`);
      }
    }
    return [];
  }

  /** Returns a tag when ours refused a plan at submission that the source takes: from here on states differ. */
  #step(step: VectorCase): string | undefined {
    for (const { value, json } of step["messages"] ?? []) this.#messageJson.set(value, textOf(json));
    const events: ChainEvent[] = [];
    const branch = this.#stores.branch();
    const facts = {
      chainId: "chain-1",
      height: BigInt(step["height"]),
      time: parseTime(step["time"]),
      sha256,
      addresses: exampleChain.addresses,
      version: this.version,
      keeper,
      router: exampleChain.router,
      verifySignature,
      constants: { bondDenom: "ustake", stakingParams: undefined, params: DEFAULT_CONSENSUS_PARAMS },
      consumeGas: () => undefined,
    };
    let error: ErrorDescription | undefined;
    try {
      act(moduleContext(facts, branch, events), step);
      branch.write();
    } catch (cause) {
      error = describeError(cause);
    }
    if (error && !step["error"] && step["op"] === "submit" && this.vector["differs"].length > 0) {
      expectEqual([error.codespace, error.code], ["sdk", 18], `a plan refused at submission (${error.log})`);
      const tag = error.log.includes("in the past") ? "plan-in-past-at-submit" : "plan-checked-at-submit";
      expectEqual(this.vector["differs"].includes(tag), true, `the case names ${tag}`);
      return tag;
    }
    compareError(error, step["error"]);
    if (!error) expectEqual(events.filter(isGovernance).map(asPairs), step["events"] ?? [], "events");
    if (step["state"]) this.#state = step["state"];
    this.#compareState();
    return undefined;
  }

  #compareState(): void {
    const gov = this.#stores.store("gov");
    const shown = [...proposals(gov)].map((proposal) => this.#proposalJson(proposal));
    expectEqual(shown.length, this.#state["proposals"].length, "number of proposals");
    this.#state["proposals"].forEach((expected: ExpectedText, index: number) => {
      if (!isDigest(expected)) expectEqual(shown[index], parsed(textOf(expected)), "proposal");
      else expectText(JSON.stringify(shown[index]), expected, "proposal");
    });
    const held = [...deposits(gov)].map(({ proposalId, depositor, amount }) => ({
      proposal_id: proposalId,
      depositor,
      amount: amount.map(({ denom, amount }) => ({ denom, amount })),
    }));
    expectEqual(held, this.#state["deposits"], "deposits");
    const cast = [...votes(gov)].map(({ proposalId, voter, options, metadata }) => ({
      proposal_id: proposalId,
      voter,
      options: options.map(({ option, weight }) => ({ option, weight })),
      ...(metadata === "" ? {} : { metadata }),
    }));
    expectEqual(cast, this.#state["votes"].map(withoutEmptyMetadata), "votes");
    const plan = keeper.plan(this.#stores.store(UPGRADE_STORE));
    expectEqual(plan ? { name: plan.name, height: plan.height, info: plan.info } : null, this.#state["plan"], "plan");
    this.#compareBalances();
  }

  #compareBalances(): void {
    for (const [name, expected] of Object.entries(this.#state["balances"] as Record<string, string>)) {
      const coins = name === "burned" ? this.#burned() : this.bank.balances(this.#stores, holder(name));
      expectEqual(formatCoins(coins), expected, `balance of ${name}`);
    }
  }

  /** What was given less what there is. */
  #burned() {
    const supply = this.bank.supply(this.#stores);
    const given = parseCoins(`${1_000_000 * this.#given}stake,${500 * this.#given}atom`);
    return given
      .map(({ denom, amount }) => ({
        denom,
        amount: amount - (supply.find((coin) => coin.denom === denom)?.amount ?? 0n),
      }))
      .filter(({ amount }) => amount > 0n);
  }

  #proposalJson(proposal: Proposal): unknown {
    const { finalTallyResult: tally } = proposal;
    return {
      id: String(proposal.id),
      messages: proposal.messages.map(({ value }) => parsed(this.#messageJson.get(toHex(value)) ?? "null")),
      status: ProposalStatusSchema.value[proposal.status]?.name,
      final_tally_result: {
        yes_count: tally?.yesCount,
        abstain_count: tally?.abstainCount,
        no_count: tally?.noCount,
        no_with_veto_count: tally?.noWithVetoCount,
      },
      submit_time: timeText(proposal.submitTime),
      deposit_end_time: timeText(proposal.depositEndTime),
      total_deposit: proposal.totalDeposit.map(({ denom, amount }) => ({ denom, amount })),
      voting_start_time: timeText(proposal.votingStartTime),
      voting_end_time: timeText(proposal.votingEndTime),
      metadata: proposal.metadata,
      title: proposal.title,
      summary: proposal.summary,
      proposer: proposal.proposer,
      expedited: proposal.expedited,
      failed_reason: proposal.failedReason,
    };
  }
}

function act(context: ModuleContext, step: VectorCase): void {
  const proposalId = BigInt(step["proposal_id"] ?? 0);
  const { voter, option, proposer, metadata = "" } = step;
  switch (step["op"]) {
    case "end_block":
      endGovernanceBlock(context);
      break;
    case "submit":
      run(context, tx.MsgSubmitProposalSchema, {
        messages: step["messages"].map(({ type_url, value }: VectorCase) => ({
          typeUrl: textOf(type_url),
          value: hexBytes(value),
        })),
        initialDeposit: step["initial_deposit"],
        proposer,
        metadata: textOf(metadata),
        title: textOf(step["title"]),
        summary: textOf(step["summary"]),
        expedited: step["expedited"],
      });
      break;
    case "deposit":
      run(context, tx.MsgDepositSchema, { proposalId, depositor: step["depositor"], amount: step["amount"] });
      break;
    case "vote":
      run(context, tx.MsgVoteSchema, { proposalId, voter, option, metadata: textOf(metadata) });
      break;
    case "vote_weighted":
      run(context, tx.MsgVoteWeightedSchema, {
        proposalId,
        voter,
        options: step["options"].map(weightedOption),
        metadata: textOf(metadata),
      });
      break;
    case "cancel_proposal":
      run(context, tx.MsgCancelProposalSchema, { proposalId, proposer });
      break;
    default:
      throw new Error("unknown step");
  }
}

function run<T extends DescMessage>(context: ModuleContext, schema: T, message: MessageInitShape<T>): void {
  const kind = exampleChain.router.get(`/${schema.typeName}`);
  kind?.read(toBinary(schema, create(schema, message))).run(context);
}

/** The source's books are replacements, so texts of missing coins vary. */
function compareError(error: ErrorDescription | undefined, expected: VectorCase | undefined): void {
  const given = error && { code: error.code, codespace: error.codespace, text: error.log };
  if (given && expected && /insufficient funds$/.test(given.text) && isInsufficient(expected["text"])) {
    expectEqual({ ...given, text: "" }, { ...expected, text: "" }, "error");
  } else {
    expectEqual(given ?? null, expected ?? null, "error");
  }
}

const isInsufficient = (text: ExpectedText) => !isDigest(text) && /insufficient funds$/.test(textOf(text));

const BANK_EVENTS = new Set(["coin_spent", "coin_received", "transfer", "burn", "message"]);
const isGovernance = ({ type }: ChainEvent) => !BANK_EVENTS.has(type);
const asPairs = ({ type, attributes }: ChainEvent) => ({
  type,
  attributes: attributes.map(({ key, value }) => [key, value]),
});

const isDigest = (text: ExpectedText) => typeof text === "object" && "len" in text;
const parsed = (text: string): unknown => JSON.parse(text);
const timeText = (time: Timestamp | undefined) => (time ? formatTime(time) : null);
const holder = (name: string) => (name === "community_pool" ? POOL : decodeAddress(name));

function withoutEmptyMetadata({ metadata = "", ...vote }: VectorCase): VectorCase {
  return !isDigest(metadata) && textOf(metadata) === "" ? vote : { ...vote, metadata };
}
