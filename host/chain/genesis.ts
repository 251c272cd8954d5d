/**
 * The genesis document, in the shape of the Cosmos SDK: what a chain begins with. Its head is read at once; accounts,
 * balances and delegations, of which there may be millions, whenever they are walked over. Both check everything that
 * modules rely on, so a chain that has walked over all of it before its first commit never begins with a wrong document.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { equalBytes, utf8 } from "../bytes.js";
import { parseTime } from "../commitment/block/time.js";
import { HEIGHT_MAX } from "../limits.js";
import type { Height, Timestamp } from "../types.js";
import { decodeAddress, moduleAddress } from "./address.js";
import { AMOUNT_MAX, type Coin } from "./coins.js";
import { readCoins } from "./genesis-coins.js";
import { type ByteSource, memorySource } from "./genesis-document/byte-source.js";
import { GenesisDocument } from "./genesis-document/document.js";
import { checkHeldDeposits, type GenesisGov, readGov } from "./genesis-gov.js";
import { type GenesisList, listOnce } from "./genesis-list.js";
import { type GenesisRaw, readRaw } from "./genesis-raw.js";
import {
  type GenesisDelegation,
  type GenesisValidator,
  keyOfDelegation,
  readDelegation,
  readStaking,
} from "./genesis-staking.js";
import { JsonReader } from "./json-reader.js";
import { GOV_MODULE } from "./modules/gov.js";

export interface GenesisAccount {
  readonly address: Uint8Array;
  readonly number: bigint;
  readonly sequence: bigint;
  /** Compressed secp256k1 key, 33 bytes; empty when the account has not signed yet, or has a key of another kind. */
  readonly pubKey: Uint8Array;
  /** Name of a module account; "" for any other. */
  readonly module: string;
  readonly vesting: GenesisVesting | undefined;
}

interface GenesisVesting {
  readonly original: readonly Coin[];
  readonly delegatedFree: readonly Coin[];
  readonly delegatedVesting: readonly Coin[];
  readonly startTime: bigint;
  readonly endTime: bigint;
}

export interface GenesisBalance {
  readonly address: Uint8Array;
  readonly coins: readonly Coin[];
}

/** What stays true of a chain after its first block: the database keeps it, so that the document is not read again. */
export interface GenesisFacts {
  readonly chainId: string;
  readonly time: Timestamp;
  readonly initialHeight: Height;
  /** Consensus app version; 0n: unset, the first. */
  readonly appVersion: bigint;
  /** `consensus.params`, for the engine. */
  readonly consensusParams: JsonReader;
  /** `app_state.staking.params`. */
  readonly stakingParams: JsonReader;
  readonly bondDenom: string;
}

/** The state that a chain begins with. */
interface GenesisState {
  readonly accounts: GenesisList<GenesisAccount>;
  /** At the end of a walk the sums are checked too, and that the gov account holds the deposits. */
  readonly balances: GenesisList<GenesisBalance>;
  readonly validators: readonly GenesisValidator[];
  readonly delegations: GenesisList<GenesisDelegation>;
  readonly gov: GenesisGov;
  /** What no module of this program reads. */
  readonly raw: GenesisRaw | undefined;
}

export type Genesis = GenesisFacts & GenesisState;

/** A document that was read as a whole. */
export type GenesisInMemory = Genesis & {
  readonly accounts: readonly GenesisAccount[];
  readonly balances: readonly GenesisBalance[];
  readonly delegations: readonly GenesisDelegation[];
};

const SECP256K1_TYPE = "/cosmos.crypto.secp256k1.PubKey";
const SECP256K1_BYTES = 33;

const CHAIN_ID = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,49}$/;

/** A whole document in memory, all of it checked. @throws UpgradeError UPG_INVALID_GENESIS with the path of what is wrong */
export function parseGenesis(text: string): GenesisInMemory {
  const genesis = openGenesis(memorySource(utf8(text)));
  return {
    ...genesis,
    accounts: [...genesis.accounts],
    balances: [...genesis.balances],
    delegations: [...genesis.delegations],
  };
}

/**
 * A document of any size: its head is checked now, its long lists when they are walked over.
 * @throws UpgradeError UPG_INVALID_GENESIS with the path of what is wrong
 */
export function openGenesis(source: ByteSource): Genesis {
  return readGenesis(new GenesisDocument(source));
}

