/** The one account whose vote decides in a scene's chain, and its proposals while the node runs. */
import { setTimeout as sleep } from "node:timers/promises";
import { Query } from "../../host/base/gen/cosmos/auth/v1beta1/query_pb.js";
import { ProposalStatus, VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { Query as GovQuery } from "../../host/base/gen/cosmos/gov/v1/query_pb.js";
import { toBase64 } from "../../host/base/text/bytes.js";
import { ask } from "../../host/cli/wallet/ask.js";
import { RpcClient } from "../../host/node/remote/client.js";
import { encodeAddress, operators } from "../addresses.js";
import { genesisDocument } from "../scenario/genesis-text.js";
import { type Packed, propose, Signer, send, vote } from "../scenario/wallet.js";

export const GOVERNOR = new Signer("governor");
const VOTING_SECONDS = 4;
/** Of the first proposal; the genesis document has another one. */
export const FIRST_PROPOSAL = 2n;
const PATIENCE_MILLIS = 20_000;
/** More than the blocks that are made before the start. */
const AGE_MILLIS = 60_000;

/**
 * The scenarios' document, with the governor as its one operator.
 * @param time of the genesis; by default the machine's, as blocks have it: so the pace that the sidecar measures is the chain's
 */
export function governedGenesis(time = new Date(Date.now() - AGE_MILLIS).toISOString()): string {
  // The helper types the document as JSON of any shape.
  const document = genesisDocument() as unknown as Document;
  document.genesis_time = time;
  const { auth, bank, staking, gov } = document.app_state;
  const address = encodeAddress(GOVERNOR.addressBytes);
  const operator = operators.encode(GOVERNOR.addressBytes);
  const type = "/cosmos.auth.v1beta1.BaseAccount";
  const account_number = String(auth.accounts.length);
  auth.accounts.push({ "@type": type, address, pub_key: null, account_number, sequence: "0" });
  bank.balances.push({ address, coins: [{ denom: "ustake", amount: "100000000" }] });
  for (const each of staking.validators) each["operator_address"] = operator;
  for (const each of staking.delegations)
    Object.assign(each, { delegator_address: address, validator_address: operator });
  gov.params = { voting_period: `${VOTING_SECONDS}s`, min_deposit: [{ denom: "ustake", amount: "100" }] };
  return JSON.stringify(document);
}

interface Document {
  genesis_time: string;
  readonly app_state: {
    readonly auth: { readonly accounts: object[] };
    readonly bank: { readonly balances: object[] };
    readonly staking: { readonly validators: Record<string, unknown>[]; readonly delegations: object[] };
    readonly gov: { params: object };
  };
}

/** Sends its transactions to one chain. A chain without empty blocks goes on as they come. */
export class Governor {
  readonly #rpc: RpcClient;
  #proposals = 0n;

  constructor(rpcPort: number) {
    this.#rpc = new RpcClient(`tcp://127.0.0.1:${rpcPort}`, PATIENCE_MILLIS);
  }

  /** Proposes, votes, and waits until the proposal has passed. @throws when it fails */
  async govern(messages: readonly Packed[]): Promise<void> {
    const proposalId = FIRST_PROPOSAL + this.#proposals++;
    // In one transaction, so that no machine is too slow for the voting period.
    await this.#send(propose(GOVERNOR, messages, { amount: 1_000 }), vote(GOVERNOR, proposalId, VoteOption.YES));
    await sleep(VOTING_SECONDS * 1_000 + 500);
    for (const end = Date.now() + PATIENCE_MILLIS; Date.now() < end; await sleep(500)) {
      await this.bump();
      const { proposal } = await ask(this.#rpc, GovQuery.method.proposal, { proposalId });
      if (proposal?.status === ProposalStatus.PASSED) return;
      if (proposal?.status === ProposalStatus.VOTING_PERIOD) continue;
      throw new Error(`proposal ${proposalId} did not pass: ${proposal?.failedReason ?? "it is gone"}`);
    }
    throw new Error(`the votes on proposal ${proposalId} were not counted in time`);
  }

  /** One block more, or two. False: the node takes no transaction now. */
  bump(): Promise<boolean> {
    return this.#send(send(GOVERNOR, GOVERNOR.address, 1)).then(
      () => true,
      () => false,
    );
  }

  /** Returns when it is in a block. */
  async #send(...messages: readonly Packed[]): Promise<void> {
    const before = await this.#account();
    const tx = GOVERNOR.sign(messages, { chainId: "scenario-1", ...before });
    const sent = (await this.#rpc.call("broadcast_tx_sync", { tx: toBase64(tx) })) as { code: number; log: string };
    if (sent.code !== 0) throw new Error(`the chain refused a transaction: ${sent.log}`);
    for (const end = Date.now() + PATIENCE_MILLIS; Date.now() < end; await sleep(50)) {
      if ((await this.#account()).sequence > before.sequence) return;
    }
    throw new Error("a transaction came into no block");
  }

  async #account(): Promise<{ readonly accountNumber: bigint; readonly sequence: bigint }> {
    const { info } = await ask(this.#rpc, Query.method.accountInfo, { address: GOVERNOR.address });
    const { accountNumber = 0n, sequence = 0n } = info ?? {};
    return { accountNumber, sequence };
  }
}
