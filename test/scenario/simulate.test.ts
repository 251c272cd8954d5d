/** Transactions that are tried: the gas that clients ask for before they sign. */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { TxMsgDataSchema } from "../../host/base/gen/cosmos/base/abci/v1beta1/abci_pb.js";
import { VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { AuthInfoSchema, ModeInfoSchema, TxRawSchema } from "../../host/base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { moduleAddress } from "../../host/chain/values/address.js";
import { ALICE, BOB, DAVE, Town } from "./gov-chain.js";
import { propose, send, softwareUpgrade, vote } from "./wallet.js";

const COLLECTOR = moduleAddress(sha256, "fee_collector");

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
