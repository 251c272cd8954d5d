/** Transactions in blocks, in the mempool and in simulations: fees, sequences, gas, events, and state of old heights. */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { MsgSendSchema } from "../../host/gen/cosmos/bank/v1beta1/tx_pb.js";
import { TxMsgDataSchema } from "../../host/gen/cosmos/base/abci/v1beta1/abci_pb.js";
import { VoteOption } from "../../host/gen/cosmos/gov/v1/gov_pb.js";
import { SignMode } from "../../host/gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import { AuthInfoSchema, ModeInfoSchema, TxBodySchema, TxRawSchema } from "../../host/gen/cosmos/tx/v1beta1/tx_pb.js";
import { bankOf } from "../../host/modules/bank/bank.js";
import { sha256 } from "../../host/native/sha256.js";
import { moduleAddress } from "../../host/values/address.js";
import { encodeAddress } from "../addresses.js";
import { V1, V2 } from "../example-chain.js";
import { Chain, failureOf } from "./chain.js";
import { testAddress } from "./genesis-text.js";
import { ALICE, BOB, CAROL, DAVE, govGenesis, Town } from "./gov-chain.js";
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

describe("finalizeBlock() and the block's gas", () => {
  test("used up to the last unit → the next transaction does not run at all", () => {
    const town = (gas: string) => new Town(govGenesis({}, { max_gas: gas }));
    const txs = (chain: Town, gas: bigint) =>
      [ALICE, BOB].map((one) => chain.sign(one, [send(one, DAVE.address, 1)], { gas }));
    // Gas depends on the length of the limit as it is signed, so it is found with one of the same length.
    const first = town("60000");
    const used = first.process.block({ txs: txs(first, 59_999n) }).txResults[0]?.gasUsed ?? 0n;
    expect(String(used)).toHaveLength(5);
    const chain = town(String(used));
    expect(chain.process.block({ txs: txs(chain, used) }).txResults).toMatchObject([
      { code: 0, gasUsed: used },
      { code: 11, gasUsed: 0n, log: "no block gas left to run tx: out of gas" },
    ]);
  });

  test("what does not fit any more fails; a limit above the block's is refused", () => {
    const chain = new Town(govGenesis({}, { max_gas: "60000" }));
    const tx = (signer: Signer, gas: bigint) => chain.sign(signer, [send(signer, DAVE.address, 1)], { gas });
    const txs = [tx(ALICE, 60_000n), tx(BOB, 60_000n), tx(CAROL, 60_000n), tx(DAVE, 60_001n)];
    const results = chain.process.block({ txs }).txResults;
    expect(results.map(({ code }) => code)).toEqual([0, 11, 11, 11]);
    expect(results[1]?.log).toContain("out of gas in location: block gas meter");
    expect(results.at(-1)).toMatchObject({
      codespace: "sdk",
      code: 11,
      log: "no block gas left to run tx: out of gas",
    });
    expect(results.map(({ gasUsed }) => gasUsed).reduce((a, b) => a + b)).toBeLessThan(120_000n);
    expect(chain.process.app.checkTx(tx(DAVE, 60_001n))).toMatchObject({
      codespace: "sdk",
      code: 41,
      log: "tx gas limit 60001 exceeds block max gas 60000: invalid gas limit",
    });
  });
});

