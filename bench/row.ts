/** A line of the result, and how it is made of what was measured. */

/** `against` and `ratio`: another row of the same bench, and this value over that one's. */
export interface Row {
  readonly bench: string;
  readonly row: string;
  readonly value: number;
  readonly unit: string;
  readonly against?: string;
  readonly ratio?: number;
  /** Limits of this row alone. */
  readonly ratioMax?: number;
  readonly valueMax?: number;
  readonly n: number;
  readonly min: number;
  readonly max: number;
}

/** The median of what was measured. */
export function row(bench: string, name: string, unit: string, values: readonly number[], against?: Row): Row {
  const sorted = values.map(Math.round).sort((a, b) => a - b);
  const value = sorted[Math.floor(sorted.length / 2)] as number;
  const compared = against ? { against: against.row, ratio: Math.round((value / against.value) * 100) / 100 } : {};
  const range = { n: sorted.length, min: sorted[0] as number, max: sorted.at(-1) as number };
  return { bench, row: name, value, unit, ...compared, ...range };
}
