/**
 * Trust carried over headers in one jump, of a chain of 150 validators of whom some are replaced: signatures by WebCrypto and by
 * JavaScript alone, by turns, in this one process. A round is `advance`: hashes of header and set, and all signatures that are needed.
 */
import { advance } from "../../host/verify/light.js";
import { type VerifyEd25519, verifierOf, verifyByNoble } from "../../host/verify/signatures.js";
import { MadeChain, timeOf } from "../../test/unit/verify/made-chain.js";

const ROUNDS = Number(process.argv[2]);
const VALIDATORS = 150;
const REPLACED = 50;
const WARM_UP_ROUNDS = 3;
/** What WebCrypto may take of the time that JavaScript takes. */
const RATIO_MAX = 0.35;

const members = (height: number) =>
  Array.from({ length: VALIDATORS }, (_, at) => ({ seed: height === 1 ? at : at + REPLACED, power: 1_000 - at }));
const chain = new MadeChain({ blocks: 4, members });
const [trusted, target] = [chain.at(1), chain.at(4)];

async function millis(verifySignature: VerifyEd25519): Promise<number> {
  const start = performance.now();
  await advance(trusted, target, { now: timeOf(5), trustingPeriod: 86_400n, verifySignature });
  return performance.now() - start;
}

const ways = { JavaScript: verifyByNoble, WebCrypto: verifierOf(globalThis.crypto.subtle) };
const samples: Record<keyof typeof ways, number[]> = { JavaScript: [], WebCrypto: [] };
for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
  for (const way of ["JavaScript", "WebCrypto"] as const) {
    const took = await millis(ways[way]);
    if (round >= 0) samples[way].push(took);
  }
}
const { signatures } = await advance(trusted, target, { now: timeOf(5), trustingPeriod: 86_400n });
process.stdout.write(
  JSON.stringify([
    { row: "JavaScript", unit: "ms", samples: samples.JavaScript },
    { row: "WebCrypto", unit: "ms", samples: samples.WebCrypto, against: "JavaScript", ratioMax: RATIO_MAX },
    { row: "signatures verified", unit: "of 150", samples: [signatures] },
  ]),
);
