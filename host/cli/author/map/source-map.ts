/** A source map as the AssemblyScript compiler writes it (revision 3): one generated line, whose columns are bytes of the file. */

/** One entry: from this byte on, code of this line. Lines and columns count from 1. */
type MappedLine = readonly [at: number, source: number, line: number, column: number];

export interface SourceMap {
  readonly sources: readonly string[];
  readonly lines: readonly MappedLine[];
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const MORE = 32;

export function readSourceMap(text: string): SourceMap {
  const { sources, mappings } = JSON.parse(text) as { sources: string[]; mappings: string };
  const lines: MappedLine[] = [];
  let [at, source, line, column] = [0, 0, 0, 0];
  for (const segment of mappings.split(/[,;]/)) {
    const [bytes = 0, sourceStep, lineStep = 0, columnStep = 0] = numbersOf(segment);
    at += bytes;
    if (sourceStep === undefined) continue;
    source += sourceStep;
    line += lineStep;
    column += columnStep;
    lines.push([at, source, line + 1, column + 1]);
  }
  return { sources, lines };
}

/** Each digit has five bits, the lowest of the number is its sign. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const letter of segment) {
    const digit = DIGITS.indexOf(letter);
    value += (digit & (MORE - 1)) << shift;
    shift += 5;
    if (digit & MORE) continue;
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
