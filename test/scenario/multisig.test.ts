/** A 2-of-3 multisig key made by CosmJS: its members sign amino JSON, and the node takes it for one account. */
import {
  createMultisigThresholdPubkey,
  type MultisigThresholdPubkey,
  makeSignDoc,
  pubkeyToAddress,
  Secp256k1Wallet,
  type StdFee,
} from "@cosmjs/amino";
import { type EncodeObject, Registry } from "@cosmjs/proto-signing";
import { AminoTypes, createDefaultAminoConverters, defaultRegistryTypes, makeMultisignedTx } from "@cosmjs/stargate";
import { LegacyAminoPubKey } from "cosmjs-types/cosmos/crypto/multisig/keys";
import { CompactBitArray, MultiSignature } from "cosmjs-types/cosmos/crypto/multisig/v1beta1/multisig";
import { AuthInfo, TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { beforeAll, describe, expect, test } from "vitest";
import { VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { AUTH_STORE, keyOfAccount, readAccount } from "../../host/chain/modules/auth/accounts.js";
import { aminoKeyBytes, keyAddress, readKey } from "../../host/chain/values/account-key.js";
import { decodeAddress, encodeAddress } from "../addresses.js";
import { GOV_CONVERTERS } from "./amino-converters.js";
import { ALICE, DAVE, govGenesis, Town } from "./gov-chain.js";
import { send, softwareUpgrade } from "./wallet.js";

const fromBase64 = (text: string) => new Uint8Array(Buffer.from(text, "base64"));
const CHAIN_ID = "scenario-1";
const NUMBER = 4;
const fee: StdFee = { amount: [{ denom: "ustake", amount: "10" }], gas: "400000" };
const TYPES = new AminoTypes({ ...createDefaultAminoConverters(), ...GOV_CONVERTERS });
const REGISTRY = new Registry(defaultRegistryTypes);

/** Members and their key. */
class Committee {
  constructor(
    readonly wallets: readonly Secp256k1Wallet[],
    readonly key: MultisigThresholdPubkey,
  ) {}

  static async of(size: number, threshold: number): Promise<Committee> {
    const names = Array.from({ length: size }, (_, index) => `member ${index}`);
    const wallets = await Promise.all(names.map((name) => Secp256k1Wallet.fromKey(sha256(utf8(name)), "cosmos")));
    const keys = await Promise.all(
      wallets.map(async (wallet) => {
        const [account] = await wallet.getAccounts();
        return { type: "tendermint/PubKeySecp256k1", value: Buffer.from(account?.pubkey ?? []).toString("base64") };
      }),
    );
    return new Committee(wallets, createMultisigThresholdPubkey(keys, threshold));
  }

  get address(): string {
    return pubkeyToAddress(this.key, "cosmos");
  }

  /** Signed by these members, for the account's sequence. */
  async sign(messages: readonly EncodeObject[], by: readonly number[], sequence = 0): Promise<TxRaw> {
    const amino = messages.map((message) => TYPES.toAmino(message));
    const doc = makeSignDoc(amino, fee, CHAIN_ID, "by a committee", NUMBER, sequence);
    const signatures = new Map<string, Uint8Array>();
    for (const index of by) {
      const wallet = this.wallets[index] as Secp256k1Wallet;
      const [account] = await wallet.getAccounts();
      const { signature } = await wallet.signAmino(account?.address ?? "", doc);
      signatures.set(account?.address ?? "", fromBase64(signature.signature));
    }
    const bodyBytes = REGISTRY.encodeTxBody({ messages: [...messages], memo: "by a committee" });
    return makeMultisignedTx(this.key, sequence, fee, bodyBytes, signatures);
  }
}

/** The people of the gov chain, and the committee as the fifth account and a delegator of half of the stake. */
function townWith(address: string, key: unknown = null): Town {
  const document = JSON.parse(govGenesis());
  const { auth, bank, staking } = document.app_state;
  auth.accounts.push({ ...auth.accounts[0], address, account_number: String(NUMBER), pub_key: key });
  bank.balances.push({ address, coins: [{ denom: "ustake", amount: "1000000" }] });
  for (const validator of staking.validators) {
    Object.assign(validator, { tokens: "200", delegator_shares: "200.000000000000000000" });
    staking.delegations.push({
      delegator_address: address,
      validator_address: validator.operator_address,
      shares: "100.000000000000000000",
    });
  }
  return new Town(JSON.stringify(document));
}

const sendBy = (from: string): EncodeObject => ({
  typeUrl: "/cosmos.bank.v1beta1.MsgSend",
  value: { fromAddress: from, toAddress: ALICE.address, amount: [{ denom: "ustake", amount: "7" }] },
});

const encoded = (tx: TxRaw): Uint8Array => TxRaw.encode(tx).finish();

let committee: Committee;
beforeAll(async () => {
  committee = await Committee.of(3, 2);
});

describe("multisig keys", () => {
  test.each([
    [1, 1],
    [3, 2],
    [7, 7],
  ])("keyAddress() of %i members, %i needed → the address that CosmJS computes", async (size, threshold) => {
    const { key, address } = await Committee.of(size, threshold);
    const value = LegacyAminoPubKey.encode(
      LegacyAminoPubKey.fromPartial({
        threshold,
        publicKeys: key.value.pubkeys.map(({ value: text }) => ({
          typeUrl: "/cosmos.crypto.secp256k1.PubKey",
          value: new Uint8Array([0x0a, 33, ...fromBase64(text)]),
        })),
      }),
    ).finish();
    const ours = readKey({ typeUrl: "/cosmos.crypto.multisig.LegacyAminoPubKey", value });
    if (!ours) throw new Error("no key");
    expect(encodeAddress(keyAddress(sha256, ours))).toBe(address);
    expect(aminoKeyBytes(ours).subarray(0, 6)).toEqual(Uint8Array.of(0x22, 0xc1, 0xf7, 0xe2, 0x08, threshold));
  });
});

describe("a 2-of-3 multisig", () => {
  test("votes on an upgrade with half of the stake → the plan is scheduled", async () => {
    const town = townWith(committee.address);
    const id = town.propose([softwareUpgrade("v9", 99n)]);
    const vote = {
      typeUrl: "/cosmos.gov.v1.MsgVote",
      value: { proposalId: id, voter: committee.address, option: VoteOption.YES, metadata: "" },
    };
    const tx = encoded(await committee.sign([vote], [0, 2]));
    expect(town.process.app.checkTx(tx)).toMatchObject({ code: 0, log: "" });
    expect(town.process.block({ txs: [tx] }).txResults[0]).toMatchObject({ code: 0, log: "" });
    town.blocks(4);
    expect(town.process.plan).toEqual({ name: "v9", height: 99n, info: "" });
    const account = readAccount(town.process.state.store(AUTH_STORE), decodeAddress(committee.address));
    expect(account).toMatchObject({ pubKey: new Uint8Array(), sequence: 1n });
    expect(account && keyOfAccount(account)).toMatchObject({ type: "multisig", threshold: 2 });
  });

  test("signs again, and by other members, once its key is known → taken", async () => {
    const town = townWith(committee.address);
    const first = encoded(await committee.sign([sendBy(committee.address)], [0, 1]));
    const second = encoded(await committee.sign([sendBy(committee.address)], [0, 1, 2], 1));
    expect(town.process.block({ txs: [first, second] }).txResults.map(({ code }) => code)).toEqual([0, 0]);
    expect(town.balance(ALICE.addressBytes)).toBe(1_000_014n);
  });

  test("each signature costs gas", async () => {
    const used = async (by: readonly number[]) => {
      const tx = await committee.sign([sendBy(committee.address)], by);
      return { size: encoded(tx).length, gas: townWith(committee.address).process.app.checkTx(encoded(tx)).gasUsed };
    };
    const [two, three] = [await used([0, 1]), await used([0, 1, 2])];
    expect(three.gas - two.gas).toBe(1_000n + 10n * BigInt(three.size - two.size));
  });

  test("its key in genesis and in exports → the same key", () => {
    const publicKeys = committee.key.value.pubkeys.map(({ value }) => ({
      "@type": "/cosmos.crypto.secp256k1.PubKey",
      key: value,
    }));
    const key = { "@type": "/cosmos.crypto.multisig.LegacyAminoPubKey", threshold: 2, public_keys: publicKeys };
    const town = townWith(committee.address, key);
    const account = readAccount(town.process.state.store(AUTH_STORE), decodeAddress(committee.address));
    expect(account && keyOfAccount(account)).toMatchObject({ type: "multisig", threshold: 2 });
  });
});

describe("multisignatures that are refused", () => {
  const check = (tx: TxRaw) => townWith(committee.address).process.app.checkTx(encoded(tx));
  /** The same with another signer info. */
  function changed(tx: TxRaw, change: (info: AuthInfo["signerInfos"][number]) => void): TxRaw {
    const authInfo = AuthInfo.decode(tx.authInfoBytes);
    const [info] = authInfo.signerInfos;
    if (info) change(info);
    return { ...tx, authInfoBytes: AuthInfo.encode(authInfo).finish() };
  }
  const bits = (extraBitsStored: number, ...elems: number[]) =>
    CompactBitArray.fromPartial({ extraBitsStored, elems: Uint8Array.from(elems) });
  const withBits = (tx: TxRaw, bitarray: CompactBitArray) =>
    changed(tx, ({ modeInfo }) => {
      if (modeInfo?.multi) modeInfo.multi.bitarray = bitarray;
    });
  const verification =
    "signature verification failed; please verify account number (4), sequence (0) and chain-id (scenario-1): unauthorized";

  test("one signature of two → sdk 4", async () => {
    expect(check(await committee.sign([sendBy(committee.address)], [1]))).toMatchObject({ code: 4, log: verification });
  });

  test("a member's signature twice → sdk 4", async () => {
    const tx = await committee.sign([sendBy(committee.address)], [0, 1]);
    const [signature] = MultiSignature.decode(tx.signatures[0] as Uint8Array).signatures;
    const twice = MultiSignature.encode({ signatures: [signature, signature] as Uint8Array[] }).finish();
    expect(check({ ...tx, signatures: [twice] })).toMatchObject({ code: 4, log: verification });
  });

  test.each([
    ["too few bits", bits(2, 0xc0)],
    ["too many bits", bits(4, 0xc0)],
    ["a whole byte", bits(0, 0xc0)],
    ["no bits", bits(0)],
    ["bits without bytes", bits(3)],
    ["more odd bits than a byte has", bits(200, 0xc0)],
    ["one bit for two signatures", bits(3, 0x80)],
  ])("%s → sdk 4", async (_, bitarray) => {
    const tx = await committee.sign([sendBy(committee.address)], [0, 1]);
    expect(check(withBits(tx, bitarray))).toMatchObject({ code: 4, log: verification });
  });

  test("more bits than signatures → a refusal, no crash", async () => {
    const tx = await committee.sign([sendBy(committee.address)], [0, 1]);
    expect(check(withBits(tx, bits(3, 0xe0)))).toMatchObject({ codespace: "undefined", code: 1 });
  });

  test("modes that are not as many as signatures → a refusal, no crash", async () => {
    const tx = await committee.sign([sendBy(committee.address)], [0, 1]);
    const fewer = changed(tx, ({ modeInfo }) => modeInfo?.multi?.modeInfos.pop());
    expect(check(fewer)).toMatchObject({ codespace: "undefined", code: 1 });
  });

  test("an unknown field after the signatures → refused: anybody could have put it there", async () => {
    const tx = await committee.sign([sendBy(committee.address)], [0, 1]);
    const longer = new Uint8Array([...(tx.signatures[0] as Uint8Array), 0x10, 0x01]);
    expect(check({ ...tx, signatures: [longer] })).toMatchObject({
      codespace: "undefined",
      code: 1,
      log: "rejecting unrecognized fields found in MultiSignature",
    });
  });

  test("a multisignature that claims to be one signature → the Cosmos SDK's words", async () => {
    const tx = await committee.sign([sendBy(committee.address)], [0, 1]);
    const single = changed(tx, (info) => {
      info.modeInfo = { single: { mode: 127 } };
    });
    expect(check(single)).toMatchObject({
      codespace: "undefined",
      code: 1,
      log: "expected *signing.MultiSignatureData, got, *signing.SingleSignatureData",
    });
  });

  test("7 members → taken; 8 → sdk 14", async () => {
    const seven = await Committee.of(7, 7);
    const tx = await seven.sign([sendBy(seven.address)], [0, 1, 2, 3, 4, 5, 6]);
    expect(townWith(seven.address).process.app.checkTx(encoded(tx))).toMatchObject({ code: 0, log: "" });
    const eight = await Committee.of(8, 2);
    expect(
      townWith(eight.address).process.app.checkTx(encoded(await eight.sign([sendBy(eight.address)], [0, 1]))),
    ).toMatchObject({
      codespace: "sdk",
      code: 14,
      log: "signatures: 8, limit: 7: maximum number of signatures exceeded",
    });
  });

  test.each([
    [0, "threshold k of n multisignature: k <= 0: invalid pubkey"],
    [4, "threshold k of n multisignature: len(pubKeys) < k: invalid pubkey"],
  ])("threshold %i of 3 → sdk 8", async (threshold, log) => {
    const tx = await committee.sign([sendBy(committee.address)], [0, 1]);
    const other = changed(tx, ({ publicKey }) => {
      if (!publicKey) return;
      const key = LegacyAminoPubKey.decode(publicKey.value);
      publicKey.value = LegacyAminoPubKey.encode({ ...key, threshold }).finish();
    });
    expect(check(other)).toMatchObject({ codespace: "sdk", code: 8, log });
  });

  test("an account with one key, by a multisignature → the Cosmos SDK's words", async () => {
    const town = townWith(committee.address);
    const tx = TxRaw.decode(town.sign(DAVE, [send(DAVE, ALICE.address, 1)]));
    const { signatures } = await committee.sign([sendBy(committee.address)], [0, 1]);
    const modeInfos = [{ single: { mode: 1 } }, { single: { mode: 1 } }];
    const multi = changed({ ...tx, signatures }, (info) => {
      info.modeInfo = { multi: { bitarray: bits(3, 0xc0), modeInfos } };
    });
    expect(town.process.app.checkTx(encoded(multi)).log).toContain("(expected <nil>, got *secp256k1.PubKey)");
  });
});
