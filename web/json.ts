/** Members of JSON whose shape nobody has checked: each is of its type, or absent. */

export type Members = Readonly<Record<string, unknown>>;

export function members(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Characters of a text that a server reports, and the page shows. */
const SHOWN_MAX = 2_000;

/** A text that is only shown: a longer one is cut. */
export function shownText(value: unknown): string | undefined {
  const found = text(value);
  return found === undefined || found.length <= SHOWN_MAX ? found : `${found.slice(0, SHOWN_MAX)}…`;
}

/** A height or count: decimal text, as the Cosmos SDK writes 64-bit integers, or a whole number. */
export function integer(value: unknown): bigint | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  return typeof value === "string" && /^\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}

/** A count or a duration, from 0 on. What is made of it, such as nanoseconds, has to stay a number. */
export function real(value: unknown): number | undefined {
  const found = typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof found === "number" && found >= 0 && found <= Number.MAX_SAFE_INTEGER ? found : undefined;
}
