/** Pictures of a report, as SVG in the page: bars with their figures as text, in the page's own colours. */
import { escaped } from "./escaped.js";
import { countText } from "./number-format.js";

export interface Bar {
  readonly name: string;
  readonly value: number;
}

export interface ChangeBar {
  readonly name: string;
  readonly before: number;
  readonly after: number;
}

const WIDTH = 720;
const NAME_WIDTH = 190;
const BAR_WIDTH = 400;
const ROW = 26;
const NAME_CHARACTERS = 28;
/** More are left out, the smallest first. */
const BARS_MAX = 24;

/** One bar a name, the longest as wide as there is room. */
export function bars(list: readonly Bar[], text: (value: number) => string): string {
  const shown = largest(list);
  const most = Math.max(...shown.map(({ value }) => value), 1);
  const rows = shown.map(({ name, value }, at) => row(at, name, [[value / most, "a"]], text(value)));
  return picture(rows, shown.length, shown.map(({ name, value }) => `${name}: ${text(value)}`).join("; "));
}

/** Two bars a name: before, and after. */
export function changeBars(list: readonly ChangeBar[]): string {
  const shown = [...list].slice(0, BARS_MAX);
  const most = Math.max(...shown.flatMap(({ before, after }) => [before, after]), 1);
  const words = ({ before, after }: ChangeBar) => `${countText(before)} → ${countText(after)}`;
  const rows = shown.map((each, at) =>
    row(
      at,
      each.name,
      [
        [each.before / most, "b"],
        [each.after / most, "a"],
      ],
      words(each),
    ),
  );
  return picture(rows, shown.length, shown.map((each) => `${each.name}: ${words(each)}`).join("; "));
}

/** Upright bars in a row, from the smallest size to the largest. */
export function histogram(list: readonly Bar[]): string {
  const first = list.findIndex(({ value }) => value > 0);
  const shown = first < 0 ? [] : list.slice(first);
  return bars(shown.slice(0, BARS_MAX), countText);
}

function largest(list: readonly Bar[]): readonly Bar[] {
  if (list.length <= BARS_MAX) return list;
  const least = [...list].sort((a, b) => b.value - a.value)[BARS_MAX - 1]?.value ?? 0;
  return list.filter(({ value }) => value >= least).slice(0, BARS_MAX);
}

/** @param parts lengths from 0 to 1, each with the class of its colour; several share the row */
function row(
  at: number,
  name: string,
  parts: readonly (readonly [length: number, kind: string])[],
  text: string,
): string {
  const top = at * ROW;
  const height = (ROW - 8) / parts.length;
  const drawn = parts.map(([length, kind], i) => {
    const width = Math.max(length * BAR_WIDTH, length > 0 ? 1 : 0).toFixed(1);
    return `<rect class="${kind}" x="${NAME_WIDTH}" y="${(top + 4 + i * height).toFixed(1)}" width="${width}" height="${(height - 1).toFixed(1)}"/>`;
  });
  const longest = Math.max(...parts.map(([length]) => length));
  const textAt = (NAME_WIDTH + longest * BAR_WIDTH + 8).toFixed(1);
  const middle = top + ROW / 2 + 4;
  const short = name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS - 1)}…` : name;
  return `<text x="${NAME_WIDTH - 8}" y="${middle}" text-anchor="end">${escaped(short)}</text>${drawn.join("")}<text x="${textAt}" y="${middle}">${escaped(text)}</text>`;
}

/** The figures are in the picture's name too, for who does not see it. */
function picture(rows: readonly string[], count: number, label: string): string {
  const height = Math.max(count, 1) * ROW;
  return `<svg role="img" viewBox="0 0 ${WIDTH} ${height}" aria-label="${escaped(label === "" ? "nothing" : label)}">${rows.join("")}</svg>`;
}
