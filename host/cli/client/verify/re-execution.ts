/** `verify-chain --re-execute`: runs an upgrade's handler again, and believes the result when the chain's app hash comes out. */

import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { readRegularFile } from "../../../base/files/open-file.js";
import { usage } from "../../../base/terminal/usage.js";
import { toUpperHex } from "../../../base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../../base/types/limits.js";
import type { Header } from "../../../chain/comet-types/header.js";
import type { ReExecuted } from "../../../verify/re-execute.js";
import { reExecute } from "../../../verify/re-execute-lazily.js";
import { readLightBlock } from "../../../verify/read-light-block.js";
import type { Evidence } from "../../../verify/types.js";
import { receiptBody } from "../query/receipt.js";
import type { Proven } from "./proven.js";
import { TOOLS } from "./trust.js";

export interface ReExecuteFlags {
  readonly reExecute?: boolean;
  readonly witness?: string;
  readonly handler?: string;
}

/** What memory holds with what is made of it. */
const WITNESS_BYTES_MAX = 1_073_741_824;

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function checkReExecute({ reExecute: isAsked = false, witness, handler }: ReExecuteFlags): void {
  if (!isAsked && (witness !== undefined || handler !== undefined)) {
    throw usage("--witness and --handler are for --re-execute: give it too");
  }
  if (isAsked && (witness === undefined || handler === undefined)) {
    throw usage(
      "--re-execute runs the handler again on a witness: --witness FILE and --handler FILE name them. A node serves both under " +
        "/chain/upgrade/v1/witness/NAME and /chain/upgrade/v1/handler/SHA256 of REST; neither has to be trusted",
    );
  }
}

/** Height of the upgrade's block. @throws UpgradeError UPG_NOT_FOUND_UPGRADE */
export function appliedHeight({ claims }: Proven, plan: string | undefined): bigint {
  const done = claims.claims.filter((claim) => claim.id === "done" && claim.value?.height !== undefined);
  const found = plan === undefined ? done.at(-1) : done.find(({ value }) => (value as { name: string }).name === plan);
  const height = found?.id === "done" ? found.value?.height : undefined;
  if (height === undefined)
    throw new UpgradeError("UPG_NOT_FOUND_UPGRADE", "no upgrade was applied that could be run again");
  return height;
}

/** @param proven of the state after the upgrade's block. @throws UpgradeError UPG_WITNESS_*, UPG_HANDLER_*, UPG_MIGRATION_* */
export async function runAgain(proven: Proven, flags: ReExecuteFlags): Promise<ReExecuted> {
  const { evidence, claims } = proven;
  const next = claims.trusted.lightBlock.signedHeader.header;
  const block = headerIn(evidence, claims.height);
  const receipt = claims.claims.find(({ id }) => id === "receipt");
  return await reExecute({
    witness: read(flags.witness ?? "", WITNESS_BYTES_MAX),
    handler: read(flags.handler ?? "", HANDLER_BYTES_MAX),
    maxBytes: WITNESS_BYTES_MAX,
    headers: { block, next },
    // So that no other handler runs, and none for longer than the chain's own run.
    ...(receipt?.id === "receipt" && receipt.value ? { receipt: receipt.value.receipt } : {}),
    ...(TOOLS.sha256 ? { sha256: TOOLS.sha256 } : {}),
  });
}

/** It need not be trusted by itself: the next header names it. */
function headerIn({ light_blocks }: Evidence, height: bigint): Header {
  for (const each of light_blocks) {
    const { header } = readLightBlock(each.signed_header, each.validators).signedHeader;
    if (header.height === height) return header;
  }
  throw usage(
    `the evidence has no header of block ${height}: collect it with --re-execute, and from a trusted block before it`,
  );
}

function read(file: string, bytesMax: number): Uint8Array {
  try {
    return readRegularFile(file, bytesMax);
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_IO", `cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
}

export function reExecutionJson({ plan, gas, roots, others, receipt, appHash, leaves, stubs }: ReExecuted) {
  return {
    ...{ plan, gas: String(gas), app_hash: toUpperHex(appHash) },
    roots: Object.fromEntries([...roots].map(([name, root]) => [name, toUpperHex(root.after)])),
    others: others.map(({ store, writes }) => ({ store, writes: String(writes.length) })),
    receipt: receiptBody(receipt),
    witness: { leaves: String(leaves), stubs: String(stubs) },
  };
}

export function reExecutionText(ran: ReExecuted): string {
  const others = ran.others.map(({ store, writes }) => `${writes.length} of store ${store}`).join(", ");
  return (
    `\nRUN AGAIN    Upgrade "${ran.plan}": the handler, run here on ${ran.leaves} records, gives the chain's own app hash ${toUpperHex(ran.appHash)}.\n` +
    `             gas ${ran.gas}; other writes of that block: ${others || "none"}\n`
  );
}