describe("checkTx()", () => {
  const sendOne = (chain: Town, options = {}) => chain.sign(ALICE, [send(ALICE, BOB.address, 1)], options);

  test("several transactions of one account → all pass before a block; after it, rechecked or too old", () => {
    const chain = new Town();
    const txs = [sendOne(chain), sendOne(chain), sendOne(chain)];
    expect(txs.map((tx) => chain.process.app.checkTx(tx).code)).toEqual([0, 0, 0]);
    chain.process.block({ txs: txs.slice(0, 1) });
    expect(chain.process.app.checkTx(txs[0] as Uint8Array, "recheck").code).toBe(32);
    expect(txs.slice(1).map((tx) => chain.process.app.checkTx(tx, "recheck").code)).toEqual([0, 0]);
    expect(chain.process.app.checkTx(sendOne(chain)).code).toBe(0);
  });

  test("runs no message, writes nothing, and the block's state is as without it", () => {
    const [checked, unchecked] = [new Town(), new Town()];
    const tx = sendOne(checked, { fee: "5" });
    expect(checked.process.app.checkTx(tx)).toMatchObject({ code: 0, gasWanted: 1_000_000n });
    expect(checked.process.app.simulate(sendOne(checked, { fee: "5" }))).toMatchObject({ code: 0 });
    expect(checked.balance(ALICE.addressBytes)).toBe(given);
    checked.process.block({ txs: [tx] });
    unchecked.process.block({ txs: [tx] });
    expect(checked.process.appHash).toBe(unchecked.process.appHash);
  });

  test("a message that will fail passes the check, as in the Cosmos SDK", () => {
    const chain = new Town();
    expect(chain.process.app.checkTx(chain.sign(ALICE, [send(ALICE, "x", 1)])).code).toBe(0);
  });

  test("before the first block → sdk 26; before an upgrade block → 61, upgrade", () => {
    const fresh = new Chain({ genesis: govGenesis() }).start();
    const early = fresh.app.checkTx(ALICE.sign([], { chainId: "scenario-1", accountNumber: 0n, sequence: 0n }));
    expect(early).toMatchObject({
      code: 26,
      log: "scenario-1 is not ready; please wait for first block: invalid height",
    });
    const town = new Town(govGenesis(), { start: { versions: [V1] } });
    town.process.schedule({ name: "v2", height: 4n });
    town.process.untilHalt();
    town.process = town.chain.start({ handlers: [splitBalances()] });
    expect(town.process.app.checkTx(sendOne(town))).toMatchObject({ code: 61, codespace: "upgrade" });
    town.block();
    expect(town.process.app.checkTx(town.sign(BOB, [send(BOB, ALICE.address, 1)])).code).toBe(0);
  });

  test("timeout height: the next block's passes, an earlier one is refused", () => {
    const chain = new Town();
    const next = chain.height + 1n;
    expect(chain.process.app.checkTx(sendOne(chain, { timeoutHeight: next })).code).toBe(0);
    const late = chain.process.app.checkTx(sendOne(chain, { timeoutHeight: next - 1n }));
    expect(late).toMatchObject({
      code: 30,
      log: `block height: ${next}, timeout height: ${next - 1n}: tx timeout height`,
    });
  });
});

