/** Claims as a command prints them: for people in words, each with what it rests on, and as JSON. */
import { toUpperHex } from "../../../base/text/bytes.js";
import { visible } from "../../../base/text/visible.js";
import { formatTime } from "../../../base/time/time.js";
import type { Claim, ClaimState } from "../../../verify/types.js";
import { receiptJson } from "../query/receipt.js";
import type { Proven } from "./proven.js";

const WORDS: Readonly<Record<ClaimState, string>> = {
  proven: "PROVEN",
  "link-root": "LINK ONLY",
  "server-root": "SERVER ONLY",
  unproven: "UNPROVEN",
  absent: "ABSENT",
};
const COLUMN = 13;

export function claimsJson({ claims, root, evidence }: Proven) {
  const { header } = claims.trusted.lightBlock.signedHeader;
  return {
    chain_id: claims.chainId,
    source: evidence.source,
    trusted_block: { height: String(root.height), hash: toUpperHex(root.hash), from: root.from },
    state_height: String(claims.height),
    header: { height: String(header.height), time: formatTime(header.time), app_hash: toUpperHex(header.appHash) },
    signatures: claims.trusted.signatures,
    headers_verified: claims.trusted.steps,
    claims: claims.claims.map((claim) => ({
      ...{ id: claim.id, state: claim.state, words: claim.words, rests_on: claim.restsOn },
      value: valueJson(claim),
    })),
  };
}

function valueJson(claim: Claim): unknown {
  if (claim.value === undefined) return null;
  switch (claim.id) {
    case "header":
      return { ...claim.value, time: formatTime(claim.value.time), appHash: toUpperHex(claim.value.appHash) };
    case "receipt":
      return { name: claim.value.name, ...receiptJson(claim.value.bytes) };
    case "versions":
    case "versions-before":
      return Object.fromEntries([...claim.value].map(([name, version]) => [name, String(version)]));
    default:
      return claim.value;
  }
}

export function claimsText(proven: Proven): string {
  const { claims, root } = proven;
  const { steps, signatures } = claims.trusted;
  const lines = [
    line("chain", visible(claims.chainId)),
    line("trust", `block ${root.height}, hash ${toUpperHex(root.hash)}`),
    line("verified", `${plural(signatures, "signature")} over ${plural(steps, "header")}`),
    "",
  ];
  for (const { state, words, restsOn } of claims.claims) {
    lines.push(
      line(WORDS[state], words),
      ...restsOn.map((each, at) => line("", `${at === 0 ? "rests on " : "and "}${each}`)),
    );
  }
  return `${lines.join("\n")}\n`;
}

const line = (name: string, text: string) => `${name.padEnd(COLUMN)}${text}`;
const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
