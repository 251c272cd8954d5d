/** `chaind verify-chain`: what a chain says of its upgrades, verified from a block that the user trusts. */

import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { readRegularFile } from "../../../base/files/open-file.js";
import type { Output } from "../../../base/terminal/output.js";
import { usage } from "../../../base/terminal/usage.js";
import { utf8 } from "../../../base/text/bytes.js";
import { decodeText } from "../../../base/text/text.js";
import { evidenceText, JsonView, parseJson, SAVED_PAGE_BYTES_MAX } from "../../../verify/json.js";
import { outFile, writeOutFile } from "../../author/out-file.js";
import { type NodeFlags, rpcClient } from "../flags.js";
import { claimsJson, claimsText } from "./claims-output.js";
import { judged, type Proven, provenFrom } from "./proven.js";
import {
  appliedHeight,
  checkReExecute,
  type ReExecuteFlags,
  reExecutionJson,
  reExecutionText,
  runAgain,
} from "./re-execution.js";
import { type TrustedBlock, type TrustFlags, trustedBlock } from "./trust.js";

export interface VerifyChainFlags extends NodeFlags, TrustFlags, ReExecuteFlags {
  /** 0n: the last state that a header proves. */
  readonly height: bigint;
  readonly plan?: string;
  readonly file?: string;
  readonly out?: string;
}

/** @throws UpgradeError UPG_PROOF_*, UPG_REMOTE_*, UPG_INVALID_ARGUMENT; nothing is written then */
export async function verifyChain(flags: VerifyChainFlags, output: Output): Promise<void> {
  const { file, out, witness, handler } = flags;
  const block = trustedBlock(flags);
  if (!block) throw noTrust();
  const inputs = [file, witness, handler].filter((each) => each !== undefined);
  if (out !== undefined) outFile(out, inputs);
  checkReExecute(flags);
  const proven = file === undefined ? await ofNode(flags) : await ofFile(file, block, flags);
  const ran = flags.reExecute ? await runAgain(proven, flags) : undefined;
  if (out !== undefined) writeOutFile(out, utf8(`${JSON.stringify(proven.evidence)}\n`), inputs);
  await output.print(
    { ...claimsJson(proven), ...(ran ? { re_execution: reExecutionJson(ran) } : {}) },
    claimsText(proven) + (ran ? reExecutionText(ran) : ""),
  );
}

/** To run an upgrade again takes the evidence of the state right after its block. */
async function ofNode(flags: VerifyChainFlags): Promise<Proven> {
  const { height, plan } = flags;
  const rpc = rpcClient(flags);
  const proven = await provenFrom(rpc, flags, { height: height === 0n ? undefined : height, plan });
  if (!flags.reExecute) return proven;
  const applied = appliedHeight(proven, plan);
  return applied === proven.claims.height ? proven : await provenFrom(rpc, flags, { height: applied, plan });
}

function noTrust(): UpgradeError {
  return usage(
    'required flag(s) "trust-height", "trust-hash" not set: everything is verified from a block that you trust. Take its height and hash from a source that is not the ' +
      "server asked: the genesis announcement, an explorer, a node of your own (hash in `block_id` of its `commit`)",
  );
}

async function ofFile(file: string, block: TrustedBlock, flags: VerifyChainFlags): Promise<Proven> {
  if (flags.plan !== undefined || flags.height !== 0n) {
    throw usage("--plan and --height choose what is asked of a node; a file has the answers already");
  }
  const document = evidenceIn(file);
  // The chain's name is in the header, and so in the hash that is trusted.
  const chainId = new JsonView(document, "evidence").get("chain_id").text();
  return await judged(document, { chainId, ...block, from: "yours" }, flags);
}

/** Of JSON that --out wrote, or of a page that a browser saved. @throws UpgradeError UPG_PROOF_MALFORMED, UPG_STORE_IO */
function evidenceIn(file: string): unknown {
  const bytes = read(file);
  const refused = (why: string, cause?: unknown) =>
    new UpgradeError("UPG_PROOF_MALFORMED", `${file} has no evidence to verify: ${why}`, { cause });
  if (bytes.length > SAVED_PAGE_BYTES_MAX) throw refused(`it has more than ${SAVED_PAGE_BYTES_MAX} bytes`);
  const json = evidenceText(
    decodeText(bytes, (cause) => refused("it is not UTF-8", cause)),
    refused,
  );
  try {
    return parseJson(json);
  } catch (cause) {
    throw refused(messageOf(cause), cause);
  }
}

function read(file: string): Uint8Array {
  try {
    return readRegularFile(file, SAVED_PAGE_BYTES_MAX);
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_IO", `cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
}
