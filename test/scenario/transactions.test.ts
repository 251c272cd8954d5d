/** Transactions in blocks: fees, sequences, gas, events, signatures. */

import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { MsgSendSchema } from "../../host/base/gen/cosmos/bank/v1beta1/tx_pb.js";
import { VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { SignMode } from "../../host/base/gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from "../../host/base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { moduleAddress } from "../../host/chain/values/address.js";
import { encodeAddress } from "../addresses.js";
import { V1, V2 } from "../example-chain.js";
import { Chain } from "./chain.js";
import { testAddress } from "./genesis-text.js";
import { ALICE, BOB, DAVE, govGenesis, Town } from "./gov-chain.js";
import { splitBalances } from "./versions.js";
import { deposit, pack, propose, Signer, send, softwareUpgrade, vote } from "./wallet.js";

const COLLECTOR = moduleAddress(sha256, "fee_collector");
const given = 1_000_000n;

/** In version 1 accounts hold coins, in version 2 the bank's store does; clients see no difference. */
const VERSIONS = [
  ["version 1", () => new Town(govGenesis(), { start: { versions: [V1] } })],
  ["version 2", () => new Town(govGenesis(), { start: { versions: [{ ...V2, plan: undefined }] } })],
] as const;

for (const [version, town] of VERSIONS) {
  describe(`finalizeBlock() with transactions, ${version}`, () => {
    test("MsgSend with a fee → coins moved, fee collected, events as the Cosmos SDK's", () => {
      const chain = town();
      const tx = chain.sign(ALICE, [send(ALICE, BOB.address, 7)], { fee: "30" });
      const [result] = chain.process.block({ txs: [tx] }).txResults;
      expect(result).toMatchObject({ code: 0, codespace: "", log: "", gasWanted: 1_000_000n });
      expect(chain.balance(ALICE.addressBytes)).toBe(given - 37n);
      expect(chain.balance(BOB.addressBytes)).toBe(given + 7n);
      expect(chain.balance(COLLECTOR)).toBe(30n);
      const collector = encodeAddress(COLLECTOR);
      const [alice, bob] = [ALICE.address, BOB.address];
      const shown = result?.events.map(({ type, attributes }) => [
        type,
        ...attributes.map(({ key, value }) => `${key}=${value}`),
      ]);
      expect(shown?.map((event) => event.map((part) => part.replace(/^signature=.*/, "signature=…")))).toEqual([
        ["coin_spent", `spender=${alice}`, "amount=30ustake"],
        ["coin_received", `receiver=${collector}`, "amount=30ustake"],
        ["transfer", `recipient=${collector}`, `sender=${alice}`, "amount=30ustake"],
        ["message", `sender=${alice}`],
        ["tx", "fee=30ustake", `fee_payer=${alice}`],
        ["tx", `acc_seq=${alice}/0`],
        ["tx", "signature=…"],
        ["message", "action=/cosmos.bank.v1beta1.MsgSend", `sender=${alice}`, "module=bank", "msg_index=0"],
        ["coin_spent", `spender=${alice}`, "amount=7ustake", "msg_index=0"],
        ["coin_received", `receiver=${bob}`, "amount=7ustake", "msg_index=0"],
        ["transfer", `recipient=${bob}`, `sender=${alice}`, "amount=7ustake", "msg_index=0"],
        ["message", `sender=${alice}`, "msg_index=0"],
      ]);
    });

    test("a message that fails → the fee is paid and the sequence used, nothing else is left", () => {
      const chain = town();
      const messages = [send(ALICE, BOB.address, 5), send(ALICE, BOB.address, 2_000_000)];
      const [result] = chain.process.block({ txs: [chain.sign(ALICE, messages, { fee: "30" })] }).txResults;
      expect(result).toMatchObject({ code: 5, codespace: "sdk", data: new Uint8Array() });
      expect(result?.log).toBe(
        "failed to execute message; message index: 1: spendable balance 999965ustake is smaller than 2000000ustake: insufficient funds",
      );
      expect(result?.events.some(({ type }) => type === "tx")).toBe(true);
      expect(result?.events.some(({ attributes }) => attributes.some(({ key }) => key === "msg_index"))).toBe(false);
      expect(chain.balance(ALICE.addressBytes)).toBe(given - 30n);
      expect(chain.balance(BOB.addressBytes)).toBe(given);
      expect(chain.account(ALICE)?.sequence).toBe(1n);
    });

    test("a fee that the payer has not got → refused before the messages, nothing is left, no events", () => {
      const chain = town();
      const tx = chain.sign(ALICE, [send(ALICE, BOB.address, 1)], { fee: "1000001" });
      const [result] = chain.process.block({ txs: [tx] }).txResults;
      expect(result).toMatchObject({ code: 5, codespace: "sdk", events: [] });
      expect(result?.log).toBe(
        "spendable balance 1000000ustake is smaller than 1000001ustake: insufficient funds: insufficient funds",
      );
      expect(chain.account(ALICE)).toMatchObject({ sequence: 0n, pubKey: new Uint8Array() });
    });

    test("gas limit reached in a message → sdk 11, the fee paid; reached before → nothing paid", () => {
      const chain = town();
      const tx = (signer: Signer, gas: bigint, options = {}) =>
        chain.sign(signer, [send(signer, DAVE.address, 1)], { fee: "30", gas, ...options });
      const needed = chain.process.app.simulate(tx(BOB, 0n, { sequence: 0n })).gasUsed;
      const [early, late] = chain.process.block({ txs: [tx(ALICE, 5_000n), tx(BOB, needed - 500n)] }).txResults;
      expect(early).toMatchObject({ code: 11, codespace: "sdk", gasWanted: 5_000n, events: [] });
      expect(early?.log).toMatch(/^out of gas in location: \w+; gasWanted: 5000, gasUsed: \d+: out of gas$/);
      expect(chain.account(ALICE)?.sequence).toBe(0n);
      expect(late).toMatchObject({ code: 11, codespace: "sdk", gasWanted: needed - 500n });
      expect(late?.gasUsed).toBeGreaterThan(needed - 500n);
      expect(chain.account(BOB)?.sequence).toBe(1n);
      expect(chain.balance(COLLECTOR)).toBe(30n);
    });

    test("several transactions of one account in a block → in order, each over the last one's state", () => {
      const chain = town();
      const txs = [1, 2, 3].map((amount) => chain.sign(ALICE, [send(ALICE, BOB.address, amount)]));
      const results = chain.process.block({ txs: [...txs, ...txs.slice(0, 1)] }).txResults;
      expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 32]);
      expect(results[3]?.log).toBe("account sequence mismatch, expected 3, got 0: incorrect account sequence");
      expect(chain.balance(BOB.addressBytes)).toBe(given + 6n);
    });

    test("coins for an address that has no account → one is made; the supply stays", () => {
      const chain = town();
      const stranger = new Signer("stranger");
      chain.good(ALICE, send(ALICE, stranger.address, 9));
      expect(chain.balance(stranger.addressBytes)).toBe(9n);
      expect(chain.account(stranger)).toMatchObject({ sequence: 0n });
    });

    test("the fee collector's address as receiver → sdk 4", () => {
      const chain = town();
      const result = chain.bad(ALICE, send(ALICE, encodeAddress(COLLECTOR), 1));
      expect(result).toMatchObject({ code: 4, codespace: "sdk" });
      expect(result.log).toContain(`${encodeAddress(COLLECTOR)} is not allowed to receive funds: unauthorized`);
    });

    test("gas of everyday messages → about those of the Cosmos SDK, under its default limit", () => {
      const chain = town();
      const gas = (made: { txResults: readonly { gasUsed: bigint }[] }) => made.txResults[0]?.gasUsed ?? 0n;
      const used = {
        send: gas(chain.good(ALICE, send(ALICE, BOB.address, 1))),
        submit: gas(chain.good(DAVE, propose(DAVE, [softwareUpgrade("v9", 500n, "info")]))),
        vote: gas(chain.good(ALICE, vote(ALICE, 1n, VoteOption.YES))),
        deposit: gas(chain.good(BOB, deposit(BOB, 1n, 50))),
      };
      for (const [name, amount] of Object.entries(used)) {
        expect(amount, name).toBeGreaterThan(15_000n);
        expect(amount, name).toBeLessThan(200_000n);
      }
    });
  });
}

