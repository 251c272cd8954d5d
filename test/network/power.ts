/** Who has power, and under which parameters: changed by handlers of both kinds, by transactions and by governance. */
import { create, toBinary } from "@bufbuild/protobuf";
import { BondStatus, ValidatorSchema } from "../../host/base/gen/chain/staking/v1/staking_pb.js";
import { MsgSendSchema } from "../../host/base/gen/cosmos/bank/v1beta1/tx_pb.js";
import { MsgUpdateParamsSchema } from "../../host/base/gen/cosmos/consensus/v1/tx_pb.js";
import { PubKeySchema } from "../../host/base/gen/cosmos/crypto/ed25519/keys_pb.js";
import {
  MsgCreateValidatorSchema,
  MsgDelegateSchema,
  MsgUndelegateSchema,
} from "../../host/base/gen/cosmos/staking/v1beta1/tx_pb.js";
import { ConsensusParamsSchema } from "../../host/base/gen/tendermint/types/params_pb.js";
import { concatBytes, toBase64, toHex, utf8 } from "../../host/base/text/bytes.js";
import { packAny } from "../../host/chain/values/any.js";
import { readConsensusKey } from "../../host/node/home/consensus-key.js";
import { decodeAddress, operators } from "../addresses.js";
import { GOV_ADDRESS, type Packed, pack, Signer } from "../scenario/wallet.js";
import type { Network } from "./network.js";
import { type NetNode, until } from "./node.js";
import type { Change } from "./program.js";
import { expectSame, HEIGHTS_AFTER, halted, type Scene, upTo } from "./scenes.js";
import { stageWrites } from "./wasm-writes.js";

const UNIT = 1_000_000n;
const VALIDATOR = Uint8Array.of(0x21);

const keyOf = ({ home }: NetNode) => readConsensusKey(`${home}/config/priv_validator_key.json`).publicKey.bytes;
const coin = (units: bigint) => ({ denom: "ustake", amount: String(units * UNIT) });

function firstOf({ nodes: [first] }: Network): NetNode {
  if (!first) throw new Error("no node");
  return first;
}

/** Power by the name of the node, as CometBFT's set of a height has it; the greatest first, names at equal power. */
export async function powersAt(network: Network, height: number): Promise<string> {
  const { nodes } = network;
  const first = firstOf(network);
  await first.untilHeight(height);
  const { validators } = (await first.rpc.call("validators", { height: String(height) })) as {
    validators: readonly { pub_key: { value: string }; voting_power: string }[];
  };
  const names = new Map(nodes.map((node) => [toBase64(keyOf(node)), node.own.name]));
  const list = validators.map(({ pub_key, voting_power }) => `${names.get(pub_key.value)} ${voting_power}`);
  return list.sort().join(", ");
}

/** What block H changes decides from H + 2 on, and not before. */
async function expectFrom(
  network: Network,
  height: number,
  what: string,
  before: string,
  after: string,
): Promise<string> {
  expectSame(`${what}: powers at ${height + 1}`, await powersAt(network, height + 1), before);
  expectSame(`${what}: powers at ${height + 2}`, await powersAt(network, height + 2), after);
  return `${what} in ${height}: ${after}`;
}

/** Has the node signed a block at or after this height? */
async function untilSigns(network: Network, node: NetNode, from: number): Promise<void> {
  const { address } = readConsensusKey(`${node.home}/config/priv_validator_key.json`);
  const name = toHex(address).toUpperCase();
  await until(`${node.own.name} signs a block`, async () => {
    const { rpc } = firstOf(network);
    const height = await firstOf(network).height();
    if (height <= from) return false;
    const { signed_header } = (await rpc.call("commit", { height: String(height - 1) })) as {
      signed_header: { commit: { signatures: readonly { validator_address: string }[] } };
    };
    return signed_header.commit.signatures.some(({ validator_address }) => validator_address === name);
  });
}

