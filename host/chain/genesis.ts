/**
 * The genesis document, in the field's shape: what a chain begins with. Reading it checks everything that modules rely
 * on, so that a wrong document is refused before anything is written.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "../bytes.js";
import { parseTime } from "../commitment/block/time.js";
import { UpgradeError } from "../errors.js";
import { INT64_MAX } from "../limits.js";
import type { Height, Timestamp } from "../types.js";
import { decodeAddress, encodeAddress, moduleAddress, OPERATOR_PREFIX } from "./address.js";
import { AMOUNT_MAX, type Coin, parseAmount } from "./coins.js";
import { readCoins } from "./genesis-coins.js";
import { checkHeldDeposits, type GenesisGov, readGov } from "./genesis-gov.js";
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

interface GenesisBalance {
  readonly address: Uint8Array;
  readonly coins: readonly Coin[];
}

export interface GenesisValidator {
  readonly operator: Uint8Array;
  readonly consensusKey: Uint8Array;
  readonly moniker: string;
  readonly tokens: bigint;
  readonly shares: string;
  readonly jailed: boolean;
  /** The field's names: BOND_STATUS_BONDED and so on. */
  readonly status: string;
}

export interface GenesisDelegation {
  readonly delegator: Uint8Array;
  readonly operator: Uint8Array;
  readonly shares: string;
}

export interface Genesis {
  readonly chainId: string;
  readonly time: Timestamp;
  readonly initialHeight: Height;
  /** Consensus app version; 0n: unset, the first. */
  readonly appVersion: bigint;
  /** `consensus.params`, for the engine. */
  readonly consensusParams: JsonReader;
  readonly accounts: readonly GenesisAccount[];
  readonly balances: readonly GenesisBalance[];
  readonly validators: readonly GenesisValidator[];
  readonly delegations: readonly GenesisDelegation[];
  readonly bondDenom: string;
  readonly gov: GenesisGov;
}

const STATUSES = new Set(["BOND_STATUS_UNBONDED", "BOND_STATUS_UNBONDING", "BOND_STATUS_BONDED"]);

const SECP256K1_TYPE = "/cosmos.crypto.secp256k1.PubKey";
const SECP256K1_BYTES = 33;

const CHAIN_ID = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,49}$/;

/** @throws UpgradeError UPG_INVALID_GENESIS with the path of what is wrong */
export function parseGenesis(text: string): Genesis {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new UpgradeError("UPG_INVALID_GENESIS", `the genesis document is not JSON: ${what}`, { cause });
  }
  const root = new JsonReader(json, "genesis");
  const state = root.get("app_state");
  const staking = readStaking(state.get("staking"));
  const consensusParams = new JsonReader(root.object()["consensus"] ?? {}, "genesis.consensus").get("params");
  const balances = readBalances(state.get("bank").get("balances"));
  const gov = readGov(state.get("gov"), staking.bondDenom);
  const govAccount = encodeAddress(moduleAddress(sha256, GOV_MODULE));
  const held = balances.find(({ address }) => encodeAddress(address) === govAccount)?.coins ?? [];
  checkHeldDeposits(state.get("gov"), gov, held);
  return {
    chainId: readChainId(root.get("chain_id")),
    time: root.get("genesis_time").parse(parseTime),
    initialHeight: readHeight(root.get("initial_height")),
    appVersion: consensusParams.isSet ? readAppVersion(consensusParams) : 0n,
    consensusParams,
    accounts: readOnce(state.get("auth").get("accounts"), readAccount, ({ address }) => toHex(address)),
    balances,
    ...staking,
    gov,
  };
}

/** A list of which no two entries have the same key. */
function readOnce<T>(list: JsonReader, read: (item: JsonReader) => T, keyOf: (entry: T) => string): T[] {
  const paths = new Map<string, string>();
  return list.items().map((item) => {
    const entry = read(item);
    const key = keyOf(entry);
    const other = paths.get(key);
    if (other) throw item.wrong(`stands for what ${other} stands for already`);
    paths.set(key, item.path);
    return entry;
  });
}

