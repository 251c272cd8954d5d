/** Reads that wallets and explorers make besides balances: staking, owners of coins, addresses, settings of the node. */
import { createProtobufRpcClient, QueryClient, setupAuthExtension, setupStakingExtension } from "@cosmjs/stargate";
import { Comet38Client } from "@cosmjs/tendermint-rpc";
import { QueryClientImpl as AuthQuery } from "cosmjs-types/cosmos/auth/v1beta1/query";
import { QueryClientImpl as BankQuery } from "cosmjs-types/cosmos/bank/v1beta1/query";
import { ServiceClientImpl as NodeService } from "cosmjs-types/cosmos/base/node/v1beta1/query";
import { QueryClientImpl as ConsensusQuery } from "cosmjs-types/cosmos/consensus/v1/query";
import { ServiceClientImpl as TxService } from "cosmjs-types/cosmos/tx/v1beta1/service";
import { Tx } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { expect, test } from "vitest";
import { decodeAddress, operators } from "../../../addresses.js";
import { fundedGenesis, SIGNER, useTestNode } from "./test-node.js";

const OPERATOR = operators.encode(decodeAddress(SIGNER));
const OTHER_OPERATOR = operators.encode(new Uint8Array(20).fill(9));

function genesis(): string {
  const document = JSON.parse(fundedGenesis());
  const { staking } = document.app_state;
  staking.validators = [{ ...staking.validators[0], operator_address: OPERATOR }];
  staking.delegations = [{ ...staking.delegations[0], delegator_address: SIGNER, validator_address: OPERATOR }];
  return JSON.stringify(document);
}

async function withClients(use: (clients: Awaited<ReturnType<typeof clientsOf>>) => Promise<void>): Promise<void> {
  await useTestNode(
    async ({ rpc, rest }) => {
      const clients = await clientsOf(rpc, rest);
      await use(clients);
      clients.comet.disconnect();
    },
    { genesis: genesis() },
  );
}

