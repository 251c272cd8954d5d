/**
 * Carries trust from one header to a later one, as CometBFT's light client does: to the next by the validators that it
 * names, to any other when validators with more than a third of the trusted block's own power have signed it.
 */
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { equalBytes, toHex, toUpperHex } from "../bytes.js";
import { type CommitSig, commitSignBytes, validateCommit } from "../comet/commit.js";
import { headerHash, validateHeader } from "../comet/header.js";
import type { LightBlock } from "../comet/light-block.js";
import { validatorSetHash } from "../comet/validator-set.js";
import { UpgradeError } from "../errors.js";
import { compareTimes, formatTime } from "../time.js";
import type { Sha256, Timestamp } from "../types.js";
import { asProof } from "./json.js";
import { type VerifyEd25519, verifierOf } from "./signatures.js";
import type { Trusted, TrustOptions } from "./types.js";
import { type CountedVote, commitRefused, enoughVotes, votesOfOtherSet, votesOfOwnSet } from "./votes.js";

const CLOCK_DRIFT_DEFAULT_SECONDS = 10n;

/** What the machine does faster than JavaScript may be handed in; results must be the same. */
export interface VerifyTools {
  readonly sha256?: Sha256 | undefined;
  /** Default: `verifierOf()`, WebCrypto and then JavaScript. */
  readonly verifySignature?: VerifyEd25519 | undefined;
}

export interface AdvanceOptions extends Omit<TrustOptions, "root">, VerifyTools {}

/** Why trust does not reach a header: `details.reason` of UPG_PROOF_TRUST. */
type TrustRefusal = "root" | "expired" | "validators" | "power";

export function untrusted(reason: TrustRefusal, what: string): UpgradeError {
  return new UpgradeError("UPG_PROOF_TRUST", what, { details: { reason } });
}

/** Why a header is refused: `details.reason` of UPG_PROOF_HEADER. */
type HeaderRefusal = "chain" | "commit" | "validators" | "height" | "time" | "future";

export function headerRefused(reason: HeaderRefusal, what: string): UpgradeError {
  return new UpgradeError("UPG_PROOF_HEADER", what, { details: { reason } });
}

/** Header, commit and validators by their rules, and that they belong together. @throws UpgradeError UPG_PROOF_* */
function checkLightBlock({ signedHeader, validators }: LightBlock, chainId: string, sha256: Sha256): void {
  const { header, commit } = signedHeader;
  asProof(() => {
    validateHeader(header);
    validateCommit(commit);
  });
  const at = `header ${header.height}`;
  if (header.chainId !== chainId)
    throw headerRefused("chain", `${at} is of chain "${header.chainId}", not "${chainId}"`);
  const isOfCommit = commit.height === header.height && equalBytes(commit.blockId.hash, headerHash(sha256, header));
  if (!isOfCommit) throw headerRefused("commit", `${at}: the commit is for another header`);
  const addresses = new Set(validators.validators.map(({ address }) => toHex(address)));
  if (addresses.size !== validators.validators.length) throw headerRefused("validators", `${at}: a validator twice`);
  if (!equalBytes(header.validatorsHash, validatorSetHash(sha256, validators))) {
    throw headerRefused("validators", `${at}: its validators are others`);
  }
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
export function startAt(
  lightBlock: LightBlock,
  { root }: Pick<TrustOptions, "root">,
  tools: VerifyTools = {},
): Trusted {
  const sha256 = tools.sha256 ?? nobleSha256;
  const { header } = lightBlock.signedHeader;
  checkLightBlock(lightBlock, root.chainId, sha256);
  const hash = headerHash(sha256, header);
  if (header.height !== root.height || !equalBytes(hash, root.hash)) {
    throw untrusted("root", `block ${header.height} has hash ${toUpperHex(hash)}: it is not the trusted block`);
  }
  return { lightBlock, steps: 0, signatures: 0 };
}

/**
 * The later header as a trusted one. `trusted` must be verified already, or the root.
 *
 * @throws UpgradeError UPG_PROOF_TRUST, UPG_PROOF_HEADER, UPG_PROOF_COMMIT, UPG_PROOF_MALFORMED
 *
 * @example
 * const time = { seconds: 1_700_000_000n, nanos: 0 };
 * const trusted = { signedHeader: { header: { height: 9n, time } } } as LightBlock;
 * const options = { now: { seconds: time.seconds + 60n, nanos: 0 }, trustingPeriod: 30n };
 * const refused = await advance(trusted, trusted, options).catch((error: UpgradeError) => error.details.reason);
 * console.log(refused); // → expired
 */
export async function advance(trusted: LightBlock, lightBlock: LightBlock, options: AdvanceOptions): Promise<Trusted> {
  const { header, commit } = lightBlock.signedHeader;
  checkNotExpired(trusted, options);
  checkLightBlock(lightBlock, trusted.signedHeader.header.chainId, options.sha256 ?? nobleSha256);
  checkOrder(trusted, lightBlock, options);
  const votes = votesToVerify(trusted, lightBlock);
  const verify = options.verifySignature ?? verifierOf();
  const verdicts = await Promise.all(
    votes.map(async ({ index, key }) => {
      const signature = commit.signatures[index] as CommitSig;
      return await verify(key, commitSignBytes(header.chainId, commit, signature), signature.signature);
    }),
  );
  const wrong = votes.find((_vote, at) => verdicts[at] !== true);
  if (wrong) throw commitRefused("signature", `signature ${wrong.index} at height ${header.height} is not genuine`);
  return { lightBlock, steps: 1, signatures: votes.length };
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
  const chosen = new Set(own.map(({ index }) => index));
  const carried = trustedVotes(trusted, lightBlock, chosen);
  if (!carried) {
    throw untrusted(
      "power",
      `not more than a third of the trusted power signed height ${height}: a header between is needed`,
    );
  }
  return [...own, ...carried.filter(({ index }) => !chosen.has(index))];
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
    `block ${height} of ${formatTime(time)} is older than the trusting period of ${trustingPeriod} s`,
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