/** With the old version up to the height, and then with the new one, whose handler is in TypeScript. */
async function upgraded(network: Network, change: Change): Promise<number> {
  const height = await halted(network, network.nodes, JSON.stringify(change));
  network.start();
  await network.untilHeight(height + 2);
  return height;
}

const record = (node: NetNode, units: bigint, operator = decodeAddress(node.own.address)) =>
  [
    concatBytes(VALIDATOR, operator),
    toBinary(
      ValidatorSchema,
      create(ValidatorSchema, {
        ...{ operator, consensusKey: keyOf(node), moniker: node.own.name, status: BondStatus.BONDED },
        ...{ tokens: String(units * UNIT), delegatorShares: `${units * UNIT}.000000000000000000` },
      }),
    ),
  ] as const;

const FOUR = "node0 100, node1 100, node2 100, node3 100";
const ADDED_OPERATOR = new Uint8Array(20).fill(7);

export const validators: Scene = {
  name: "validators",
  what: "validators added, removed and repowered by a TypeScript handler, a Wasm handler and transactions; they sign and leave",
  hasOwnProgram: true,
  async run(network) {
    const seen: string[] = [];
    const more = await network.addFullNode();
    const added = {
      operator: toHex(ADDED_OPERATOR),
      key: toHex(keyOf(more)),
      moniker: "node4",
      tokens: String(50n * UNIT),
    };
    const change = { tokens: { node1: String(150n * UNIT) }, jailed: ["node2"], added };
    const first = await upgraded(network, change);
    const ofFirst = "node0 100, node1 150, node3 100, node4 50";
    seen.push(await expectFrom(network, first, "TypeScript handler", FOUR, ofFirst));
    await untilSigns(network, more, first + 2);
    const [node0, , node2, node3] = network.nodes as [NetNode, NetNode, NetNode, NetNode];
    const records = [
      record(node0, 120n),
      record(node2, 100n),
      [record(more, 0n, ADDED_OPERATOR)[0], undefined] as const,
    ];
    await stageWrites(network, { plan: "v3", store: "staking", prefix: "21", records });
    const second = await network.schedule("v3");
    await network.untilHeight(second + 2);
    const ofSecond = "node0 120, node1 150, node2 100, node3 100";
    seen.push(await expectFrom(network, second, "Wasm handler", ofFirst, ofSecond));
    seen.push(...(await byTransactions(network, more, node3, ofSecond)));
    process.stderr.write(`${seen.map((line) => `  ${line}`).join("\n")}\n`);
    return { ...(await upTo(network, (await node0.height()) + HEIGHTS_AFTER)), counts: `${seen.length} changes` };
  },
};

async function byTransactions(network: Network, more: NetNode, node3: NetNode, before: string): Promise<string[]> {
  const operator = new Signer("one who joins");
  const [, second, , last] = network.signers as [Signer, Signer, Signer, Signer];
  const validatorAddress = operators.encode(operator.addressBytes);
  const seen: string[] = [];
  let now = before;
  const step = async (what: string, signer: Signer, message: Packed, after: string) => {
    const height = await network.send(signer, [message]);
    seen.push(await expectFrom(network, height, what, now, after));
    now = after;
    return height;
  };
  const gift = { fromAddress: second.address, toAddress: operator.address, amount: [coin(100n)] };
  await network.send(second, [pack(MsgSendSchema, gift)]);
  const created = pack(MsgCreateValidatorSchema, {
    description: { moniker: "node4" },
    commission: { rate: "0", maxRate: "0", maxChangeRate: "0" },
    ...{ minSelfDelegation: "1", validatorAddress, value: coin(60n) },
    pubkey: packAny(PubKeySchema, { key: keyOf(more) }),
  });
  const rest = "node1 150, node2 100";
  const height = await step("MsgCreateValidator", operator, created, `node0 120, ${rest}, node3 100, node4 60`);
  await untilSigns(network, more, height + 2);
  const to = { validatorAddress: node3.own.operator_address };
  const delegated = pack(MsgDelegateSchema, { ...to, delegatorAddress: second.address, amount: coin(30n) });
  await step("MsgDelegate", second, delegated, `node0 120, ${rest}, node3 130, node4 60`);
  const undelegated = pack(MsgUndelegateSchema, { ...to, delegatorAddress: last.address, amount: coin(40n) });
  await step("MsgUndelegate", last, undelegated, `node0 120, ${rest}, node3 90, node4 60`);
  const left = { validatorAddress, delegatorAddress: operator.address, amount: coin(60n) };
  await step("MsgUndelegate of all", operator, pack(MsgUndelegateSchema, left), `node0 120, ${rest}, node3 90`);
  return seen;
}