async function clientsOf(url: string, rest: string) {
  const comet = await Comet38Client.connect(url);
  const query = QueryClient.withExtensions(comet, setupStakingExtension, setupAuthExtension);
  const get = async (path: string, body?: unknown) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${rest}${path}`, init)).json();
  };
  return { comet, query, rpc: createProtobufRpcClient(query), get };
}

test("staking by CosmJS: what is delegated → read both ways; what this chain has none of → empty or not found", () =>
  withClients(async ({ query: { staking }, get }) => {
    const { delegationResponse } = await staking.delegation(SIGNER, OPERATOR);
    expect(delegationResponse?.delegation).toMatchObject({ delegatorAddress: SIGNER, validatorAddress: OPERATOR });
    const { delegationResponses } = await staking.validatorDelegations(OPERATOR);
    expect(delegationResponses).toEqual([delegationResponse]);
    expect((await staking.validatorDelegations(OTHER_OPERATOR)).delegationResponses).toEqual([]);
    const { validators } = await staking.delegatorValidators(SIGNER);
    expect(validators.map(({ operatorAddress }) => operatorAddress)).toEqual([OPERATOR]);
    expect((await staking.delegatorValidator(SIGNER, OPERATOR)).validator.operatorAddress).toBe(OPERATOR);
    expect((await staking.delegatorUnbondingDelegations(SIGNER)).unbondingResponses).toEqual([]);
    expect((await staking.validatorUnbondingDelegations(OPERATOR)).unbondingResponses).toEqual([]);
    expect((await staking.redelegations(SIGNER, "", "")).redelegationResponses).toEqual([]);
    const missing = `delegation with delegator ${SIGNER} not found for validator ${OTHER_OPERATOR}`;
    await expect(staking.delegation(SIGNER, OTHER_OPERATOR)).rejects.toThrow(missing);
    await expect(staking.unbondingDelegation(SIGNER, OPERATOR)).rejects.toThrow(`unbonding delegation with delegator`);
    await expect(staking.redelegations(SIGNER, OPERATOR, OTHER_OPERATOR)).rejects.toThrow("redelegation not found");
    await expect(staking.historicalInfo(7)).rejects.toThrow("historical info for height 7 not found");
    expect(await get(`/cosmos/staking/v1beta1/delegators/${SIGNER}/unbonding_delegations`)).toEqual({
      unbonding_responses: [],
      pagination: { next_key: null, total: "0" },
    });
    expect(await get("/cosmos/staking/v1beta1/historical_info/7")).toMatchObject({ code: 5 });
    expect(await get("/cosmos/staking/v1beta1/historical_info/-1")).toMatchObject({ code: 3 });
  }));

test("owners of a denomination, page by page → every holder once, with what it holds", () =>
  withClients(async ({ rpc, get }) => {
    const bank = new BankQuery(rpc);
    const { denomOwners: owners } = await bank.DenomOwners({ denom: "ustake" });
    expect(owners).toContainEqual({ address: SIGNER, balance: { denom: "ustake", amount: "1000000000" } });
    const supply = await bank.SupplyOf({ denom: "ustake" });
    const sum = owners.reduce((total, { balance }) => total + BigInt(balance.amount), 0n);
    expect(String(sum)).toBe(supply.amount.amount);
    const paged: string[] = [];
    let next = "";
    do {
      const key = next === "" ? "" : `&pagination.key=${encodeURIComponent(next)}`;
      const page = await get(`/cosmos/bank/v1beta1/denom_owners_by_query?denom=ustake&pagination.limit=2${key}`);
      paged.push(...page.denom_owners.map(({ address }: { address: string }) => address));
      next = page.pagination.next_key ?? "";
    } while (next !== "");
    expect(paged).toEqual(owners.map(({ address }) => address));
    expect((await bank.DenomOwners({ denom: "nothing" })).denomOwners).toEqual([]);
    expect(await get("/cosmos/bank/v1beta1/send_enabled")).toEqual({
      send_enabled: [],
      pagination: { next_key: null, total: "0" },
    });
  }));

test("addresses by number, as text and as bytes → there and back", () =>
  withClients(async ({ rpc, query, get }) => {
    const auth = new AuthQuery(rpc);
    const accountNumber = (await get(`/cosmos/auth/v1beta1/account_info/${SIGNER}`)).info.account_number;
    const request = { id: 0n, accountId: BigInt(accountNumber) };
    expect((await auth.AccountAddressByID(request)).accountAddress).toBe(SIGNER);
    expect(await get(`/cosmos/auth/v1beta1/address_by_id/0?account_id=${accountNumber}`)).toEqual({
      account_address: SIGNER,
    });
    await expect(auth.AccountAddressByID({ id: 0n, accountId: 999_999n })).rejects.toThrow("not found with account");
    const { addressBytes } = await auth.AddressStringToBytes({ addressString: SIGNER });
    expect(addressBytes).toEqual(decodeAddress(SIGNER));
    expect((await auth.AddressBytesToString({ addressBytes })).addressString).toBe(SIGNER);
    const tooLong = { addressBytes: new Uint8Array(256) };
    await expect(auth.AddressBytesToString(tooLong)).rejects.toThrow("at most 255 bytes");
    expect(await get(`/cosmos/auth/v1beta1/bech32/${SIGNER}`)).toEqual({
      address_bytes: Buffer.from(addressBytes).toString("base64"),
    });
    expect(await query.auth.account(SIGNER)).not.toBeNull();
  }));

test("settings, last block and consensus parameters of the node → as the Cosmos SDK shows them", () =>
  withClients(async ({ rpc, get }) => {
    const node = new NodeService(rpc);
    expect(await node.Config({})).toEqual({
      minimumGasPrice: "",
      pruningKeepRecent: "100",
      pruningInterval: "1",
      haltHeight: 0n,
    });
    expect(await node.Status({})).toMatchObject({ earliestStoreHeight: 1n, height: 2n });
    expect((await new ConsensusQuery(rpc).Params({})).params?.block).toMatchObject({ maxGas: -1n });
    expect(await get("/cosmos/consensus/v1/params")).toMatchObject({
      params: { evidence: { max_age_duration: "172800s" }, validator: { pub_key_types: ["ed25519"] } },
    });
  }));

test("a transaction in JSON, encoded and decoded again → the same", () =>
  withClients(async ({ rpc, get }) => {
    const amount = [{ denom: "ustake", amount: "5" }];
    const send = { "@type": "/cosmos.bank.v1beta1.MsgSend", from_address: SIGNER, to_address: SIGNER, amount };
    const tx = { body: { messages: [send], memo: "a memo" }, auth_info: { fee: { amount, gas_limit: "7" } } };
    const { tx_bytes } = await get("/cosmos/tx/v1beta1/encode", { tx });
    expect((await get("/cosmos/tx/v1beta1/decode", { tx_bytes })).tx).toMatchObject(tx);
    const txBytes = new Uint8Array(Buffer.from(tx_bytes, "base64"));
    const service = new TxService(rpc);
    const decoded = await service.TxDecode({ txBytes });
    expect(decoded.tx?.body?.memo).toBe("a memo");
    expect((await service.TxEncode({ tx: decoded.tx ?? Tx.fromPartial({}) })).txBytes).toEqual(txBytes);
    await expect(service.TxDecode({ txBytes: Uint8Array.of(1, 2, 3) })).rejects.toThrow("tx parse error");
  }));
