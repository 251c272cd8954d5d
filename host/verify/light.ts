/**
 * Carries trust from one header to a later one, as CometBFT's light client does: to the next by the validators that it
 * names, to any other when validators with more than a third of the trusted block's own power have signed it.
 */
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { UpgradeError } from "../base/errors/errors.js";
import { equalBytes, toUpperHex } from "../base/text/bytes.js";
import { compareTimes, durationText, formatTime } from "../base/time/time.js";
import type { Sha256, Timestamp } from "../base/types/types.js";
import { type CommitSig, commitSignBytes } from "../chain/comet-types/commit.js";
import { headerHash } from "../chain/comet-types/header.js";
import type { LightBlock } from "../chain/comet-types/light-block.js";
import { checkedLightBlock, headerRefused } from "./checked-light-block.js";
import { argument, type Form, TIME } from "./form.js";
import { type VerifyEd25519, verifierOf } from "./signatures.js";
import type { Trusted, TrustOptions } from "./types.js";
import { type CountedVote, commitRefused, enoughVotes, votesOfOtherSet, votesOfOwnSet } from "./votes.js";

const CLOCK_DRIFT_DEFAULT_SECONDS = 10n;
const SECOND_NANOS = 1_000_000_000n;

/** What the machine does faster than JavaScript may be handed in; results must be the same. */
export interface VerifyTools {
  readonly sha256?: Sha256 | undefined;
  /** Default: `verifierOf()`, WebCrypto and then JavaScript. */
  readonly verifySignature?: VerifyEd25519 | undefined;
}

export interface AdvanceOptions extends Omit<TrustOptions, "root">, VerifyTools {}

/** What a caller may say of time, of root and of tools. */
export const TIMES = { now: TIME, trustingPeriod: "int64", maxClockDrift: "int64?" } as const satisfies Form;
export const TOOLS = { sha256: "function?", verifySignature: "function?" } as const satisfies Form;
export const ROOT = {
  chainId: "text",
  height: "int64",
  hash: "bytes",
  from: "yours, link or server",
} as const satisfies Form;

/** Why trust does not reach a header: `details.reason` of UPG_PROOF_TRUST. */
type TrustRefusal = "root" | "expired" | "validators" | "power";

export function untrusted(reason: TrustRefusal, what: string): UpgradeError {
  return new UpgradeError("UPG_PROOF_TRUST", what, { details: { reason } });
}

/**
 * The block that trust begins at, as a trusted one.
 *
 * @throws UpgradeError UPG_PROOF_TRUST when its hash is another, UPG_PROOF_HEADER
 *
 * @example
 * async function follow(blocks: LightBlock[], trust: TrustOptions): Promise<bigint> {
 *   let { lightBlock } = startAt(blocks[0]!, trust);
 *   for (const next of blocks.slice(1)) ({ lightBlock } = await advance(lightBlock, next, trust));
 *   return lightBlock.signedHeader.header.height;
 * }
 * console.log(follow.length); // → 2
 */
export function startAt(lightBlock: LightBlock, trust: Pick<TrustOptions, "root">, tools: VerifyTools = {}): Trusted {
  const { root } = argument<typeof trust>(trust, { root: ROOT }, "trust");
  const sha256 = argument<VerifyTools>(tools, TOOLS, "tools").sha256 ?? nobleSha256;
  const checked = checkedLightBlock(lightBlock, root.chainId, sha256);
  const { header } = checked.signedHeader;
  const hash = headerHash(sha256, header);
  if (header.height !== root.height || !equalBytes(hash, root.hash)) {
    throw untrusted("root", `block ${header.height} has hash ${toUpperHex(hash)}: it is not the trusted block`);
  }
  return { lightBlock: checked, steps: 0, signatures: 0 };
}

/**
 * The later header as a trusted one. `trusted` must be verified already, or the root. Of both blocks the validators' addresses
 * are held against their keys and the powers against their sum, also when another made them.
 *
 * @throws UpgradeError UPG_PROOF_TRUST, UPG_PROOF_HEADER, UPG_PROOF_COMMIT, UPG_PROOF_MALFORMED, UPG_INVALID_ARGUMENT
 *
 * @example
 * const trusted = { signedHeader: { header: { height: 9n } } } as LightBlock;
 * const options = { now: { seconds: 1_700_000_000n, nanos: 0 }, trustingPeriod: 30n };
 * const refused = await advance(trusted, trusted, options).catch((error: UpgradeError) => error.code);
 * console.log(refused); // → UPG_PROOF_MALFORMED
 */
