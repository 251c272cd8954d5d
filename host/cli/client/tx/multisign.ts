/** Joins the signatures of a multisig key's members into one transaction. */

import { create, equals, toBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { MultiSignatureSchema } from "../../../base/gen/cosmos/crypto/multisig/v1beta1/multisig_pb.js";
import { SignatureDescriptorsSchema, SignMode } from "../../../base/gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import { SignerInfoSchema, type Tx, TxSchema } from "../../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { usage } from "../../../base/terminal/usage.js";
import type { Chain } from "../../../chain/app/chain.js";
import { verifySignature } from "../../../chain/comet-types/keys.js";
import { type MultisigKey, packKey, type SigningKey } from "../../../chain/values/account-key.js";
import type { Context } from "../../flags/context.js";
import { withKeyring } from "../keyring-options.js";
import { messageJson } from "../message-json.js";
import { aminoDoc, type SignedAccount } from "./sign.js";
import { withSignatures } from "./signatures.js";
import { printDocument, readMessage, readTx, requireNewDocument, type SignFlags, signedFacts } from "./stored.js";

interface Parts {
  readonly file: string;
  /** Of the multisig key. */
  readonly name: string;
  /** Files. */
  readonly signatures: readonly string[];
}

/** Prints the signed transaction. @throws UpgradeError UPG_INVALID_ARGUMENT for a signature that is not good, or too few */
export async function multisign({ file, name, signatures }: Parts, flags: SignFlags, context: Context): Promise<void> {
  const { chain } = context;
  requireNewDocument(flags);
  const tx = readTx(chain, file);
  await withKeyring(context, flags, flags.keyringDir ?? flags.home, async (keyring) => {
    const { key, address } = keyring.find(name);
    if (key.type !== "multisig") throw usage(`${name} is no multisig key`);
    const account = await signedFacts(flags, address);
    const given = membersSignatures(chain, key, aminoDoc(chain, tx, account), signatures);
    if (given.size < key.threshold) {
      throw usage(`${name} needs the signatures of ${key.threshold} members, got those of ${given.size}`);
    }
    await printDocument(messageJson(chain, TxSchema, joined(chain, tx, key, account, given)), flags, context);
  });
}

/** By index of the member. */
function membersSignatures(
  chain: Chain,
  key: MultisigKey,
  doc: Uint8Array,
  files: readonly string[],
): Map<number, Uint8Array> {
  const given = new Map<number, Uint8Array>();
  for (const file of files) {
    for (const { publicKey, data } of readMessage(chain, file, SignatureDescriptorsSchema, "file of signatures")
      .signatures) {
      const index = key.members.findIndex((member) => publicKey && equals(AnySchema, packKey(member), publicKey));
      if (index < 0) throw usage(`${file}: the signer is no member of the multisig key`);
      if (data?.sum.case !== "single" || data.sum.value.mode !== SignMode.LEGACY_AMINO_JSON) {
        throw usage(`${file}: not a signature of SIGN_MODE_LEGACY_AMINO_JSON; \`tx sign --multisig\` makes one`);
      }
      const { signature } = data.sum.value;
      if (!isGood(key.members[index], doc, signature)) {
        throw usage(
          `${file}: the signature is not of this transaction, account number, sequence and chain; sign the same file again`,
        );
      }
      given.set(index, signature);
    }
  }
  return given;
}

function isGood(member: SigningKey | undefined, doc: Uint8Array, signature: Uint8Array): boolean {
  return member?.type === "secp256k1" && verifySignature({ type: "secp256k1", bytes: member.bytes }, doc, signature);
}

function joined(
  chain: Chain,
  tx: Tx,
  key: MultisigKey,
  { address, sequence }: SignedAccount,
  given: ReadonlyMap<number, Uint8Array>,
): Tx {
  const elems = new Uint8Array(Math.ceil(key.members.length / 8));
  for (const index of given.keys()) elems[index >> 3] = (elems[index >> 3] ?? 0) | (1 << (7 - (index & 7)));
  const signatures = [...given].sort(([a], [b]) => a - b).map(([, signature]) => signature);
  const single = { sum: { case: "single", value: { mode: SignMode.LEGACY_AMINO_JSON } } } as const;
  const value = {
    bitarray: { elems, extraBitsStored: key.members.length % 8 },
    modeInfos: signatures.map(() => single),
  };
  const modeInfo = { sum: { case: "multi", value } } as const;
  const info = create(SignerInfoSchema, { publicKey: packKey(key), modeInfo, sequence });
  const signature = toBinary(MultiSignatureSchema, create(MultiSignatureSchema, { signatures }));
  return withSignatures(chain, tx, [{ address, info, signature }]);
}
