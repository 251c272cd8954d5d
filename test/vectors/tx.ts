/** Keys, addresses, module accounts, signed transactions, and what a node's CheckTx says of good and bad ones. */

import { createHash } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { HDKey } from "@scure/bip32";
import { mnemonicToSeedSync } from "@scure/bip39";
import { AccountSchema } from "../../host/base/gen/chain/auth/v1/auth_pb.js";
import { PubKeySchema } from "../../host/base/gen/cosmos/crypto/secp256k1/keys_pb.js";
import { TxRawSchema } from "../../host/base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import { decodeTx } from "../../host/chain/app/tx/decode.js";
import type { TxResult } from "../../host/chain/app/tx/result.js";
import { runTx } from "../../host/chain/app/tx/run.js";
import { DEFAULT_CONSENSUS_PARAMS } from "../../host/chain/comet-types/consensus-params.js";
import { addressOf, publicKeyOf, sign, verifySignature } from "../../host/chain/comet-types/keys.js";
import { AUTH_STORE, writeAccount } from "../../host/chain/modules/auth/accounts.js";
import { signBytes } from "../../host/chain/modules/auth/signatures.js";
import { keyAddress } from "../../host/chain/values/account-key.js";
import { moduleAddress } from "../../host/chain/values/address.js";
import { Core } from "../../host/upgrade/core/core.js";
import { Keeper } from "../../host/upgrade/module/keeper.js";
import { addressFailure, decodeAnyAddress, encodeAddress } from "../addresses.js";
import { exampleChain, V1 } from "../example-chain.js";
import { type CaseRunner, expectBytes, expectEqual, type VectorCase } from "./harness.js";
import { memoryStores } from "./memory-stores.js";
import { type ExpectedText, hexBytes, isShortForm, textBytes, textOf } from "./short-forms.js";

const GOV = encodeAddress(moduleAddress(sha256, "gov"));
const keeper = new Keeper({ core: new Core(), authority: GOV });

/** The source's own crash, which the README asks to be a proper refusal. */
const SOURCE_CRASHED = 111_222;
/** Forms that the source takes and the README lets a strict decoder refuse. */
const LENIENT = /^(body twice|overlong tag)/;

export const runTxVectors: CaseRunner = (vector) => {
  const { kind } = vector;
  if (kind === "key") checkKey(vector["signer"]);
  else if (kind === "module_account") checkModuleAccount(vector);
  else if (kind === "bech32") checkBech32(vector);
  else if (kind === "tx") return checkTx(vector);
  else if (kind === "check") return checkVerdict(vector, vector["accounts"]);
  else throw new Error(`unknown kind ${kind}`);
  return [];
};

function checkKey(signer: VectorCase): void {
  const seed = mnemonicToSeedSync(textOf(signer["mnemonic"]));
  const { privateKey } = HDKey.fromMasterSeed(seed).derive(signer["path"]);
  if (!privateKey) throw new Error("no private key");
  expectBytes(privateKey, signer["private"], "private key");
  const key = publicKeyOf("secp256k1", privateKey);
  expectBytes(key.bytes, signer["public"], "public key");
  expectBytes(keyAddress(sha256, { type: "secp256k1", bytes: key.bytes }), signer["address_bytes"], "address bytes");
  expectEqual(encodeAddress(addressOf(sha256, key)), signer["address"], "address");
  const any = {
    type_url: `/${PubKeySchema.typeName}`,
    value: toHex(toBinary(PubKeySchema, create(PubKeySchema, { key: key.bytes }))),
  };
  expectEqual(any, signer["pub_key_any"], "public key as Any");
}

function checkModuleAccount(vector: VectorCase): void {
  const address = moduleAddress(sha256, textOf(vector["name"]));
  expectBytes(address, vector["address_bytes"], "address bytes");
  expectEqual(encodeAddress(address), vector["address"], "address");
}

function checkBech32({ text: given, error, address_bytes }: VectorCase): void {
  // The source looks at bytes: a text that is not UTF-8 is read as its decoder of transactions reads one.
  const text = isShortForm(given) && "hex" in given ? latinText(textBytes(given)) : textOf(given);
  expectEqual(addressFailure(text) ?? null, error, "error");
  if (error === null) {
    const bytes = decodeAnyAddress(text);
    expectBytes(bytes, address_bytes, "address bytes");
    expectEqual(encodeAddress(bytes), text.toLowerCase(), "written again");
  }
}