export async function advance(trusted: LightBlock, lightBlock: LightBlock, options: AdvanceOptions): Promise<Trusted> {
  const asked = argument<AdvanceOptions>(options, { ...TIMES, ...TOOLS }, "options");
  const sha256 = asked.sha256 ?? nobleSha256;
  const from = checkedLightBlock(trusted, undefined, sha256);
  checkNotExpired(from, asked);
  const to = checkedLightBlock(lightBlock, from.signedHeader.header.chainId, sha256);
  checkOrder(from, to, asked);
  const { header, commit } = to.signedHeader;
  const votes = votesToVerify(from, to);
  const verify = asked.verifySignature ?? verifierOf();
  const verdicts = await Promise.all(
    votes.map(async ({ index, key }) => {
      const signature = commit.signatures[index] as CommitSig;
      return await verify(key, commitSignBytes(header.chainId, commit, signature), signature.signature);
    }),
  );
  const wrong = votes.find((_vote, at) => verdicts[at] !== true);
  if (wrong) throw commitRefused("signature", `signature ${wrong.index} at height ${header.height} is not genuine`);
  return { lightBlock: to, steps: 1, signatures: votes.length };
}

/** Would trust reach the later header, were all its signatures genuine? Then no header in between is needed. */
export function canSkip(trusted: LightBlock, lightBlock: LightBlock): boolean {
  return isNext(trusted, lightBlock) || trustedVotes(trusted, lightBlock) !== undefined;
}

const isNext = (trusted: LightBlock, { signedHeader }: LightBlock) =>
  signedHeader.header.height === trusted.signedHeader.header.height + 1n;

const trustedVotes = ({ validators }: LightBlock, { signedHeader }: LightBlock, first?: ReadonlySet<number>) =>
  enoughVotes(votesOfOtherSet(validators, signedHeader.commit), validators.totalPower, 1n, first);

/** The fewest signatures that decide: more than two thirds of the block's own power, and of the trusted a third. */
function votesToVerify(trusted: LightBlock, lightBlock: LightBlock): readonly CountedVote[] {
  const { signedHeader, validators } = lightBlock;
  const { height } = signedHeader.header;
  const own = enoughVotes(votesOfOwnSet(validators, signedHeader.commit), validators.totalPower, 2n);
  if (!own) {
    throw commitRefused("power", `not more than two thirds of the power signed height ${height} by ed25519`);
  }
  if (isNext(trusted, lightBlock)) {
    checkNextValidators(trusted, lightBlock);
    return own;
  }
  const carried = trustedVotes(trusted, lightBlock, new Set(own.map(({ index }) => index)));
  if (!carried) {
    throw untrusted(
      "power",
      `not more than a third of the trusted power signed height ${height}: a header between is needed`,
    );
  }
  // A vote that counts for the trusted set is verified with the key that the trusted set has of it.
  const keys = new Map(own.map(({ index, key }) => [index, key]));
  const isOwn = ({ index, key }: CountedVote) => equalBytes(keys.get(index) ?? new Uint8Array(), key);
  return [...own, ...carried.filter((vote) => !isOwn(vote))];
}

function checkNextValidators(trusted: LightBlock, { signedHeader }: LightBlock): void {
  const named = trusted.signedHeader.header.nextValidatorsHash;
  if (equalBytes(signedHeader.header.validatorsHash, named)) return;
  throw untrusted("validators", `the trusted header names other validators for height ${signedHeader.header.height}`);
}

function checkNotExpired({ signedHeader }: LightBlock, { now, trustingPeriod }: AdvanceOptions): void {
  const { time, height } = signedHeader.header;
  const end: Timestamp = { seconds: time.seconds + trustingPeriod, nanos: time.nanos };
  if (compareTimes(end, now) > 0) return;
  throw untrusted(
    "expired",
    `block ${height} of ${formatTime(time)} is older than the trusting period of ${durationText(trustingPeriod * SECOND_NANOS)}`,
  );
}

function checkOrder(trusted: LightBlock, lightBlock: LightBlock, { now, maxClockDrift }: AdvanceOptions): void {
  const [before, header] = [trusted.signedHeader.header, lightBlock.signedHeader.header];
  if (header.height <= before.height) {
    throw headerRefused("height", `header ${header.height} is not after the trusted one, ${before.height}`);
  }
  if (compareTimes(header.time, before.time) <= 0) {
    throw headerRefused(
      "time",
      `header ${header.height} of ${formatTime(header.time)} is not later than the trusted one`,
    );
  }
  const latest = { seconds: now.seconds + (maxClockDrift ?? CLOCK_DRIFT_DEFAULT_SECONDS), nanos: now.nanos };
  if (compareTimes(header.time, latest) < 0) return;
  throw headerRefused("future", `header ${header.height} has a time from the future, ${formatTime(header.time)}`);
}