function readChainId(field: JsonReader): string {
  const id = field.text();
  if (!CHAIN_ID.test(id)) throw field.wrong("a chain id has 1 to 50 letters, digits, dots, dashes and underscores");
  return id;
}

/** The field writes 0 for unset, and begins at 1 then. */
function readHeight(field: JsonReader): Height {
  const height = field.integer(1n);
  if (height < 0n || height > INT64_MAX) throw field.wrong("must be a positive 64-bit integer");
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
  const key = readBase64(field.get("key"));
  if (key.length !== SECP256K1_BYTES) throw field.get("key").wrong(`a secp256k1 key has 33 bytes, got ${key.length}`);
  return key;
}

function readBase64(field: JsonReader): Uint8Array {
  return Uint8Array.from(
    field.parse((text) => atob(text)),
    (character) => character.charCodeAt(0),
  );
}

/** No denomination's sum may pass what an amount can be: the supply is one. */
function readBalances(list: JsonReader): GenesisBalance[] {
  const balances = readOnce(list, readBalance, ({ address }) => toHex(address));
  const supply = new Map<string, bigint>();
  for (const { coins } of balances) {
    for (const { denom, amount } of coins) supply.set(denom, (supply.get(denom) ?? 0n) + amount);
  }
  for (const [denom, amount] of supply) {
    if (amount > AMOUNT_MAX) throw list.wrong(`the sum of ${denom} has more than 256 bits`);
  }
  return balances;
}

function readBalance(balance: JsonReader): GenesisBalance {
  return { address: balance.get("address").parse(decodeAddress), coins: readCoins(balance.get("coins")) };
}

const DECIMAL = /^[0-9]+(\.[0-9]{1,18})?$/;

function readDecimal(field: JsonReader): string {
  const text = field.text();
  if (!DECIMAL.test(text)) throw field.wrong(`expected a decimal with at most 18 places, got "${text}"`);
  return text;
}

function readStaking(staking: JsonReader) {
  if (!staking.isSet) return { validators: [], delegations: [], bondDenom: "stake" };
  const params = staking.get("params");
  return {
    bondDenom: params.isSet ? params.get("bond_denom").text("stake") : "stake",
    validators: readOnce(staking.get("validators"), readValidator, ({ operator }) => toHex(operator)),
    delegations: readOnce(
      staking.get("delegations"),
      readDelegation,
      ({ delegator, operator }) => `${toHex(delegator)} ${toHex(operator)}`,
    ),
  };
}

function readValidator(validator: JsonReader): GenesisValidator {
  const key = validator.get("consensus_pubkey").get("key");
  const consensusKey = readBase64(key);
  if (consensusKey.length !== 32) throw key.wrong(`an ed25519 key has 32 bytes, got ${consensusKey.length}`);
  return {
    operator: validator.get("operator_address").parse((text) => decodeAddress(text, OPERATOR_PREFIX)),
    consensusKey,
    moniker: validator.get("description").get("moniker").text(""),
    tokens: validator.get("tokens").parse(parseAmount),
    shares: readDecimal(validator.get("delegator_shares")),
    jailed: validator.get("jailed").boolean(false),
    status: readStatus(validator.get("status")),
  };
}

function readStatus(field: JsonReader): string {
  const status = field.text("BOND_STATUS_BONDED");
  if (!STATUSES.has(status)) throw field.wrong(`expected one of ${[...STATUSES].join(", ")}, got "${status}"`);
  return status;
}

function readDelegation(delegation: JsonReader): GenesisDelegation {
  return {
    delegator: delegation.get("delegator_address").parse(decodeAddress),
    operator: delegation.get("validator_address").parse((text) => decodeAddress(text, OPERATOR_PREFIX)),
    shares: readDecimal(delegation.get("shares")),
  };
}
