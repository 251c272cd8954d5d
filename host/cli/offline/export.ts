/** Writes a committed version as a genesis document, in the shape that `init --genesis` reads. */
import { writeSync } from "node:fs";
import { utf8 } from "../../bytes.js";
import { encodeAddress, OPERATOR_PREFIX } from "../../chain/address.js";
import type { Coins } from "../../chain/coins.js";
import type { GenesisFacts } from "../../chain/genesis.js";
import { AUTH_STORE, accounts, permissionsOf } from "../../chain/modules/auth.js";
import { accountBank, BANK_STORE, storeBank } from "../../chain/modules/bank.js";
import { deposits, GOV_STORE, proposals, readNextProposalId, readParams, votes } from "../../chain/modules/gov.js";
import { delegations, STAKING_STORE, validators } from "../../chain/modules/staking.js";
import { formatTime } from "../../commitment/block/time.js";
import { Core } from "../../core/core.js";
import { writeFileAtomically } from "../../engine/atomic-file.js";
import { BlockStore } from "../../engine/block-store.js";
import { keptGenesis } from "../../engine/genesis-record.js";
import { sha256 } from "../../engine/node-crypto.js";
import type { Account, Vesting } from "../../gen/chain/auth/v1/auth_pb.js";
import { BondStatus } from "../../gen/chain/staking/v1/staking_pb.js";
import { DepositSchema, ParamsSchema, ProposalSchema, VoteSchema } from "../../gen/cosmos/gov/v1/gov_pb.js";
import { CommitMultiStore } from "../../store/commit-multi-store.js";
import type { VersionView } from "../../store/version-view.js";
import { UPGRADE_STORE } from "../../upgrade/keeper.js";
import { messageJson } from "../client/message-json.js";
import { noChain, withReader } from "./home-database.js";

export interface ExportRequest {
  /** 0n: the last. */
  readonly height: bigint;
  readonly forZeroHeight?: boolean;
  readonly outputDocument?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** @throws UpgradeError UPG_STORE_LOCKED, UPG_NOT_FOUND_VERSION, UPG_STORE_*, UPG_INVALID_CONFIG, UPG_INVALID_GENESIS */
export function exportGenesis(path: string, request: ExportRequest, say: (line: string) => void): void {
  const document = withReader(path, (database) => {
    const multiStore = new CommitMultiStore(database, { sha256 });
    const height = request.height === 0n ? multiStore.lastCommitID.version : request.height;
    if (height === 0n) throw noChain(path);
    const view = multiStore.at(height);
    const { facts: begun } = keptGenesis(database);
    const time = formatTime(new BlockStore(database).at(height).header.time);
    const plan = new Core().plan(view.store(UPGRADE_STORE));
    if (plan) say(`the plan "${plan.name}" at height ${plan.height} does not go along: schedule it anew`);
    const initial = request.forZeroHeight ? 1n : height + 1n;
    return genesisDocument({ view, begun, time, initialHeight: initial, version: versionOf(view, begun) });
  });
  const text = `${JSON.stringify(document)}\n`;
  if (request.outputDocument === undefined) writeAll(text);
  else writeFileAtomically(request.outputDocument, utf8(text), 0o644);
}

/** A pipe may take a part at a time; nothing may be lost when the process ends. */
function writeAll(text: string): void {
  const bytes = utf8(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw cause;
    }
  }
}

/** The version that the chain began with, and one more for each upgrade; 0n: unset, and nothing was applied. */
function versionOf(view: VersionView, begun: GenesisFacts): bigint {
  const applied = new Core().protocolVersion(view.store(UPGRADE_STORE));
  return applied === 0n ? begun.appVersion : (begun.appVersion || 1n) + applied;
}

interface Exported {
  readonly view: VersionView;
  readonly begun: GenesisFacts;
  readonly time: string;
  readonly initialHeight: bigint;
  readonly version: bigint;
}