/** `max_bytes`, `max_gas` and the age of evidence for the block of a height. */
async function paramsAt(network: Network, height: number): Promise<string> {
  const first = firstOf(network);
  await first.untilHeight(height);
  const { consensus_params } = (await first.rpc.call("consensus_params", { height: String(height) })) as {
    consensus_params: {
      block: { max_bytes: string; max_gas: string };
      evidence: { max_age_num_blocks: string };
    };
  };
  const { block, evidence } = consensus_params;
  return `${block.max_bytes} ${block.max_gas} ${evidence.max_age_num_blocks}`;
}

/** What block H changes is in force from H + 1 on. */
async function expectParams(network: Network, height: number, what: string, expected: string): Promise<string> {
  const before = await paramsAt(network, height);
  if (before === expected) throw new Error(`${what}: in force before block ${height + 1}`);
  expectSame(`${what}: parameters at ${height + 1}`, await paramsAt(network, height + 1), expected);
  return `${what} in ${height}: ${before} → ${expected}`;
}

export const params: Scene = {
  name: "params",
  what: "block size, gas and age of evidence changed by a TypeScript handler, a Wasm handler and governance",
  hasOwnProgram: true,
  async run(network) {
    const seen: string[] = [];
    const change = { params: { maxBytes: "2000000", maxGas: "30000000", maxAgeBlocks: "500" } };
    const first = await upgraded(network, change);
    seen.push(await expectParams(network, first, "TypeScript handler", "2000000 30000000 500"));
    const next = create(ConsensusParamsSchema, {
      block: { maxBytes: 3_000_000n, maxGas: 40_000_000n },
      evidence: { maxAgeNumBlocks: 600n, maxAgeDuration: { seconds: 3_600n }, maxBytes: 20_000n },
      validator: { pubKeyTypes: ["ed25519"] },
      abci: {},
    });
    const records = [[utf8("Consensus"), toBinary(ConsensusParamsSchema, next)] as const];
    await stageWrites(network, { plan: "v3", store: "consensus", prefix: "43", records });
    const second = await network.schedule("v3");
    await network.untilHeight(second + 2);
    seen.push(await expectParams(network, second, "Wasm handler", "3000000 40000000 600"));
    const message = pack(MsgUpdateParamsSchema, {
      authority: GOV_ADDRESS,
      block: { maxBytes: 4_000_000n, maxGas: -1n },
      evidence: { maxAgeNumBlocks: 700n, maxAgeDuration: { seconds: 3_600n }, maxBytes: 20_000n },
      validator: { pubKeyTypes: ["ed25519"] },
    });
    await network.propose([message]);
    let height = 0;
    await until("the vote's outcome is in force", async () => {
      height = await firstOf(network).height();
      return (await paramsAt(network, height)) === "4000000 -1 700";
    });
    while ((await paramsAt(network, height - 1)) === "4000000 -1 700") height--;
    seen.push(await expectParams(network, height - 1, "MsgUpdateParams", "4000000 -1 700"));
    process.stderr.write(`${seen.map((line) => `  ${line}`).join("\n")}\n`);
    return { ...(await upTo(network, height + HEIGHTS_AFTER)), counts: `${seen.length} changes` };
  },
};
