/** Questions about accounts and their coins. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Query as AuthQuery } from "../../gen/cosmos/auth/v1beta1/query_pb.js";
import { Query as BankQuery } from "../../gen/cosmos/bank/v1beta1/query_pb.js";
import { programChain } from "../../shell/program-chain.js";
import { ask } from "../../wallet/ask.js";
import { rpcClient } from "../flags.js";
import { messageJson } from "../message-json.js";
import type { Answer, Question } from "./question.js";

const auth = AuthQuery.method;
const bank = BankQuery.method;

function answer<S extends DescMessage>(schema: S, message: MessageShape<S>): Answer {
  return { json: messageJson(schema, message) };
}

/** Checked here, so that a slip of the pen needs no node to be found. */
function checked(address = ""): string {
  programChain().addresses.decode(address);
  return address;
}

export const account: Question = async ([address], flags) =>
  answer(auth.account.output, await ask(rpcClient(flags), auth.account, { address: checked(address) }, flags.height));

export const moduleAccount: Question = async ([name = ""], flags) =>
  answer(
    auth.moduleAccountByName.output,
    await ask(rpcClient(flags), auth.moduleAccountByName, { name }, flags.height),
  );

export const moduleAccounts: Question = async (_, flags) =>
  answer(auth.moduleAccounts.output, await ask(rpcClient(flags), auth.moduleAccounts, {}, flags.height));

export const balances: Question = async ([address], flags) =>
  answer(
    bank.allBalances.output,
    await ask(rpcClient(flags), bank.allBalances, { address: checked(address) }, flags.height),
  );

export const balance: Question = async ([address, denom = ""], flags) =>
  answer(
    bank.balance.output,
    await ask(rpcClient(flags), bank.balance, { address: checked(address), denom }, flags.height),
  );

export const total: Question = async (_, flags) =>
  answer(bank.totalSupply.output, await ask(rpcClient(flags), bank.totalSupply, {}, flags.height));