function genesisDocument({ view, begun, time, initialHeight, version }: Exported): Json {
  const bank = view.names.includes(BANK_STORE) ? storeBank : accountBank;
  const params = (begun.consensusParams.value ?? {}) as Json;
  const balances = [...bank.allBalances(view)].map(([address, coins]) => ({
    ...{ address: encodeAddress(address), coins: jsonCoins(coins) },
  }));
  return {
    genesis_time: time,
    chain_id: begun.chainId,
    initial_height: String(initialHeight),
    app_hash: null,
    app_state: {
      auth: { accounts: [...accounts(view.store(AUTH_STORE))].map(accountJson) },
      bank: { balances },
      staking: stakingJson(view, begun.stakingParams.value),
      gov: govJson(view),
    },
    consensus: { params: { ...params, version: version === 0n ? {} : { app: String(version) } } },
  };
}

const jsonCoins = (coins: Coins) => coins.map(({ denom, amount }) => ({ denom, amount: String(amount) }));

function accountJson(account: Account): Json {
  const { address, pubKey, accountNumber, sequence, module, vesting } = account;
  const key = Buffer.from(pubKey).toString("base64");
  const base = {
    address: encodeAddress(address),
    pub_key: pubKey.length === 0 ? null : { "@type": "/cosmos.crypto.secp256k1.PubKey", key },
    ...{ account_number: String(accountNumber), sequence: String(sequence) },
  };
  if (module !== "") {
    return {
      "@type": "/cosmos.auth.v1beta1.ModuleAccount",
      base_account: base,
      name: module,
      permissions: permissionsOf(module),
    };
  }
  return vesting ? vestingJson(base, vesting) : { "@type": "/cosmos.auth.v1beta1.BaseAccount", ...base };
}

function vestingJson(base: Json, { original, delegatedFree, delegatedVesting, startTime, endTime }: Vesting): Json {
  const coins = (list: readonly { denom: string; amount: string }[]) =>
    list.map(({ denom, amount }) => ({ denom, amount }));
  const common = {
    base_account: base,
    original_vesting: coins(original),
    ...{ delegated_free: coins(delegatedFree), delegated_vesting: coins(delegatedVesting), end_time: String(endTime) },
  };
  if (startTime === 0n)
    return { "@type": "/cosmos.vesting.v1beta1.DelayedVestingAccount", base_vesting_account: common };
  const type = "/cosmos.vesting.v1beta1.ContinuousVestingAccount";
  return { "@type": type, base_vesting_account: common, start_time: String(startTime) };
}

const STATUS: Readonly<Record<number, string>> = {
  [BondStatus.UNBONDED]: "BOND_STATUS_UNBONDED",
  [BondStatus.UNBONDING]: "BOND_STATUS_UNBONDING",
  [BondStatus.BONDED]: "BOND_STATUS_BONDED",
};

function stakingJson(view: VersionView, params: unknown): Json {
  const store = view.store(STAKING_STORE);
  return {
    params: params ?? {},
    validators: [...validators(store)].map((validator) => ({
      operator_address: encodeAddress(validator.operator, OPERATOR_PREFIX),
      consensus_pubkey: {
        ...{ "@type": "/cosmos.crypto.ed25519.PubKey", key: Buffer.from(validator.consensusKey).toString("base64") },
      },
      ...{ jailed: validator.jailed, status: STATUS[validator.status], tokens: validator.tokens },
      ...{ delegator_shares: validator.delegatorShares, description: { moniker: validator.moniker } },
    })),
    delegations: [...delegations(store)].map(({ delegator, operator, shares }) => ({
      delegator_address: encodeAddress(delegator),
      ...{ validator_address: encodeAddress(operator, OPERATOR_PREFIX), shares },
    })),
  };
}

function govJson(view: VersionView): Json {
  const store = view.store(GOV_STORE);
  const params = readParams(store);
  return {
    starting_proposal_id: String(readNextProposalId(store)),
    ...(params ? { params: messageJson(ParamsSchema, params) } : {}),
    proposals: [...proposals(store)].map((each) => messageJson(ProposalSchema, each)),
    deposits: [...deposits(store)].map((each) => messageJson(DepositSchema, each)),
    votes: [...votes(store)].map((each) => messageJson(VoteSchema, each)),
  };
}
