/** Judges evidence: carries trust to its headers, verifies every proof in it, and says what is known then. */

import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { isUpgradeError } from "../base/errors/errors.js";
import { lastOf } from "../base/text/checked-index.js";
import type { Sha256 } from "../base/types/types.js";
import type { Header } from "../chain/comet-types/header.js";
import type { LightBlock } from "../chain/comet-types/light-block.js";
import { headerRefused } from "./checked-light-block.js";
import { ClaimMaker, unprovenClaim } from "./claims.js";
import { argument } from "./form.js";
import { JsonView, parseJson } from "./json.js";
import { advance, ROOT, startAt, TIMES, TOOLS, untrusted, type VerifyTools } from "./light.js";
import { LIGHT_BLOCKS_MAX } from "./path.js";
import { type ProvenState, proveState } from "./proven-state.js";
import { isPlanName } from "./records.js";
import { headerOf, lightBlockOf, statusOf } from "./rpc-json.js";
import type { Claim, Claims, Evidence, Trusted, TrustOptions } from "./types.js";

export const FORMAT: Evidence["format"] = "chain-upgrade-evidence-1";

/**
 * What evidence shows to a reader with this trust. Whatever is wrong with any part of it, nothing is claimed.
 *
 * @param evidence the document, as a value or as the text or the bytes of its JSON
 * @throws UpgradeError UPG_PROOF_*, with `details.reason` where a header, a commit or trust is refused; UPG_INVALID_ARGUMENT
 *
 * @example
 * const root = { chainId: "example-1", height: 1n, hash: new Uint8Array(32), from: "yours" } as const;
 * const trust = { root, now: { seconds: 1_700_000_000n, nanos: 0 }, trustingPeriod: 1_209_600n };
 * const refused = await verifyEvidence("{}", trust).catch((error: { code: string }) => error.code);
 * console.log(refused); // → UPG_PROOF_MALFORMED
 */
export async function verifyEvidence(evidence: unknown, trust: TrustOptions, tools: VerifyTools = {}): Promise<Claims> {
  const asked = argument<TrustOptions>(trust, { root: ROOT, ...TIMES }, "trust");
  const sha256 = argument<VerifyTools>(tools, TOOLS, "tools").sha256 ?? nobleSha256;
  const isText = typeof evidence === "string" || evidence instanceof Uint8Array;
  const json = new JsonView(isText ? parseJson(evidence) : evidence, "evidence");
  if (json.get("format").text() !== FORMAT) throw json.wrong(`not a document of format ${FORMAT}`);
  const { trusted, headers } = await trustedHeaders(json, asked, tools, sha256);
  const plan = json.get("plan");
  const named = plan.isSet ? plan.text() : undefined;
  if (named !== undefined && !isPlanName(named)) throw plan.wrong("no plan can have this name");
  const state = proveState(json, headerAfter(json, headers), sha256);
  const name = named ?? lastOf(state.done ?? [])?.name;
  const before = json.get("before");
  const maker = new ClaimMaker(asked.root, trusted);
  return {
    chainId: asked.root.chainId,
    height: state.height,
    trusted,
    claims: [
      maker.header(trusted),
      ...maker.ofState(state, name),
      ...(before.isSet ? maker.ofStateBefore(proveBefore(before, headers, state, name, sha256)) : []),
      ...unprovenClaims(json),
    ],
  };
}

/** The state before an upgrade's block: of no other block, whatever the evidence calls it. */
function proveBefore(
  before: JsonView,
  headers: ReadonlyMap<bigint, Header>,
  after: ProvenState,
  name: string | undefined,
  sha256: Sha256,
): ProvenState {
  const applied = after.done?.find((each) => each.name === name)?.height;
  const header = headerAfter(before, headers);
  if (header.height !== applied) throw before.wrong("it is not the state before the upgrade that is asked about");
  return proveState(before, header, sha256);
}

/** The header that proves a state, if trust has reached it. */
function headerAfter(state: JsonView, headers: ReadonlyMap<bigint, Header>): Header {
  const height = state.get("height").int64();
  const header = headers.get(height + 1n);
  if (!header)
    throw headerRefused("height", `the evidence leads to no header ${height + 1n}, which proves height ${height}`);
  return header;
}

async function trustedHeaders(json: JsonView, trust: TrustOptions, tools: VerifyTools, sha256: Sha256) {
  const headers = new Map<bigint, Header>();
  let trusted: Trusted | undefined;
  for (const each of json.get("light_blocks").items(LIGHT_BLOCKS_MAX)) {
    const next = nextOf(each, trust, trusted !== undefined, sha256);
    if (!next) continue;
    trusted = trusted ? await oneFurther(trusted, next, trust, tools) : startAt(next, trust, tools);
    const { header } = next.signedHeader;
    headers.set(header.height, header);
  }
  if (!trusted) throw untrusted("root", `the evidence has no block ${trust.root.height}, where trust begins`);
  return { trusted, headers };
}

/** Undefined for a block before the root, which another reader began with. */
function nextOf(json: JsonView, { root }: TrustOptions, hasBegun: boolean, sha256: Sha256): LightBlock | undefined {
  const signed = json.get("signed_header");
  if (!hasBegun && headerOf(signed.get("header")).height !== root.height) return undefined;
  return lightBlockOf(sha256, signed, json.get("validators"));
}

async function oneFurther(
  trusted: Trusted,
  next: LightBlock,
  trust: TrustOptions,
  tools: VerifyTools,
): Promise<Trusted> {
  const { now, trustingPeriod, maxClockDrift } = trust;
  const step = await advance(trusted.lightBlock, next, { now, trustingPeriod, maxClockDrift, ...tools });
  return { ...step, steps: trusted.steps + 1, signatures: trusted.signatures + step.signatures };
}

/** Of no consequence, so what is malformed here is left out. */
function unprovenClaims(json: JsonView): Claim[] {
  try {
    const unproven = json.get("unproven");
    const source = json.get("source").text();
    const [status, ofPlan] = [unproven.get("status"), unproven.get("plan_status")];
    const claims: Claim[] = [];
    if (status.isSet) {
      const { latestHeight } = statusOf(status);
      claims.push(
        unprovenClaim("status", `The server says that its latest block is ${latestHeight}.`, { latestHeight }, source),
      );
    }
    const words = "The server says how far the upgrade is.";
    if (ofPlan.isSet) claims.push(unprovenClaim("plan-status", words, ofPlan.value, source));
    return claims;
  } catch (error) {
    if (isUpgradeError(error)) return [];
    throw error;
  }
}
