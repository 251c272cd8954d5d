/** The main job's own small chain: a few thousand accounts with coins of several kinds, the same ones each time. */
import { utf8 } from "../../bytes.js";
import { encodeAddress, OPERATOR_PREFIX } from "../../chain/address.js";
import { sha256 } from "../../engine/node-crypto.js";

const ACCOUNTS = 3_000;
const VALIDATORS = 4;
const GENESIS_TIME = "2026-01-01T00:00:00Z";
const DENOMS = ["ustake", "uatom", "ugold"];

export function smallGenesis(): Record<string, unknown> {
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => account(index));
  return {
    genesis_time: GENESIS_TIME,
    chain_id: "demo-1",
    initial_height: "1",
    app_hash: null,
    app_state: {
      auth: { accounts: accounts.map(({ address }, index) => baseAccount(address, index)) },
      bank: { balances: accounts },
      staking: staking(),
      gov: { starting_proposal_id: "1" },
    },
    consensus: { params: { block: { max_bytes: "22020096", max_gas: "-1" }, version: {} } },
  };
}

/** Twenty bytes that look like an address, from a name. */
function addressBytes(name: string): Uint8Array {
  return sha256(utf8(`chain-upgrade ${name}`)).slice(0, 20);
}

function account(index: number) {
  const seed = sha256(utf8(`coins ${index}`));
  const view = new DataView(seed.buffer, seed.byteOffset);
  // Everybody has the first denomination, some have the others too.
  const coins = DENOMS.filter((_, kind) => kind === 0 || (seed[kind] as number) < 96).map((denom, kind) => ({
    denom,
    amount: String((view.getBigUint64(8 * kind) % 1_000_000_000n) + 1n),
  }));
  return { address: encodeAddress(addressBytes(`account ${index}`)), coins };
}

function baseAccount(address: string, index: number) {
  const type = "/cosmos.auth.v1beta1.BaseAccount";
  return { "@type": type, address, pub_key: null, account_number: String(index), sequence: "0" };
}

function staking() {
  const validators = Array.from({ length: VALIDATORS }, (_, index) => {
    const key = Buffer.from(sha256(utf8(`validator ${index}`))).toString("base64");
    return {
      operator_address: encodeAddress(addressBytes(`operator ${index}`), OPERATOR_PREFIX),
      consensus_pubkey: { "@type": "/cosmos.crypto.ed25519.PubKey", key },
      jailed: false,
      status: "BOND_STATUS_BONDED",
      tokens: "100000000",
      delegator_shares: "100000000.000000000000000000",
      description: { moniker: `validator ${index}` },
    };
  });
  return { params: { bond_denom: "ustake" }, validators, delegations: [] };
}
