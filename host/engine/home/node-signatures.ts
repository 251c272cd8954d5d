/** Signatures of accounts as a node checks them: the verdicts of `verifySignature`, by OpenSSL where that is faster. */
import { type VerifySignature, verifierWith } from "../../comet/keys.js";
import { verifySecp256k1 } from "../../native/secp256k1.js";

export const nodeVerifySignature: VerifySignature = verifierWith(verifySecp256k1);
