/**
 * What takes long is run as a sample, by `npm test` and in CI; `npm run test:whole` runs all of it. What is left out is more of
 * the same: other seeds, other sizes, further moments of a kind of which the sample has one.
 */
const isWhole = process.env["TEST_WHOLE"] === "1";

/** How many: rounds, seeds, modules. */
export const sampled = (sample: number, whole: number): number => (isWhole ? whole : sample);

/** Which: every `step`-th, the first among them. */
export function everyNth<T>(step: number, all: readonly T[]): T[] {
  return isWhole ? [...all] : all.filter((_, at) => at % step === 0);
}
