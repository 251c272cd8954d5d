/** Small pieces that several views are made of. */

import { count, readersTime, shortHash, utc } from "../number-text.js";
import { type Child, h, type Tree } from "../tree.js";

/** Milliseconds that a `Date` can hold, on either side of 1970. */
const MILLIS_MAX = 8.64e15;

/** A moment: UTC, and the reader's own clock where it differs. */
export function moment(millis: number): Tree {
  if (!(Math.abs(millis) <= MILLIS_MAX)) return h("span", {}, "too far away for a date");
  const own = readersTime(millis);
  return h("span", {}, h("time", { datetime: new Date(millis).toISOString() }, utc(millis)), own && ` · ${own}`);
}

/** A hash, shortened for the eye and whole for the pointer, the clipboard and screen readers. */
export function hash(hex: string): Tree {
  return h("code", { class: "hash", title: hex }, shortHash(hex));
}

export function facts(...pairs: readonly (readonly [name: string, ...value: Child[]] | undefined)[]): Tree {
  const shown = pairs.filter((pair) => pair !== undefined);
  return h("dl", {}, ...shown.map(([name, ...value]) => h("div", {}, h("dt", {}, name), h("dd", {}, ...value))));
}

export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
}

/** A table that scrolls by itself on a narrow screen; then the keyboard has to reach it. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Child[])[]): Tree {
  const style = ({ isNumber }: Column) => (isNumber ? "number" : undefined);
  const head = columns.map((column) => h("th", { scope: "col", class: style(column) }, column.name));
  const body = rows.map((cells) =>
    h(
      "tr",
      {},
      ...cells.map((cell, index) =>
        h(
          index === 0 ? "th" : "td",
          { scope: index === 0 ? "row" : undefined, class: style(columns[index] ?? head0) },
          cell,
        ),
      ),
    ),
  );
  return h(
    "div",
    { class: "scrolls", tabindex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body)),
  );
}

const head0: Column = { name: "" };

export const number = (value: bigint | number): Tree => h("span", { class: "number" }, count(value));

export function paragraph(...children: readonly Child[]): Tree {
  return h("p", {}, ...children);
}