/** The same of a document that is open. */
export function readGenesis(document: GenesisDocument): Genesis {
  const { root } = document;
  const state = root.get("app_state");
  const { validators, bondDenom, stakingParams } = readStaking(state.get("staking"));
  const consensusParams = new JsonReader(root.object()["consensus"] ?? {}, "genesis.consensus").get("params");
  const gov = readGov(state.get("gov"), bondDenom);
  return {
    chainId: readChainId(root.get("chain_id")),
    time: root.get("genesis_time").parse(parseTime),
    initialHeight: readHeight(root.get("initial_height")),
    appVersion: consensusParams.isSet ? readAppVersion(consensusParams) : 0n,
    consensusParams,
    stakingParams,
    bondDenom,
    validators,
    gov,
    raw: readRaw(document),
    accounts: listOnce(document.list("auth", "accounts"), readAccount, ({ address }) => address),
    balances: readBalances(document, gov),
    delegations: listOnce(document.list("staking", "delegations"), readDelegation, keyOfDelegation),
  };
}

/** The lists that are checked when they are walked over, by name. */
export function longLists({ accounts, balances, delegations, raw }: Genesis): [string, GenesisList<unknown>][] {
  return [
    ["accounts", accounts],
    ["balances", balances],
    ["delegations", delegations],
    ["pairs of other stores", raw?.pairs ?? []],
  ];
}

/** Is this the state of a chain too, or are these the facts alone? */
export function hasState(genesis: GenesisFacts): genesis is Genesis {
  return "accounts" in genesis;
}

function readChainId(field: JsonReader): string {
  const id = field.text();
  if (!CHAIN_ID.test(id)) throw field.wrong("a chain id has 1 to 50 letters, digits, dots, dashes and underscores");
  return id;
}

/** The field writes 0 for unset, and begins at 1 then. Beyond `HEIGHT_MAX` no block could be committed. */
function readHeight(field: JsonReader): Height {
  const height = field.integer(1n);
  if (height < 0n || height > HEIGHT_MAX) throw field.wrong(`must be a height from 1 to ${HEIGHT_MAX}`);
  return height === 0n ? 1n : height;
}

function readAppVersion(params: JsonReader): bigint {
  const version = params.get("version");
  return version.isSet ? version.get("app").uint64(0n) : 0n;
}

/** BaseAccount, ModuleAccount, and the two vesting accounts. */
function readAccount(account: JsonReader): GenesisAccount {
  const type = account.get("@type").text();
  const name = type.slice(type.lastIndexOf(".") + 1);
  const isVesting = name === "DelayedVestingAccount" || name === "ContinuousVestingAccount";
  if (!isVesting && name !== "BaseAccount" && name !== "ModuleAccount") {
    throw account.get("@type").wrong(`unknown kind of account ${type}`);
  }
  const vesting = isVesting ? account.get("base_vesting_account") : undefined;
  const base = vesting ? vesting.get("base_account") : name === "ModuleAccount" ? account.get("base_account") : account;
  return {
    address: base.get("address").parse(decodeAddress),
    number: base.get("account_number").uint64(0n),
    sequence: base.get("sequence").uint64(0n),
    pubKey: readAccountKey(base.get("pub_key")),
    module: name === "ModuleAccount" ? account.get("name").text() : "",
    vesting: vesting && {
      original: readCoins(vesting.get("original_vesting")),
      delegatedFree: readCoins(vesting.get("delegated_free")),
      delegatedVesting: readCoins(vesting.get("delegated_vesting")),
      startTime: account.get("start_time").int64(0n),
      endTime: vesting.get("end_time").int64(),
    },
  };
}

function readAccountKey(field: JsonReader): Uint8Array {
  if (!field.isSet || field.get("@type").text("") !== SECP256K1_TYPE) return new Uint8Array();
  const key = field.get("key").base64();
  if (key.length !== SECP256K1_BYTES) throw field.get("key").wrong(`a secp256k1 key has 33 bytes, got ${key.length}`);
  return key;
}

/**
 * No denomination's sum may pass what an amount can be: the supply is one. The gov account must hold the deposits of
 * open proposals.
 */
function readBalances(document: GenesisDocument, gov: GenesisGov): GenesisList<GenesisBalance> {
  const state = document.root.get("app_state");
  const govAccount = moduleAddress(sha256, GOV_MODULE);
  const begin = () => {
    const supply = new Map<string, bigint>();
    let held: readonly Coin[] = [];
    return {
      see({ address, coins }: GenesisBalance): void {
        for (const { denom, amount } of coins) supply.set(denom, (supply.get(denom) ?? 0n) + amount);
        if (equalBytes(address, govAccount)) held = coins;
      },
      end(): void {
        for (const [denom, amount] of supply) {
          const balances = state.get("bank").get("balances");
          if (amount > AMOUNT_MAX) throw balances.wrong(`the sum of ${denom} has more than 256 bits`);
        }
        checkHeldDeposits(state.get("gov"), gov, held);
      },
    };
  };
  return listOnce(document.list("bank", "balances"), readBalance, ({ address }) => address, begin);
}

function readBalance(balance: JsonReader): GenesisBalance {
  return { address: balance.get("address").parse(decodeAddress), coins: readCoins(balance.get("coins")) };
}