describe("simulate()", () => {
  test("without a signature → the responses, and gas that is enough for the signed transaction", () => {
    const chain = new Town();
    const signed = chain.sign(DAVE, [propose(DAVE, [softwareUpgrade("v2", 500n)])], { gas: 0n });
    const result = chain.process.app.simulate(signed.subarray(0, signed.length));
    expect(result).toMatchObject({ code: 0 });
    const { msgResponses } = fromBinary(TxMsgDataSchema, result.data);
    expect(msgResponses.map(({ typeUrl }) => typeUrl)).toEqual(["/cosmos.gov.v1.MsgSubmitProposalResponse"]);
    const again = chain.sign(DAVE, [propose(DAVE, [softwareUpgrade("v2", 500n)])], {
      gas: result.gasUsed,
      sequence: 0n,
    });
    const [real] = chain.process.block({ txs: [again] }).txResults;
    expect(real?.code).toBeDefined();
    expect(Number(real?.gasUsed)).toBeLessThan(Number(result.gasUsed) * 1.1);
  });

  test("as CosmJS asks: mode unspecified, an empty signature, gas limit 0 → the gas of the signed one, its size included", () => {
    const chain = new Town();
    const message = send(ALICE, BOB.address, 1);
    const signed = chain.sign(ALICE, [message], { fee: "5" });
    const raw = fromBinary(TxRawSchema, signed);
    const authInfo = fromBinary(AuthInfoSchema, raw.authInfoBytes);
    for (const info of authInfo.signerInfos)
      info.modeInfo = create(ModeInfoSchema, { sum: { case: "single", value: {} } });
    if (authInfo.fee) authInfo.fee.gasLimit = 0n;
    const unsigned = create(TxRawSchema, {
      bodyBytes: raw.bodyBytes,
      authInfoBytes: toBinary(AuthInfoSchema, authInfo),
      signatures: [new Uint8Array()],
    });
    const result = chain.process.app.simulate(toBinary(TxRawSchema, unsigned));
    const [real] = chain.process.block({ txs: [signed] }).txResults;
    expect([result.code, real?.code]).toEqual([0, 0]);
    expect(Number(result.gasUsed)).toBeGreaterThanOrEqual(Number(real?.gasUsed) - 100);
    expect(Number(result.gasUsed)).toBeLessThan(Number(real?.gasUsed) * 1.1);
  });

  test("without a fee, as clients ask before they know one → the gas of a payment counted, nothing paid", () => {
    const chain = new Town();
    const message = send(ALICE, BOB.address, 1);
    const asked = chain.process.app.simulate(chain.sign(ALICE, [message], { fee: "", sequence: 0n }));
    expect(asked.code).toBe(0);
    expect(asked.events.filter(({ type }) => type === "transfer").length).toBe(1);
    expect(chain.balance(COLLECTOR)).toBe(0n);
    const free = chain.sign(ALICE, [message], { fee: "" });
    const paying = chain.sign(ALICE, [message], { fee: "900" });
    const [first, second] = chain.process.block({ txs: [free, paying] }).txResults;
    expect([first?.code, second?.code]).toEqual([0, 0]);
    expect(Number(asked.gasUsed)).toBeGreaterThanOrEqual(Number(second?.gasUsed));
    expect(Number(asked.gasUsed)).toBeGreaterThan(Number(first?.gasUsed) * 1.2);
    expect(Number(asked.gasUsed)).toBeLessThan(Number(second?.gasUsed) * 1.3);
  });

  test("a message that fails → its code and text, nothing left", () => {
    const chain = new Town();
    const result = chain.process.app.simulate(chain.sign(ALICE, [vote(ALICE, 9n, VoteOption.YES)]));
    expect(result).toMatchObject({ code: 3, codespace: "gov" });
    expect(chain.process.app.checkTx(chain.sign(ALICE, [], { sequence: 0n })).code).toBe(18);
  });
});

describe("at()", () => {
  test("heights before and after the upgrade → each in the layout of its version", () => {
    const town = new Town(govGenesis(), { start: { versions: [V1] } });
    town.good(ALICE, send(ALICE, BOB.address, 5));
    town.process.schedule({ name: "v2", height: 5n });
    town.process.untilHalt();
    town.process = town.chain.start({ handlers: [splitBalances()] });
    town.block();
    town.good(BOB, send(BOB, ALICE.address, 1));
    const { app } = town.process;
    const amounts = [1n, 2n, 4n, 5n, 6n].map((height) => {
      const { stores, version } = app.at(height);
      return [version.number, bankOf(version).balances(stores, BOB.addressBytes)[0]?.amount];
    });
    expect(amounts).toEqual([
      [1n, given],
      [1n, given + 5n],
      [1n, given + 5n],
      [2n, given + 5n],
      [2n, given + 4n],
    ]);
    expect(app.at().height).toBe(6n);
    expect(app.at(0n).height).toBe(6n);
  });

  test("a height that is absent (yet, or any more) → UPG_NOT_FOUND_VERSION that names what is kept", () => {
    const town = new Town(govGenesis(), { versionsKept: 2 });
    town.blocks(9);
    for (const height of [11n, 1n, -1n, 2n ** 63n]) {
      const error = failureOf(() => town.process.app.at(height));
      expect(error).toMatchObject({ code: "UPG_NOT_FOUND_VERSION", kind: { http: 404, grpc: 5 } });
      expect(error.message).toContain("kept are 8 to 10");
    }
  });
});
