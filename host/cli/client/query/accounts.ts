/** Questions about accounts and their coins. */

import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Query as AuthQuery } from "../../../base/gen/cosmos/auth/v1beta1/query_pb.js";
import { Query as BankQuery } from "../../../base/gen/cosmos/bank/v1beta1/query_pb.js";
import type { Chain } from "../../../chain/app/chain.js";
import { ask } from "../../wallet/ask.js";
import { type QueryFlags, queryClient } from "../flags.js";
import { messageJson } from "../message-json.js";
import { type PageFlags, pageRequest } from "../page-flags.js";
import type { Answer, Question } from "./question.js";

const auth = AuthQuery.method;
const bank = BankQuery.method;

function answer<S extends DescMessage>(chain: Chain, schema: S, message: MessageShape<S>): Answer {
  return { json: messageJson(chain, schema, message) };
}

/** Checked here, so that a slip of the pen needs no node to be found. */
function checked(chain: Chain, address = ""): string {
  chain.addresses.decode(address);
  return address;
}

export const account: Question = async ([address], flags, chain) =>
  answer(
    chain,
    auth.account.output,
    await ask(queryClient(flags), auth.account, { address: checked(chain, address) }, flags.height),
  );

export const moduleAccount: Question = async ([name = ""], flags, chain) =>
  answer(
    chain,
    auth.moduleAccountByName.output,
    await ask(queryClient(flags), auth.moduleAccountByName, { name }, flags.height),
  );

export const moduleAccounts: Question = async (_, flags, chain) =>
  answer(chain, auth.moduleAccounts.output, await ask(queryClient(flags), auth.moduleAccounts, {}, flags.height));

export const balances: Question<QueryFlags & PageFlags> = async ([address], flags, chain) => {
  const request = { address: checked(chain, address), pagination: pageRequest(flags) };
  return answer(chain, bank.allBalances.output, await ask(queryClient(flags), bank.allBalances, request, flags.height));
};

export const balance: Question = async ([address, denom = ""], flags, chain) =>
  answer(
    chain,
    bank.balance.output,
    await ask(queryClient(flags), bank.balance, { address: checked(chain, address), denom }, flags.height),
  );

export const total: Question<QueryFlags & PageFlags> = async (_, flags, chain) => {
  const request = { pagination: pageRequest(flags) };
  return answer(chain, bank.totalSupply.output, await ask(queryClient(flags), bank.totalSupply, request, flags.height));
};
