/** Writes a genesis document into the stores of the version it starts. */
import { create } from "@bufbuild/protobuf";
import { equalBytes } from "../bytes.js";
import { AccountSchema, VestingSchema } from "../gen/chain/auth/v1/auth_pb.js";
import type { Keeper } from "../upgrade/keeper.js";
import { UPGRADE_STORE } from "../upgrade/keeper.js";
import { moduleAddress } from "./address.js";
import { coinsToMessages } from "./coins.js";
import type { BlockContext } from "./context.js";
import type { Genesis, GenesisAccount, GenesisBalance } from "./genesis.js";
import { enqueueProposal } from "./gov/queues.js";
import { AUTH_STORE, ensureAccount, reserveAccountNumber, writeAccount } from "./modules/auth.js";
import {
  GOV_MODULE,
  GOV_STORE,
  writeDeposit,
  writeNextProposalId,
  writeParams,
  writeProposal,
  writeVote,
} from "./modules/gov.js";
import { STAKING_STORE, writeDelegation, writeValidator } from "./modules/staking.js";
import type { ChainVersion } from "./versions/version.js";

export function initGenesis(context: BlockContext, genesis: Genesis, version: ChainVersion, keeper: Keeper): void {
  const auth = context.store(AUTH_STORE);
  // Exported documents list both in one order: an account whose coins come next gets them while it is at hand.
  const balances = genesis.balances[Symbol.iterator]();
  const mint = ({ address, coins }: GenesisBalance): void => {
    if (coins.length > 0) version.bank.mint(context.stores, address, coins);
  };
  let next = balances.next();
  for (const account of genesis.accounts) {
    writeAccount(auth, accountRecord(account));
    reserveAccountNumber(auth, account.number);
    if (next.done || !equalBytes(next.value.address, account.address)) continue;
    mint(next.value);
    next = balances.next();
  }
  ensureAccount(auth, moduleAddress(context.sha256, GOV_MODULE), GOV_MODULE);
  for (; !next.done; next = balances.next()) {
    ensureAccount(auth, next.value.address);
    mint(next.value);
  }
  const staking = context.store(STAKING_STORE);
  for (const validator of genesis.validators) writeValidator(staking, validator);
  for (const delegation of genesis.delegations) writeDelegation(staking, delegation);
  const gov = context.store(GOV_STORE);
  writeParams(gov, genesis.gov.params);
  writeNextProposalId(gov, genesis.gov.startingProposalId);
  for (const proposal of genesis.gov.proposals) {
    writeProposal(gov, proposal);
    enqueueProposal(gov, proposal);
  }
  for (const deposit of genesis.gov.deposits) writeDeposit(gov, deposit);
  for (const vote of genesis.gov.votes) writeVote(gov, vote);
  for (const { store, key, value } of genesis.raw?.pairs ?? []) context.store(store).set(key, value);
  keeper.setModuleVersions(context.store(UPGRADE_STORE), version.modules);
}

function accountRecord({ address, number, sequence, pubKey, module, vesting }: GenesisAccount) {
  const record = create(AccountSchema, { address, accountNumber: number, sequence, pubKey, module });
  if (vesting) {
    record.vesting = create(VestingSchema, {
      original: coinsToMessages(vesting.original),
      delegatedFree: coinsToMessages(vesting.delegatedFree),
      delegatedVesting: coinsToMessages(vesting.delegatedVesting),
      startTime: vesting.startTime,
      endTime: vesting.endTime,
    });
  }
  return record;
}
