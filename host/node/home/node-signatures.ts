/** Signatures of accounts as a node checks them: the verdicts of `verifySignature`, by OpenSSL where that is faster. */

import { verifySecp256k1 } from "../../base/native/secp256k1.js";
import { type VerifySignature, verifierWith } from "../../chain/comet-types/keys.js";

export const nodeVerifySignature: VerifySignature = verifierWith(verifySecp256k1);