const latinText = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

function checkTx(vector: VectorCase): readonly string[] {
  const bytes = hexBytes(vector["tx_raw"]);
  const tx = decodeTx(bytes, exampleChain);
  const { raw, body, authInfo } = tx;
  expectBytes(raw.bodyBytes, vector["body_bytes"], "body bytes");
  expectBytes(raw.authInfoBytes, vector["auth_info_bytes"], "auth info bytes");
  expectBytes(toBinary(TxRawSchema, raw), vector["tx_raw"], "written again");
  expectEqual(createHash("sha256").update(bytes).digest("hex").toUpperCase(), vector["tx_hash"].toUpperCase(), "hash");
  const signers = vector["signers"] as VectorCase[];
  expectEqual(
    tx.signers.map((address) => encodeAddress(address)),
    signers.map(({ address }) => address),
    "signers",
  );
  expectEqual(
    body.messages.map(({ typeUrl, value }) => ({ type_url: typeUrl, value: toHex(value) })),
    vector["messages"].map(({ type_url, value }: VectorCase) => ({ type_url, value })),
    "messages",
  );
  expectEqual(
    { memo: body.memo, timeout: body.timeoutHeight, gas: authInfo.fee?.gasLimit, payer: authInfo.fee?.payer },
    { memo: vector["memo"], timeout: vector["timeout_height"], gas: vector["gas_limit"], payer: vector["fee_payer"] },
    "body and fee",
  );
  signers.forEach((signer, index) => {
    const accountNumber = BigInt(signer["account_number"]);
    const doc = signBytes({ raw, chainId: textOf(vector["chain_id"]), accountNumber });
    expectBytes(doc, vector["sign_docs"][index], "sign doc");
    expectBytes(sha256(doc), vector["sign_doc_sha256"][index], "hash of the sign doc");
    expectBytes(sign("secp256k1", hexBytes(signer["private"]), doc), vector["signatures"][index], "signature");
  });
  return checkVerdict(vector, signers);
}

function checkVerdict(vector: VectorCase, accounts: VectorCase[]): readonly string[] {
  const result = verdict(vector, accounts);
  const expected = vector["verdict"];
  if (expected.code === SOURCE_CRASHED) {
    expectEqual([result.codespace, result.code > 1], ["sdk", true], `a proper refusal (${result.log})`);
    return ["source-crash"];
  }
  if (expected.accepted && LENIENT.test(textOf(vector["label"]))) {
    expectEqual([result.codespace, result.code], ["sdk", 2], "strict refusal");
    return ["strict-decoder"];
  }
  const { codespace, code, log } = result;
  const said = withPlainSpaces(expected.log);
  expectEqual({ codespace, code, log }, { codespace: expected.codespace, code: expected.code, log: said }, "verdict");
  return [];
}

/** protobuf-go writes either kind of space after its name, to keep its texts from being relied on. */
function withPlainSpaces(log: ExpectedText): ExpectedText {
  if (typeof log === "string") return log.replaceAll("\u00a0", " ");
  if ("len" in log) return log;
  return { hex: Buffer.from(latinText(textBytes(log)).replaceAll("\u00c2\u00a0", " "), "latin1").toString("hex") };
}

function verdict(vector: VectorCase, accounts: VectorCase[]): TxResult {
  const stores = memoryStores([AUTH_STORE, "upgrade", "gov", "staking"]);
  for (const { address_bytes, account_number, sequence } of accounts) {
    const account = create(AccountSchema, {
      address: hexBytes(address_bytes),
      accountNumber: BigInt(account_number),
      sequence: BigInt(sequence),
    });
    writeAccount(stores.store(AUTH_STORE), account);
  }
  const facts = {
    chainId: textOf(vector["chain_id"]),
    height: BigInt(vector["height"]),
    time: { seconds: 1_700_000_000n, nanos: 0 },
    sha256,
    addresses: exampleChain.addresses,
    version: V1,
    ante: exampleChain.ante,
    keeper,
    router: exampleChain.router,
    verifySignature,
    constants: { bondDenom: "stake", stakingParams: undefined, params: DEFAULT_CONSENSUS_PARAMS },
  };
  // The vectors are of the ante handler alone: no message runs, and their stores lack what one would read.
  const options = { mode: "check", takesFees: false, blockGasMax: undefined, isTried: true } as const;
  return runTx(facts, stores.branch(), hexBytes(vector["tx_raw"]), options);
}
