/** SIGN_MODE_LEGACY_AMINO_JSON: documents made by CosmJS are what the node verifies, message by message. */
import { makeSignDoc, Secp256k1Wallet, type StdFee, serializeSignDoc } from "@cosmjs/amino";
import { type EncodeObject, Registry } from "@cosmjs/proto-signing";
import {
  AminoTypes,
  createDefaultAminoConverters,
  defaultRegistryTypes,
  SigningStargateClient,
} from "@cosmjs/stargate";
import { MsgCancelProposal } from "cosmjs-types/cosmos/gov/v1/tx";
import { TextProposal } from "cosmjs-types/cosmos/gov/v1beta1/gov";
import { TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { MsgCancelUpgrade, MsgSoftwareUpgrade } from "cosmjs-types/cosmos/upgrade/v1beta1/tx";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { decodeTx, resolverOf } from "../../host/chain/app/tx/decode.js";
import { aminoSignBytes } from "../../host/chain/messages/amino-doc.js";
import { exampleChain } from "../example-chain.js";
import { GOV_CONVERTERS } from "./amino-converters.js";
import { ALICE, BOB, Town } from "./gov-chain.js";
import { GOV_ADDRESS } from "./wallet.js";

const fee: StdFee = { amount: [{ denom: "ustake", amount: "10" }], gas: "400000" };
const TYPES = new AminoTypes({ ...createDefaultAminoConverters(), ...GOV_CONVERTERS });
const REGISTRY = new Registry([...defaultRegistryTypes, [MsgCancelProposal.typeUrl, MsgCancelProposal]]);
const ZERO_TIME = { seconds: -62_135_596_800n, nanos: 0 };
const coins = (amount: string) => [{ denom: "ustake", amount }];

async function aminoSigned(messages: readonly EncodeObject[], memo = "", sequence = 0): Promise<Uint8Array> {
  const wallet = await Secp256k1Wallet.fromKey(sha256(utf8("scenario key alice")), "cosmos");
  const client = await SigningStargateClient.offline(wallet, { aminoTypes: TYPES, registry: REGISTRY });
  const facts = { accountNumber: 0n, sequence, chainId: "scenario-1" };
  return TxRaw.encode(await client.sign(ALICE.address, messages, fee, memo, facts)).finish();
}

const upgrade = MsgSoftwareUpgrade.encode(
  MsgSoftwareUpgrade.fromPartial({
    authority: GOV_ADDRESS,
    plan: { name: "v9", height: 99n, info: '{"binaries":{"any":"https://x/y?a=1&b=<2>"}}', time: ZERO_TIME },
  }),
).finish();
const cancel = MsgCancelUpgrade.encode(MsgCancelUpgrade.fromPartial({ authority: GOV_ADDRESS })).finish();

const submit = (messages: readonly { typeUrl: string; value: Uint8Array }[], more = {}) => ({
  typeUrl: "/cosmos.gov.v1.MsgSubmitProposal",
  value: {
    messages,
    initialDeposit: coins("100"),
    proposer: ALICE.address,
    metadata: "",
    title: "t <&>",
    summary: "s",
    expedited: false,
    ...more,
  },
});

const MESSAGES: readonly EncodeObject[] = [
  {
    typeUrl: "/cosmos.bank.v1beta1.MsgSend",
    value: { fromAddress: ALICE.address, toAddress: BOB.address, amount: coins("25") },
  },
  {
    typeUrl: "/cosmos.bank.v1beta1.MsgSend",
    value: { fromAddress: ALICE.address, toAddress: BOB.address, amount: [] },
  },
  submit([
    { typeUrl: "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade", value: upgrade },
    { typeUrl: "/cosmos.upgrade.v1beta1.MsgCancelUpgrade", value: cancel },
  ]),
  submit([], { metadata: "text only", initialDeposit: [], expedited: true }),
  {
    typeUrl: "/cosmos.gov.v1.MsgDeposit",
    value: { proposalId: 1n, depositor: ALICE.address, amount: coins("1") },
  },
  {
    typeUrl: "/cosmos.gov.v1.MsgVote",
    value: { proposalId: 18_446_744_073_709_551_615n, voter: ALICE.address, option: 1, metadata: "why ☃" },
  },
  {
    typeUrl: "/cosmos.gov.v1.MsgVote",
    value: { proposalId: 0n, voter: ALICE.address, option: 0, metadata: "" },
  },
  {
    typeUrl: "/cosmos.gov.v1.MsgVoteWeighted",
    value: {
      proposalId: 1n,
      voter: ALICE.address,
      options: [
        { option: 1, weight: "0.600000000000000000" },
        { option: 3, weight: "0.4" },
      ],
      metadata: "",
    },
  },
  // Governance v1beta1, by CosmJS' own converters.
  {
    typeUrl: "/cosmos.gov.v1beta1.MsgVote",
    value: { proposalId: 1n, voter: ALICE.address, option: 4 },
  },
  {
    typeUrl: "/cosmos.gov.v1beta1.MsgVoteWeighted",
    value: {
      proposalId: 1n,
      voter: ALICE.address,
      options: [
        { option: 1, weight: "700000000000000000" },
        { option: 3, weight: "300000000000000000" },
      ],
    },
  },
  {
    typeUrl: "/cosmos.gov.v1beta1.MsgDeposit",
    value: { proposalId: 1n, depositor: ALICE.address, amount: coins("1") },
  },
  {
    typeUrl: "/cosmos.gov.v1beta1.MsgSubmitProposal",
    value: {
      content: {
        typeUrl: "/cosmos.gov.v1beta1.TextProposal",
        value: TextProposal.encode(TextProposal.fromPartial({ title: "t", description: "d <&>" })).finish(),
      },
      initialDeposit: coins("100"),
      proposer: ALICE.address,
    },
  },
  { typeUrl: "/cosmos.gov.v1.MsgCancelProposal", value: { proposalId: 1n, proposer: ALICE.address } },
];

describe("aminoSignBytes()", () => {
  for (const [index, message] of MESSAGES.entries()) {
    test(`${index} ${message.typeUrl} → the bytes of CosmJS' makeSignDoc`, async () => {
      const bytes = await aminoSigned([message], 'memo "<&>" \b\f\n\t ünï');
      const { body, authInfo } = decodeTx(bytes, exampleChain);
      const ours = aminoSignBytes({
        ...{ body, authInfo, chainId: "scenario-1", accountNumber: 0n, sequence: 0n, address: ALICE.address },
        resolve: resolverOf(exampleChain.router),
      });
      const theirs = makeSignDoc([TYPES.toAmino(message)], fee, "scenario-1", 'memo "<&>" \b\f\n\t ünï', 0, 0);
      expect(Buffer.from(ours).toString()).toBe(Buffer.from(serializeSignDoc(theirs)).toString());
    });
  }

  test("a timeout height and a payer → in the document", async () => {
    const bytes = await aminoSigned([MESSAGES[0] as EncodeObject]);
    const { body, authInfo } = decodeTx(bytes, exampleChain);
    body.timeoutHeight = 77n;
    if (authInfo.fee) authInfo.fee.payer = BOB.address;
    const doc = aminoSignBytes({
      ...{ body, authInfo, chainId: "scenario-1", accountNumber: 3n, sequence: 4n, address: ALICE.address },
      resolve: resolverOf(exampleChain.router),
    });
    const paid = { ...fee, payer: BOB.address };
    const theirs = makeSignDoc([TYPES.toAmino(MESSAGES[0] as EncodeObject)], paid, "scenario-1", "", 3, 4, 77n);
    expect(Buffer.from(doc).toString()).toBe(Buffer.from(serializeSignDoc(theirs)).toString());
  });
});

describe("amino JSON signatures", () => {
  test("MsgSend by a wallet that signs amino JSON only → checked, run, the coins there", async () => {
    const town = new Town();
    const tx = await aminoSigned([MESSAGES[0] as EncodeObject], "<memo>");
    expect(town.process.app.checkTx(tx)).toMatchObject({ code: 0, log: "" });
    expect(town.process.block({ txs: [tx] }).txResults[0]).toMatchObject({ code: 0 });
    expect(town.balance(BOB.addressBytes)).toBe(1_000_025n);
  });

  test("a signature for another sequence → refused, account, sequence and chain named", async () => {
    const town = new Town();
    const tx = TxRaw.decode(await aminoSigned([MESSAGES[0] as EncodeObject]));
    const other = TxRaw.decode(await aminoSigned([MESSAGES[0] as EncodeObject], "", 1));
    const mixed = TxRaw.encode({ ...tx, signatures: other.signatures }).finish();
    expect(town.process.app.checkTx(mixed)).toMatchObject({
      codespace: "sdk",
      code: 4,
      log: "signature verification failed; please verify account number (0), sequence (0) and chain-id (scenario-1): unauthorized",
    });
  });

  test("a field that is not critical and that nobody signed → refused", async () => {
    const town = new Town();
    const tx = TxRaw.decode(await aminoSigned([MESSAGES[0] as EncodeObject]));
    // Field 1025, a varint: bit 11 of the number is set.
    const bodyBytes = new Uint8Array([...tx.bodyBytes, 0x88, 0x40, 0x01]);
    expect(town.process.app.checkTx(TxRaw.encode({ ...tx, bodyBytes }).finish())).toMatchObject({ code: 4 });
  });
});
