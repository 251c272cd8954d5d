/** Searches by events, as clients write them: `tx.height=5 AND message.sender='cosmos1…'`. */
import { UpgradeError } from "./errors.js";

/** A condition on events, `type.key` compared with a value; all of a search must hold. */
export interface EventCondition {
  readonly key: string;
  readonly operator: "=" | "<" | "<=" | ">" | ">=" | "CONTAINS" | "EXISTS";
  readonly value: string;
}

const QUERY_CHARACTERS_MAX = 8_192;
const CONDITIONS_MAX = 16;

const CONDITION =
  /^\s*([^\s=<>'"]+)\s*(?:(EXISTS)|(CONTAINS|<=|>=|=|<|>)\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s'"<>=][^\s'"]*)))\s*/;

function wrong(query: string, what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `failed to parse query "${query.slice(0, 200)}": ${what}`);
}

/** Conditions joined by AND. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function parseEventQuery(query: string): EventCondition[] {
  if (query.length > QUERY_CHARACTERS_MAX) throw wrong(query, `it is longer than ${QUERY_CHARACTERS_MAX} characters`);
  const conditions: EventCondition[] = [];
  for (let rest = query; ; ) {
    const match = CONDITION.exec(rest);
    if (!match) throw wrong(query, `expected <type.key> <operator> <value> at "${rest.trim().slice(0, 40)}"`);
    const [whole, key = "", exists, operator, single, double, bare] = match;
    const value = (single ?? double)?.replace(/\\(.)/g, "$1") ?? bare ?? "";
    conditions.push({ key, operator: (exists ?? operator) as EventCondition["operator"], value });
    if (conditions.length > CONDITIONS_MAX) throw wrong(query, `it has more than ${CONDITIONS_MAX} conditions`);
    rest = rest.slice(whole.length);
    if (rest === "") return conditions;
    const and = /^AND\s/.exec(rest);
    if (!and) throw wrong(query, `expected AND at "${rest.slice(0, 40)}"`);
    rest = rest.slice(and[0].length);
  }
}

/** `type.key` of every attribute with its values. */
export type EventValues = ReadonlyMap<string, readonly string[]>;

export function eventValues(
  events: readonly { readonly type: string; readonly attributes: readonly { key: string; value: string }[] }[],
): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { type, attributes } of events) {
    for (const { key, value } of attributes) {
      const name = `${type}.${key}`;
      const known = values.get(name);
      if (known) known.push(value);
      else values.set(name, [value]);
    }
  }
  return values;
}

/** Does at least one value fit each condition? */
export function matchesAll(conditions: readonly EventCondition[], values: EventValues): boolean {
  return conditions.every((condition) => (values.get(condition.key) ?? []).some((value) => matches(condition, value)));
}

const INTEGER = /^-?[0-9]{1,78}$/;

/** Is the value compared as a number? */
export const isInteger = (value: string): boolean => INTEGER.test(value);

function matches({ operator, value: wanted }: EventCondition, value: string): boolean {
  if (operator === "EXISTS") return true;
  if (operator === "CONTAINS") return value.includes(wanted);
  if (!isInteger(value) || !isInteger(wanted)) return operator === "=" && value === wanted;
  const [a, b] = [BigInt(value), BigInt(wanted)];
  switch (operator) {
    case "=":
      return a === b;
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
  }
}
