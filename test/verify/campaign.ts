/** Mutated evidence and mutated proofs, one after another: each is refused with a code, or shows what is true anyway. */

import { isUpgradeError } from "../../host/base/errors/errors.js";
import { toHex } from "../../host/base/text/bytes.js";
import { verifyEvidence } from "../../host/verify/evidence.js";
import { verifyByNoble } from "../../host/verify/signatures.js";
import { Random } from "../guest/random/random.js";
import { type Document, documents } from "./documents.js";
import { mutated } from "./mutate.js";
import { keyLie, rangeLie } from "./proof-lies.js";
import { untrueClaim } from "./truth.js";

export interface CampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly progress?: (done: number) => void;
}

export interface CampaignResult {
  readonly rounds: number;
  /** Refused, by code. */
  readonly codes: Readonly<Record<string, number>>;
  /** The change was of no consequence: what is claimed is true. */
  readonly harmless: number;
  /** Milliseconds of the slowest. */
  readonly slowest: number;
}

/** No answer takes that long, whatever the document. */
const MILLISECONDS_MAX = 10_000;

/** @throws Error naming seed and round, for what is believed and untrue, fails without a code of a proof, or takes too long */
export async function campaign({ rounds, seed, progress }: CampaignOptions): Promise<CampaignResult> {
  const { bases, foreign } = await documents();
  const codes: Record<string, number> = {};
  let [harmless, slowest] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const random = new Random(seed + Math.imul(round, 0x9e3779b1));
    const start = performance.now();
    try {
      const document = random.pick(bases);
      const code = await endingOf(document, foreign, random);
      if (code === undefined) harmless++;
      else codes[code] = (codes[code] ?? 0) + 1;
    } catch (cause) {
      throw new Error(`seed ${seed}, round ${round}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    const took = performance.now() - start;
    if (took > MILLISECONDS_MAX) throw new Error(`seed ${seed}, round ${round}: took ${Math.round(took)} ms`);
    slowest = Math.max(slowest, took);
    progress?.(round + 1);
  }
  return { rounds, codes, harmless, slowest };
}

/** Undefined: what is shown is true. Otherwise the code. */
async function endingOf(document: Document, foreign: readonly unknown[], random: Random): Promise<string | undefined> {
  const { chain } = document;
  const way = random.below(9);
  if (way < 6) return await evidenceEnding(document, foreign, random);
  return await codeOf(async () => (way < 8 ? keyLie(chain, random) : rangeLie(chain, random)));
}

async function evidenceEnding({ chain, evidence, trust }: Document, foreign: readonly unknown[], random: Random) {
  return await codeOf(async () => {
    const claims = await verifyEvidence(mutated(evidence, foreign, random), trust, { verifySignature });
    const untrue = untrueClaim(chain, claims);
    if (untrue) throw new Error(`believed: ${untrue.words}`);
  });
}

async function codeOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isUpgradeError(error) && error.code.startsWith("UPG_PROOF_")) return error.code;
    throw error;
  }
}

/** Most rounds have the same signatures: each is verified once. */
const verdicts = new Map<string, boolean>();

function verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const asked = [key, message, signature].map(toHex).join();
  const verdict = verdicts.get(asked) ?? verifyByNoble(key, message, signature);
  if (verdicts.size < 50_000) verdicts.set(asked, verdict);
  return verdict;
}