describe("signatures of one transaction", () => {
  test("7 signers → it runs; 8 → refused with the limit", () => {
    const process = new Chain().start({ handlers: [splitBalances()] });
    process.block();
    const simulate = (count: number) => {
      const signers = Array.from({ length: count }, (_, index) => encodeAddress(testAddress(`account ${index}`)));
      const amount = [{ denom: "ustake", amount: "1" }];
      const messages = signers.map((fromAddress) =>
        pack(MsgSendSchema, { fromAddress, toAddress: DAVE.address, amount }),
      );
      const modeInfo = { sum: { case: "single", value: { mode: SignMode.DIRECT } } } as const;
      const authInfo = create(AuthInfoSchema, {
        signerInfos: signers.map(() => ({ modeInfo })),
        fee: { amount: [], gasLimit: 1_000_000n },
      });
      const raw = create(TxRawSchema, {
        bodyBytes: toBinary(TxBodySchema, create(TxBodySchema, { messages })),
        authInfoBytes: toBinary(AuthInfoSchema, authInfo),
        signatures: signers.map(() => new Uint8Array()),
      });
      return process.app.simulate(toBinary(TxRawSchema, raw));
    };
    expect(simulate(7)).toMatchObject({ code: 0, log: "" });
    expect(simulate(8)).toMatchObject({ codespace: "sdk", code: 14 });
    expect(simulate(8).log).toContain("signatures: 8, limit: 7");
  });
});
